package io.evenkeel.lab.scheduler;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Arrays;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * A proxy for TCP connections to a local server. What the server sends arrives after a fixed time; what clients send is
 * forwarded at once. Throughput is not limited.
 */
final class LagProxy implements AutoCloseable {
    private static final int CHUNK = 64 << 10;
    /** The chunks of a connection that are under way, at most 64 MiB. A list of all pods must not have to wait. */
    private static final int MAX_CHUNKS = 1_024;

    private final ServerSocket listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    private final int port;
    private final long lagNanos;

    /** What was read from the server at one time. It is empty at the end of the stream. */
    private static final class Chunk {
        private final byte[] bytes;
        private final long due;

        Chunk(byte[] bytes, long due) {
            this.bytes = bytes;
            this.due = due;
        }
    }

    /** @param port the server's port */
    LagProxy(int port, long lagMillis) throws IOException {
        this.port = port;
        lagNanos = TimeUnit.MILLISECONDS.toNanos(lagMillis);
        daemon(this::accept);
    }

    /** The port on which it listens. */
    int port() {
        return listening.getLocalPort();
    }

    private void accept() throws IOException {
        while (true) {
            Socket client = listening.accept();
            Socket server;
            try {
                server = new Socket(InetAddress.getLoopbackAddress(), port);
            } catch (IOException serverIsDown) {
                client.close();
                continue;
            }
            BlockingQueue<Chunk> underWay = new ArrayBlockingQueue<>(MAX_CHUNKS);
            daemon(() -> {
                try (client;
                        server) {
                    client.getInputStream().transferTo(server.getOutputStream());
                }
            });
            daemon(() -> read(server.getInputStream(), underWay));
            daemon(() -> {
                try (client;
                        server) {
                    write(underWay, client.getOutputStream());
                } finally {
                    // The thread that reads may wait for space.
                    underWay.clear();
                }
            });
        }
    }

    private void read(InputStream server, BlockingQueue<Chunk> underWay) throws IOException, InterruptedException {
        byte[] buffer = new byte[CHUNK];
        try {
            for (int read = server.read(buffer); read >= 0; read = server.read(buffer)) {
                underWay.put(new Chunk(Arrays.copyOf(buffer, read), System.nanoTime() + lagNanos));
            }
        } finally {
            underWay.put(new Chunk(new byte[0], System.nanoTime()));
        }
    }

    private static void write(BlockingQueue<Chunk> underWay, OutputStream client)
            throws IOException, InterruptedException {
        for (Chunk next = underWay.take(); next.bytes.length > 0; next = underWay.take()) {
            TimeUnit.NANOSECONDS.sleep(next.due - System.nanoTime());
            client.write(next.bytes);
        }
    }

    /** A part of the proxy that runs until it is done or its sockets are closed. */
    private interface Task {
        void run() throws IOException, InterruptedException;
    }

    private static void daemon(Task task) {
        Thread thread = new Thread(
                () -> {
                    try {
                        task.run();
                    } catch (IOException | InterruptedException ended) {
                        // The connection or the proxy was closed.
                    }
                },
                "lag-proxy");
        thread.setDaemon(true);
        thread.start();
    }

    /** Accepts no more connections. Those that are open end with their clients or with the server. */
    @Override
    public void close() {
        try {
            listening.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
