package io.evenkeel.kube;

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
 * Makes sockets that wait for the next bytes in one call of the system, and take as many as there are. TLS asks for the
 * header of each record by itself, an API server puts an event into a record, or a few of a list, and the JDK takes
 * three calls for a read that has a timeout. So a thread closes the sockets that have waited for too long. The client
 * makes its connections to SOCKS proxies by itself: these have a timeout of their own.
 *
 * <p>Where few bytes come unasked, a socket rests before it waits for more of them ({@link ReadPace}): each wake-up
 * costs more than an event does. Safe for use by several threads.
 */
final class ReadAheadSockets extends SocketFactory implements AutoCloseable {
    private static final int BYTES = 1 << 15;

    /** How often the thread looks in the time after which a socket has waited for too long. */
    private static final int LOOKS = 8;

    /** For sockets that the client does not make: it connects them itself. */
    private final SocketFactory plain = SocketFactory.getDefault();

    private final long silenceNanos;
    private final Rest rest;

    /** The sockets that may be read, and some that were closed a short time ago. */
    private final Set<ReadAheadSocket> open = ConcurrentHashMap.newKeySet();

    private final ScheduledThreadPoolExecutor looks = new ScheduledThreadPoolExecutor(1, task -> {
        Thread thread = new Thread(task, "evenkeel-kube-silence");
        thread.setDaemon(true);
        return thread;
    });

    private boolean looking;
    private boolean closed;

    /**
     * @param silence how long a read may wait: up to an eighth more
     * @param rest what a socket may wait for before it reads on
     */
    ReadAheadSockets(Duration silence, Rest rest) {
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

        /** Since when a thread waits for bytes, on the clock of the JVM; 0 where none does. */
        private volatile long waitsSince;

        private volatile boolean silent;

        private final ReadPace pace = new ReadPace(System::nanoTime);

        @Override
        public OutputStream getOutputStream() throws IOException {
            return new Asking(super.getOutputStream());
        }

        /** Notes that something is sent. */
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

        /** Notes how long reads wait, and rests before them. */
        private final class Watched extends FilterInputStream {
            Watched(InputStream source) {
                super(source);
            }

            /** What is there already is given to the reader first. */
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
                        SocketTimeoutException timeout = new SocketTimeoutException("no byte came for too long");
                        timeout.initCause(e);
                        throw timeout;
                    }
                    throw e;
                } finally {
                    waitsSince = 0;
                }
            }
        }

        /** A timeout that is not shorter is kept by the thread that looks. */
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
                    // Its reader has an error all the same.
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

    /** Looks after the sockets no more. */
    @Override
    public synchronized void close() {
        closed = true;
        looks.shutdownNow();
    }
}
