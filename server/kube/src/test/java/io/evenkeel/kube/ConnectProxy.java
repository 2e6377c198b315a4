package io.evenkeel.kube;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/** A proxy that passes connections through, and counts them. */
final class ConnectProxy implements AutoCloseable {
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
            String request = readHeader(from.getInputStream());
            String target = request.split(" ", -1)[1];
            int colon = target.lastIndexOf(':');
            try (Socket to = new Socket(target.substring(0, colon), Integer.parseInt(target.substring(colon + 1)))) {
                passed.incrementAndGet();
                from.getOutputStream()
                        .write("HTTP/1.1 200 OK\r\n\r\n".getBytes(java.nio.charset.StandardCharsets.US_ASCII));
                threads.execute(() -> copy(to, from));
                copy(from, to);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
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
            // One of the two has ended the connection.
        }
    }

    @Override
    public void close() throws IOException {
        listener.close();
        threads.shutdownNow();
    }
}
