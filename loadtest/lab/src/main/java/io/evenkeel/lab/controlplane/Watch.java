package io.evenkeel.lab.controlplane;

import com.google.protobuf.Message;
import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.kube.ApiResource;
import io.evenkeel.objects.KindMessages;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The stream of a kind's events. Each is a length of four bytes and the event. If the server ends the stream, which it
 * may do at any time, the watch resumes after the last event. For one reader; any thread may close it.
 */
public final class Watch implements AutoCloseable {
    private static final int MAX_ENDS_WITHOUT_EVENT = 50;
    private static final long PAUSE_MILLIS = 100;

    /** An event: the current object, or its last state if it is gone. */
    public record Event(boolean gone, Message object) {}

    private final ObjectKind kind;
    private final ApiServer server;
    private String version;
    private DataInputStream frames;
    private int endsWithoutEvent;
    private volatile boolean closed;

    Watch(ApiServer server, ObjectKind kind, String version) throws IOException, InterruptedException {
        this.kind = kind;
        this.server = server;
        this.version = version;
        frames = new DataInputStream(server.watched(kind, version));
    }

    /**
     * Waits for the next event. Returns null once this is closed.
     *
     * @throws IOException if the watch cannot be resumed
     */
    public @Nullable Event next() throws IOException, InterruptedException {
        while (true) {
            try {
                Event event = read();
                if (event != null) {
                    endsWithoutEvent = 0;
                    return event;
                }
            } catch (EOFException e) {
                if (closed) {
                    return null;
                }
                if (++endsWithoutEvent > MAX_ENDS_WITHOUT_EVENT) {
                    throw new IOException("the server keeps ending watches of " + ApiResource.path(kind), e);
                }
                TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
                reopen();
            } catch (IOException e) {
                if (closed) {
                    return null;
                }
                throw e;
            }
        }
    }

    private void reopen() throws IOException, InterruptedException {
        DataInputStream next = new DataInputStream(server.watched(kind, version));
        synchronized (this) {
            frames = next;
            if (closed) {
                next.close();
            }
        }
    }

    /** The next event, or null for a bookmark. */
    private @Nullable Event read() throws IOException {
        byte[] frame = new byte[frames.readInt()];
        frames.readFully(frame);
        WatchEvent event = WatchEvent.of(frame);
        if (event.type().equals("ERROR")) {
            throw new IOException("the watch of " + ApiResource.path(kind) + " ended with "
                    + event.object().toStringUtf8());
        }
        version = event.version();
        return event.type().equals("BOOKMARK")
                ? null
                : new Event(
                        event.type().equals("DELETED"),
                        KindMessages.prototype(kind).getParserForType().parseFrom(event.object()));
    }

    @Override
    public void close() throws IOException {
        closed = true;
        synchronized (this) {
            frames.close();
        }
    }
}
