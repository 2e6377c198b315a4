package io.evenkeel.operations;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.eclipse.jetty.util.thread.Scheduler;

/**
 * Serves {@code /livez}, {@code /readyz} and {@code /metrics} over HTTP. Slow clients block no threads and cannot keep
 * others out ({@link BoundedConnections}).
 */
public final class OperationsServer implements AutoCloseable {
    private static final int MAX_CONNECTIONS = 256;
    private static final int MAX_THREADS = 8;
    private static final int MIN_THREADS = 3;
    private static final int ONE = 1;
    private static final int MAX_HEADER_BYTES = 8 << 10;
    private static final Duration ANSWERED_WITHIN = Duration.ofSeconds(30);
    private static final int LOOKS = 8;

    private final Server server;
    private final ServerConnector connector;
    private final BoundedConnections connections;
    private final Duration answeredWithin;

    private OperationsServer(
            Server server, ServerConnector connector, BoundedConnections connections, Duration answeredWithin) {
        this.server = server;
        this.connector = connector;
        this.connections = connections;
        this.answeredWithin = answeredWithin;
    }

    /**
     * Starts the server.
     *
     * @throws IOException if it cannot listen on the address
     */
    public static OperationsServer start(InetSocketAddress listen, ServerHealth health, PrometheusMetrics metrics)
            throws IOException {
        return start(listen, health, metrics, ANSWERED_WITHIN);
    }

    /** @param answeredWithin how long a connection may take for each request, including the wait before it */
    static OperationsServer start(
            InetSocketAddress listen, ServerHealth health, PrometheusMetrics metrics, Duration answeredWithin)
            throws IOException {
        QueuedThreadPool threads = new QueuedThreadPool(MAX_THREADS, MIN_THREADS);
        threads.setName("evenkeel-http");
        threads.setDaemon(true);
        threads.setReservedThreads(0);
        Server server = new Server(threads);
        HttpConfiguration http = new HttpConfiguration();
        http.setSendServerVersion(false);
        http.setRequestHeaderSize(MAX_HEADER_BYTES);
        ServerConnector connector = new ServerConnector(server, ONE, ONE, new HttpConnectionFactory(http));
        connector.setHost(listen.getAddress().getHostAddress());
        connector.setPort(listen.getPort());
        connector.setIdleTimeout(answeredWithin.toMillis());
        BoundedConnections connections = new BoundedConnections(MAX_CONNECTIONS);
        connector.addBean(connections);
        server.addConnector(connector);
        server.setHandler(new OperationsPages(health, new MetricsPages(metrics, System::nanoTime), connections));
        OperationsServer started = new OperationsServer(server, connector, connections, answeredWithin);
        try {
            connector.open();
            server.start();
            started.closeOverdue();
        } catch (IOException | RuntimeException e) {
            started.close();
            throw e;
        } catch (Exception e) {
            started.close();
            throw new IllegalStateException("the HTTP server failed to start", e);
        }
        return started;
    }

    private void closeOverdue() {
        connections.closeOverdue(answeredWithin);
        if (server.isStarted()) {
            Scheduler.Task unused = connector
                    .getScheduler()
                    .schedule(this::closeOverdue, answeredWithin.toNanos() / LOOKS, TimeUnit.NANOSECONDS);
        }
    }

    /** The port that it listens on. */
    public int port() {
        return connector.getLocalPort();
    }

    @Override
    public void close() {
        try {
            server.stop();
        } catch (Exception e) {
            throw new IllegalStateException("the HTTP server failed to stop", e);
        } finally {
            connector.close();
        }
    }
}
