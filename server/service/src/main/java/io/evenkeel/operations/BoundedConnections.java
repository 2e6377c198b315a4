package io.evenkeel.operations;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.eclipse.jetty.io.Connection;
import org.jspecify.annotations.Nullable;

/**
 * Bounds the number of connections. Beyond the limit, the one that has gone longest without an answer is closed, so
 * that connections which never complete a request cannot keep others out. Connections without an answer for too long
 * are closed as well, even if they keep sending. Thread-safe.
 */
final class BoundedConnections implements Connection.Listener {
    private final int most;

    /**
     * The open connections and the nanosecond of their last answer or, before the first one, of their start. Oldest
     * first.
     */
    private final Map<Connection, Long> open = new LinkedHashMap<>();

    BoundedConnections(int most) {
        this.most = most;
    }

    @Override
    public void onOpened(Connection connection) {
        Connection over = add(connection);
        if (over != null) {
            over.getEndPoint().close();
        }
    }

    private synchronized @Nullable Connection add(Connection connection) {
        Connection over = open.size() < most ? null : open.keySet().iterator().next();
        open.remove(over);
        open.put(connection, System.nanoTime());
        return over;
    }

    /** Closes the connections whose last answer is longer ago. */
    void closeOverdue(Duration longest) {
        overdue(System.nanoTime() - longest.toNanos())
                .forEach(connection -> connection.getEndPoint().close());
    }

    private synchronized List<Connection> overdue(long since) {
        List<Connection> overdue = new ArrayList<>();
        for (Map.Entry<Connection, Long> each : open.entrySet()) {
            if (each.getValue() - since >= 0) {
                break;
            }
            overdue.add(each.getKey());
        }
        return overdue;
    }

    /** Notes that a request of the connection was answered and the answer was read. */
    synchronized void answered(Connection connection) {
        if (open.remove(connection) != null) {
            open.put(connection, System.nanoTime());
        }
    }

    @Override
    public synchronized void onClosed(Connection connection) {
        open.remove(connection);
    }
}
