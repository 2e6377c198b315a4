package io.evenkeel.operations;

import java.util.LinkedHashSet;
import java.util.Set;
import org.eclipse.jetty.io.Connection;
import org.jspecify.annotations.Nullable;

/**
 * Bounds the number of connections: one too many closes the one that has had no answer for longest. So connections that
 * never complete a request cannot keep others out. Safe for use by several threads.
 */
final class BoundedConnections implements Connection.Listener {
    private final int most;

    /** The open ones. Those that have had no answer for longest come first. */
    private final Set<Connection> open = new LinkedHashSet<>();

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
        Connection over = open.size() < most ? null : open.iterator().next();
        open.remove(over);
        open.add(connection);
        return over;
    }

    /** A request of the connection was answered, and the answer read. */
    synchronized void answered(Connection connection) {
        if (open.remove(connection)) {
            open.add(connection);
        }
    }

    @Override
    public synchronized void onClosed(Connection connection) {
        open.remove(connection);
    }
}
