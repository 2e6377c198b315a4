package io.evenkeel.kube.client;

import java.io.BufferedInputStream;
import java.io.FilterInputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import javax.net.SocketFactory;
import org.jspecify.annotations.Nullable;

/**
 * Creates sockets that wait for bytes with one system call and read all that are available. Otherwise TLS would read
 * the header of each record separately, although an API server sends a record per event or per few list items, and the
 * JDK would need three system calls for a read with a timeout. So reads have no timeout; a thread closes the sockets
 * that have waited too long. The client creates connections to SOCKS proxies itself; these have a separate timeout.
 *
 * <p>If few bytes arrive unrequested, a socket rests before it waits for more ({@link ReadPace}), because each wake-up
 * costs more than an event. Thread-safe.
 */
final class ReadAheadSockets extends SocketFactory implements AutoCloseable {
    private static final int BYTES = 1 << 15;

    /** How often to check for silent sockets, per time that makes a socket silent. */
    private static final int LOOKS = 8;

    /** For sockets that are created connected. The client does not use these. */
    private final SocketFactory plain = SocketFactory.getDefault();

    private final long silenceNanos;
    private final ReadDelay rest;

    /** The open sockets, and some that were closed recently. */
    private final Set<ReadAheadSocket> open = ConcurrentHashMap.newKeySet();

    private final ScheduledThreadPoolExecutor looks = new ScheduledThreadPoolExecutor(1, task -> {
        Thread thread = new Thread(task, "evenkeel-kube-silence");
        thread.setDaemon(true);
        return thread;
    });

    private boolean looking;
    private boolean closed;

    /**
     * @param silence how long a read may wait; up to an eighth longer in practice
     * @param rest how a socket pauses before it reads more
     */
    ReadAheadSockets(Duration silence, ReadDelay rest) {
        this.silenceNanos = silence.toNanos();
        this.rest = rest;
    }

    @Override
    public Socket createSocket() {
        return new ReadAheadSocket();
    }

    private synchronized void watch(ReadAheadSocket socket) throws SocketException {
        if (closed) {
            throw new SocketException("the client was closed");
        }
        open.add(socket);
        if (!looking) {
            looking = true;
            long every = Math.max(1, silenceNanos / LOOKS);
            ScheduledFuture<?> unused = looks.scheduleWithFixedDelay(this::look, every, every, TimeUnit.NANOSECONDS);
        }
    }

    private void look() {
        long now = System.nanoTime();
        open.removeIf(socket -> {
            socket.closeWhereSilent(now);
            return socket.isClosed();
        });
    }

    private final class ReadAheadSocket extends Socket {
        private @Nullable InputStream input;

        /** When a thread began to wait for bytes, as {@link System#nanoTime}; 0 if none waits. */
        private volatile long waitsSince;

        private volatile boolean silent;

        private final ReadPace pace = new ReadPace(System::nanoTime);

        @Override
        public OutputStream getOutputStream() throws IOException {
            return new Asking(super.getOutputStream());
        }

        /** Records that something is sent. */
        private final class Asking extends FilterOutputStream {
            Asking(OutputStream target) {
                super(target);
            }

            @Override
            public void write(int next) throws IOException {
                pace.sent();
                out.write(next);
            }

            @Override
            public void write(byte[] bytes, int from, int count) throws IOException {
                pace.sent();
                out.write(bytes, from, count);
            }
        }

        @Override
        public synchronized InputStream getInputStream() throws IOException {
            InputStream read = input;
            if (read == null) {
                read = new BufferedInputStream(new Watched(super.getInputStream()), BYTES);
                watch(this);
                input = read;
            }
            return read;
        }

        /** Records how long reads wait, and rests before them. */
        private final class Watched extends FilterInputStream {
            Watched(InputStream source) {
                super(source);
            }

            /** Makes the buffer return what it has instead of reading more. */
            @Override
            public int available() {
                return 0;
            }

            private void rest() {
                long most = pace.rest();
                if (most > 0) {
                    try {
                        rest.last(most);
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                }
            }

            @Override
            public int read(byte[] bytes, int at, int most) throws IOException {
                rest();
                waitsSince = System.nanoTime() | 1;
                try {
                    int count = super.read(bytes, at, most);
                    pace.read(count);
                    return count;
                } catch (IOException e) {
                    if (silent) {
                        SocketTimeoutException timeout = new SocketTimeoutException("no data received for too long");
                        timeout.initCause(e);
                        throw timeout;
                    }
                    throw e;
                } finally {
                    waitsSince = 0;
                }
            }
        }

        /** The checking thread enforces timeouts that are not shorter than the silence. */
        @Override
        public synchronized void setSoTimeout(int millis) throws SocketException {
            super.setSoTimeout(TimeUnit.MILLISECONDS.toNanos(millis) >= silenceNanos ? 0 : millis);
        }

        void closeWhereSilent(long now) {
            long since = waitsSince;
            if (since != 0 && now - since > silenceNanos) {
                silent = true;
                try {
                    close();
                } catch (IOException e) {
                    // Its reader gets an error anyway.
                }
            }
        }
    }

    @Override
    public Socket createSocket(String host, int port) throws IOException {
        return plain.createSocket(host, port);
    }

    @Override
    public Socket createSocket(String host, int port, InetAddress from, int fromPort) throws IOException {
        return plain.createSocket(host, port, from, fromPort);
    }

    @Override
    public Socket createSocket(InetAddress host, int port) throws IOException {
        return plain.createSocket(host, port);
    }

    @Override
    public Socket createSocket(InetAddress host, int port, InetAddress from, int fromPort) throws IOException {
        return plain.createSocket(host, port, from, fromPort);
    }

    /** Stops checking the sockets. */
    @Override
    public synchronized void close() {
        closed = true;
        looks.shutdownNow();
    }
}
