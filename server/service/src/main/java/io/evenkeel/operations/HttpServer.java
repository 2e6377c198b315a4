package io.evenkeel.operations;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.SslConnectionFactory;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.ssl.SslContextFactory;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.eclipse.jetty.util.thread.Scheduler;
import org.jspecify.annotations.Nullable;

/**
 * An HTTP server with few threads, which are daemons. Slow clients block no threads and cannot keep others out
 * ({@link BoundedConnections}).
 */
public final class HttpServer implements AutoCloseable {
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

    private HttpServer(
            Server server, ServerConnector connector, BoundedConnections connections, Duration answeredWithin) {
        this.server = server;
        this.connector = connector;
        this.connections = connections;
        this.answeredWithin = answeredWithin;
    }

    /**
     * Starts a server.
     *
     * @param name the name of its threads
     * @param tls null for plaintext
     * @param pages answers the requests
     * @throws IOException if it cannot listen on the address
     */
    public static HttpServer start(String name, InetSocketAddress listen, @Nullable SSLContext tls, Handler pages)
            throws IOException {
        return start(name, listen, tls, pages, ANSWERED_WITHIN);
    }

    /** @param answeredWithin how long a connection may take for each request, including the wait before it */
    static HttpServer start(
            String name, InetSocketAddress listen, @Nullable SSLContext tls, Handler pages, Duration answeredWithin)
            throws IOException {
        QueuedThreadPool threads = new QueuedThreadPool(MAX_THREADS, MIN_THREADS);
        threads.setName(name);
        threads.setDaemon(true);
        threads.setReservedThreads(0);
        Server server = new Server(threads);
        HttpConfiguration configuration = new HttpConfiguration();
        configuration.setSendServerVersion(false);
        configuration.setRequestHeaderSize(MAX_HEADER_BYTES);
        HttpConnectionFactory http = new HttpConnectionFactory(configuration);
        BoundedConnections connections = new BoundedConnections(MAX_CONNECTIONS);
        // Not a listener of the connector: a TLS connection would count twice, and one of the two is never answered.
        http.addEventListener(connections);
        ServerConnector connector = tls == null
                ? new ServerConnector(server, ONE, ONE, http)
                : new ServerConnector(server, ONE, ONE, encryption(tls, http), http);
        connector.setHost(listen.getAddress().getHostAddress());
        connector.setPort(listen.getPort());
        connector.setIdleTimeout(answeredWithin.toMillis());
        server.addConnector(connector);
        server.setHandler(new Noted(pages, connections));
        HttpServer started = new HttpServer(server, connector, connections, answeredWithin);
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

    private static SslConnectionFactory encryption(SSLContext tls, HttpConnectionFactory http) {
        SslContextFactory.Server context = new SslContextFactory.Server();
        context.setSslContext(tls);
        SslConnectionFactory encryption = new SslConnectionFactory(context, http.getProtocol());
        encryption.setEnsureSecureRequestCustomizer(false);
        return encryption;
    }

    /** Notes when a response has been read. */
    private static final class Noted extends Handler.Wrapper {
        private final BoundedConnections connections;

        Noted(Handler pages, BoundedConnections connections) {
            super(pages);
            this.connections = connections;
        }

        @Override
        public boolean handle(Request request, Response response, Callback callback) throws Exception {
            return super.handle(
                    request,
                    response,
                    Callback.from(
                            () -> connections.answered(
                                    request.getConnectionMetaData().getConnection()),
                            callback));
        }
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
