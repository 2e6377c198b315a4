package io.evenkeel.service;

import io.grpc.InsecureServerCredentials;
import io.grpc.Server;
import io.grpc.ServerBuilder;
import io.grpc.ServerCredentials;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** The gRPC server of one listener. */
final class ListenerServer implements AutoCloseable {
    /**
     * How often a client may send keepalive pings. Feeds can be silent for long, so clients must be allowed to ping
     * more often than gRPC's default of five minutes.
     */
    private static final Duration PROBED_AT_MOST_EVERY = Duration.ofSeconds(5);

    private static final Duration HANDSHAKE_WITHIN = Duration.ofSeconds(10);

    /** How long a connection is silent before it is pinged, so that dead connections release what they hold. */
    private static final Duration PROBED_AFTER = Duration.ofMinutes(1);

    private static final Duration PROBE_ANSWERED_WITHIN = Duration.ofSeconds(20);

    /**
     * The flow-control window of a connection. Fixed, because gRPC would otherwise let it grow to 8 MiB for each
     * connection.
     */
    private static final int WINDOW_BYTES = 256 << 10;

    private final Listener listener;
    private final @Nullable UnixSocket socket;
    private final Server server;

    private ListenerServer(Listener listener, @Nullable UnixSocket socket, Server server) {
        this.listener = listener;
        this.socket = socket;
        this.server = server;
    }

    /**
     * Starts a server for a listener.
     *
     * @param acceptor accepts its connections
     * @param credentials the credentials for TLS, except on sockets; null for plaintext connections
     * @param services adds the services
     */
    static ListenerServer start(
            Listener listener,
            Acceptor acceptor,
            TransportLimits limits,
            @Nullable ServerCredentials credentials,
            BiConsumer<ServerBuilder<?>, Listener> services)
            throws ListenException {
        UnixSocket socket = null;
        try {
            NettyServerBuilder transport;
            if (listener instanceof Listener.Unix unix) {
                socket = UnixSocket.prepare(unix);
                transport = socket.transport();
            } else {
                transport = NettyServerBuilder.forAddress(
                        ((Listener.Tcp) listener).address(),
                        credentials == null ? InsecureServerCredentials.create() : credentials);
            }
            services.accept(limited(acceptor.serve(transport, listener), limits), listener);
            ListenerServer started = new ListenerServer(listener, socket, transport.build());
            try {
                started.server.start();
                if (socket != null) {
                    socket.publish();
                }
            } catch (IOException | RuntimeException e) {
                started.server.shutdownNow();
                throw e;
            }
            return started;
        } catch (IOException e) {
            closeSocket(socket);
            throw new ListenException(listener, e);
        }
    }

    private static NettyServerBuilder limited(NettyServerBuilder transport, TransportLimits limits) {
        if (!limits.age().isZero()) {
            transport.maxConnectionAge(limits.age().toNanos(), TimeUnit.NANOSECONDS);
        }
        return transport
                .permitKeepAliveTime(PROBED_AT_MOST_EVERY.toNanos(), TimeUnit.NANOSECONDS)
                .permitKeepAliveWithoutCalls(true)
                .handshakeTimeout(HANDSHAKE_WITHIN.toNanos(), TimeUnit.NANOSECONDS)
                .keepAliveTime(PROBED_AFTER.toNanos(), TimeUnit.NANOSECONDS)
                .keepAliveTimeout(PROBE_ANSWERED_WITHIN.toNanos(), TimeUnit.NANOSECONDS)
                .maxConnectionIdle(limits.idle().toNanos(), TimeUnit.NANOSECONDS)
                .maxConcurrentCallsPerConnection(limits.callsOnConnection())
                .flowControlWindow(WINDOW_BYTES);
    }

    /** The port that it listens on; -1 if it has none. */
    int port() {
        return server.getPort();
    }

    /** The listener, with the actual port. */
    Listener listener() {
        return listener instanceof Listener.Tcp tcp
                ? new Listener.Tcp(new InetSocketAddress(tcp.address().getHostString(), port()))
                : listener;
    }

    Server server() {
        return server;
    }

    /** Removes the socket's file. */
    @Override
    public void close() {
        closeSocket(socket);
    }

    private static void closeSocket(@Nullable UnixSocket socket) {
        if (socket != null) {
            socket.close();
        }
    }
}
