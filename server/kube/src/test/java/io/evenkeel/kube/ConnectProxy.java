package io.evenkeel.kube;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/** An HTTP or SOCKS 5 proxy that forwards connections to loopback, and counts them. */
final class ConnectProxy implements AutoCloseable {
    private static final byte SOCKS_5 = 5;
    private static final byte IPV4 = 1;

    private final ServerSocket listener;
    private final AtomicInteger passed = new AtomicInteger();
    private final ExecutorService threads = Executors.newCachedThreadPool(task -> {
        Thread thread = new Thread(task, "connect-proxy");
        thread.setDaemon(true);
        return thread;
    });

    ConnectProxy() throws IOException {
        listener = new ServerSocket(0, 0, InetAddress.getLoopbackAddress());
        threads.execute(this::accept);
    }

    String url() {
        return "http://127.0.0.1:" + listener.getLocalPort();
    }

    String socksUrl() {
        return "socks5://127.0.0.1:" + listener.getLocalPort();
    }

    int passed() {
        return passed.get();
    }

    private void accept() {
        while (!listener.isClosed()) {
            try {
                Socket from = listener.accept();
                threads.execute(() -> pass(from));
            } catch (IOException e) {
                return;
            }
        }
    }

    private void pass(Socket from) {
        try (from) {
            int first = from.getInputStream().read();
            boolean isSocks = first == SOCKS_5;
            int target = isSocks ? socksTarget(from) : httpTarget(from);
            try (Socket to = new Socket(InetAddress.getLoopbackAddress(), target)) {
                passed.incrementAndGet();
                from.getOutputStream()
                        .write(
                                isSocks
                                        ? new byte[] {SOCKS_5, 0, 0, IPV4, 0, 0, 0, 0, 0, 0}
                                        : "HTTP/1.1 200 OK\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
                threads.execute(() -> copy(to, from));
                copy(from, to);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static int httpTarget(Socket from) throws IOException {
        String target = readHeader(from.getInputStream()).split(" ", -1)[1];
        return Integer.parseInt(target.substring(target.lastIndexOf(':') + 1));
    }

    /** Accepts the client, and returns the loopback port that it wants to connect to. */
    private static int socksTarget(Socket from) throws IOException {
        DataInputStream input = new DataInputStream(from.getInputStream());
        input.skipNBytes(input.readUnsignedByte());
        from.getOutputStream().write(new byte[] {SOCKS_5, 0});
        input.skipNBytes(3);
        int kind = input.readUnsignedByte();
        input.skipNBytes(kind == IPV4 ? 4 : input.readUnsignedByte());
        return input.readUnsignedShort();
    }

    private static String readHeader(InputStream input) throws IOException {
        StringBuilder header = new StringBuilder();
        while (header.indexOf("\r\n\r\n") < 0) {
            int next = input.read();
            if (next < 0) {
                throw new IOException("the connection ended within a header");
            }
            header.append((char) next);
        }
        return header.toString();
    }

    private static void copy(Socket from, Socket to) {
        try {
            OutputStream output = to.getOutputStream();
            from.getInputStream().transferTo(output);
            to.shutdownOutput();
        } catch (IOException e) {
            // One side has closed the connection.
        }
    }

    @Override
    public void close() throws IOException {
        listener.close();
        threads.shutdownNow();
    }
}
