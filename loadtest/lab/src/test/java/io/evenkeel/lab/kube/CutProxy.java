package io.evenkeel.lab.kube;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/** A proxy for TCP connections to a local server. It can cut them, refuse them, or slow them down. */
final class CutProxy implements AutoCloseable {
    private static final int CHUNK = 16 << 10;
    private static final int BUFFER = 128 << 10;

    private final ServerSocket listening;
    private final int port;
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
    private volatile boolean refusing;
    private volatile int bytesPerSecond = Integer.MAX_VALUE;

    /** @param port the server's port */
    CutProxy(int port) throws IOException {
        this.port = port;
        listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        daemon(this::accept);
    }

    /** The port on which it listens. */
    int port() {
        return listening.getLocalPort();
    }

    /** Aborts all connections. */
    void cut() {
        sockets.forEach(CutProxy::end);
    }

    /** Sets whether new connections are aborted at once. */
    void refuse(boolean refuses) {
        refusing = refuses;
    }

    /** Limits how many bytes per second are read from the server on each connection, like a slow reader. */
    void slow(int most) {
        bytesPerSecond = most;
    }

    private static void daemon(Runnable task) {
        Thread thread = new Thread(task, "cut-proxy");
        thread.setDaemon(true);
        thread.start();
    }

    private void accept() {
        while (!listening.isClosed()) {
            try {
                Socket client = listening.accept();
                sockets.add(client);
                if (refusing || !connect(client)) {
                    end(client);
                }
            } catch (IOException closed) {
                return;
            }
        }
    }

    private boolean connect(Socket client) {
        Socket server = new Socket();
        try {
            // Unread bytes must wait at the server, not in the system's buffers.
            server.setReceiveBufferSize(BUFFER);
            server.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        } catch (IOException serverIsDown) {
            end(server);
            return false;
        }
        sockets.add(server);
        daemon(() -> carry(client, server, false));
        daemon(() -> carry(server, client, true));
        return true;
    }

    private void carry(Socket from, Socket to, boolean toClient) {
        byte[] chunk = new byte[CHUNK];
        try {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            for (int read = in.read(chunk, 0, size()); read >= 0; read = in.read(chunk, 0, size())) {
                out.write(chunk, 0, read);
                int most = bytesPerSecond;
                if (toClient && most < Integer.MAX_VALUE) {
                    TimeUnit.MILLISECONDS.sleep(Math.min(1_000, 1_000L * read / most));
                }
            }
        } catch (IOException broken) {
            // Both ends are aborted below.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            end(from);
            end(to);
            sockets.remove(from);
            sockets.remove(to);
        }
    }

    private int size() {
        return Math.min(CHUNK, bytesPerSecond);
    }

    private static void end(Socket socket) {
        try {
            // Send a reset instead of an orderly close.
            socket.setSoLinger(true, 0);
            socket.close();
        } catch (IOException alreadyClosed) {
            // Nothing to do.
        }
    }

    @Override
    public void close() throws IOException {
        listening.close();
        cut();
    }
}
