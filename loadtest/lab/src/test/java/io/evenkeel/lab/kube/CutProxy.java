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

/** Carries TCP connections to a server on this machine, and cuts them, refuses them, or carries them slowly. */
final class CutProxy implements AutoCloseable {
    private static final int CHUNK = 16 << 10;
    private static final int BUFFER = 128 << 10;

    private final ServerSocket listening;
    private final int port;
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
    private volatile boolean refusing;
    private volatile int bytesPerSecond = Integer.MAX_VALUE;

    /** @param port of the server */
    CutProxy(int port) throws IOException {
        this.port = port;
        listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        daemon(this::accept);
    }

    /** The port on which it listens. */
    int port() {
        return listening.getLocalPort();
    }

    /** Ends all connections. */
    void cut() {
        sockets.forEach(CutProxy::end);
    }

    /** From now on ends new connections at once, or no longer. */
    void refuse(boolean refuses) {
        refusing = refuses;
    }

    /** From now on reads so many bytes per second from the server for each connection, as a slow reader does. */
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
            // What a slow reader leaves unread must wait at the server, and not in the system's buffers.
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
            // Both ends break below.
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
            // Broken off, not ended in good order.
            socket.setSoLinger(true, 0);
            socket.close();
        } catch (IOException alreadyClosed) {
            // Nothing more can be done.
        }
    }

    @Override
    public void close() throws IOException {
        listening.close();
        cut();
    }
}
