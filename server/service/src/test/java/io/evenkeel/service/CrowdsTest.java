package io.evenkeel.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.evenkeel.access.AccessOptions;
import io.evenkeel.access.TestAuthority;
import io.evenkeel.v1.ClusterStateGrpc;
import io.evenkeel.v1.GetStatusRequest;
import io.evenkeel.v1.PlacementGrpc;
import io.grpc.CallOptions;
import io.grpc.ChannelCredentials;
import io.grpc.ClientCall;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.TlsChannelCredentials;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.stub.MetadataUtils;
import io.grpc.stub.StreamObserver;
import io.grpc.util.AdvancedTlsX509TrustManager;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests a real server with many idle connections and calls. */
@Timeout(60)
final class CrowdsTest {
    private static final int MAX_UNAUTHENTICATED = 8;
    private static final int CROWD = 3 * MAX_UNAUTHENTICATED;
    private static final byte[] PREFACE =
            "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0".getBytes(StandardCharsets.ISO_8859_1);
    private static final Metadata.Key<String> AUTHORIZATION =
            Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);
    private static final String TOKEN = "a-token-of-tests-0123456789";

    @TempDir
    private Path directory = Path.of("");

    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private final TestAuthority authority = new TestAuthority("authority");
    private final List<AutoCloseable> opened = new ArrayList<>();

    private ServerOptions options() {
        return ServerOptions.onLoopback(0)
                .withMeters(meters)
                .withStop(new StopTimes(Duration.ZERO, Duration.ZERO))
                .withTransport(TransportLimits.DEFAULT.withNewcomers(MAX_UNAUTHENTICATED));
    }

    private EvenkeelServer encrypted() throws IOException {
        TestAuthority.Issued pair = authority.issue("server", "localhost", "127.0.0.1");
        return EvenkeelServer.start(options()
                .withAccess(new AccessOptions(
                        Files.writeString(directory.resolve("tls.crt"), pair.certificatePem()),
                        Files.writeString(directory.resolve("tls.key"), pair.keyPem()),
                        null,
                        Files.writeString(directory.resolve("tokens"), "someone " + TOKEN + "\n"),
                        null)));
    }

    @AfterEach
    void closeAll() throws Exception {
        for (AutoCloseable each : opened) {
            each.close();
        }
    }

    private ManagedChannel channel(String target, ChannelCredentials credentials) {
        ManagedChannel channel = Grpc.newChannelBuilder(target, credentials).build();
        opened.add(channel::shutdownNow);
        return channel;
    }

    private ManagedChannel channel(EvenkeelServer server) throws IOException {
        return channel(
                "localhost:" + server.port(),
                TlsChannelCredentials.newBuilder()
                        .trustManager(new ByteArrayInputStream(authority.pem().getBytes(StandardCharsets.UTF_8)))
                        .build());
    }

    /** @param from the last byte of a loopback address */
    private Socket connect(EvenkeelServer server, int from) throws IOException {
        Socket socket = new Socket(loopback(1), server.port(), loopback(from), 0);
        opened.add(socket);
        return socket;
    }

    private static InetAddress loopback(int last) throws IOException {
        return InetAddress.getByAddress(new byte[] {127, 0, 0, (byte) last});
    }

    private static boolean isOpen(Socket socket) throws IOException {
        socket.setSoTimeout(1);
        try {
            return socket.getInputStream().read() >= 0;
        } catch (SocketTimeoutException open) {
            return true;
        } catch (IOException reset) {
            return false;
        }
    }

    private static void awaitClosed(Socket socket) throws IOException {
        while (isOpen(socket)) {
            Thread.onSpinWait();
        }
    }

    private double refusals(String why) {
        return meters.get("evenkeel.server.refusals").tag("why", why).counter().count();
    }

    /** Opens a stream and leaves it open. Completes with its end. */
    private static <Q, A> CompletableFuture<Status> open(ManagedChannel channel, MethodDescriptor<Q, A> method) {
        ClientCall<Q, A> call = channel.newCall(method, CallOptions.DEFAULT);
        CompletableFuture<Status> end = new CompletableFuture<>();
        Metadata headers = new Metadata();
        headers.put(AUTHORIZATION, "Bearer " + TOKEN);
        call.start(
                new ClientCall.Listener<>() {
                    @Override
                    public void onClose(Status status, Metadata trailers) {
                        end.complete(status);
                    }
                },
                headers);
        call.request(1);
        return end;
    }

    /** Opens a stream on a connection that was used before, so that it ends with the connection. */
    private static CompletableFuture<Status> use(ManagedChannel channel) {
        assertEquals(0, status(channel));
        return open(channel, PlacementGrpc.getEvaluateStreamMethod());
    }

    private static long status(ManagedChannel channel) {
        Metadata headers = new Metadata();
        headers.put(AUTHORIZATION, "Bearer " + TOKEN);
        return ClusterStateGrpc.newBlockingStub(channel)
                .withInterceptors(MetadataUtils.newAttachHeadersInterceptor(headers))
                .getStatus(GetStatusRequest.getDefaultInstance())
                .getNodeCount();
    }

    private static CompletableFuture<Status> watch(ManagedChannel channel) {
        CompletableFuture<Status> end = new CompletableFuture<>();
        HealthGrpc.newStub(channel).watch(HealthCheckRequest.getDefaultInstance(), new StreamObserver<>() {
            @Override
            public void onNext(HealthCheckResponse health) {}

            @Override
            public void onError(Throwable error) {
                end.complete(Status.fromThrowable(error));
            }

            @Override
            public void onCompleted() {
                end.complete(Status.OK);
            }
        });
        return end;
    }

    private static void probe(ManagedChannel channel) {
        assertEquals(
                ServingStatus.SERVING,
                HealthGrpc.newBlockingStub(channel)
                        .check(HealthCheckRequest.getDefaultInstance())
                        .getStatus());
    }

    @Test
    void connectionsWithoutHandshake_areBounded_andThoseInUseStay() throws Exception {
        try (EvenkeelServer server = encrypted()) {
            ManagedChannel known = channel(server);
            CompletableFuture<Status> used = use(known);
            List<Socket> silent = new ArrayList<>();
            for (int i = 0; i < CROWD; i++) {
                silent.add(connect(server, 1));
            }
            for (Socket each : silent.subList(0, CROWD - MAX_UNAUTHENTICATED)) {
                awaitClosed(each);
            }
            assertEquals(CROWD - MAX_UNAUTHENTICATED, refusals("newcomers"));
            assertEquals(0, status(channel(server)));
            assertEquals(0, status(known));
            assertFalse(used.isDone());
        }
    }

    @Test
    void connectionsWithHandshakeAlone_areBounded_andThoseInUseStay() throws Exception {
        AdvancedTlsX509TrustManager anyone = AdvancedTlsX509TrustManager.newBuilder()
                .setVerification(AdvancedTlsX509TrustManager.Verification.INSECURELY_SKIP_ALL_VERIFICATION)
                .build();
        SSLContext trusting = SSLContext.getInstance("TLS");
        trusting.init(null, new TrustManager[] {anyone}, null);
        try (EvenkeelServer server = encrypted()) {
            ManagedChannel known = channel(server);
            CompletableFuture<Status> used = use(known);
            List<Socket> idle = new ArrayList<>();
            for (int i = 0; i < CROWD; i++) {
                SSLSocket socket = (SSLSocket)
                        trusting.getSocketFactory().createSocket(connect(server, 1), "localhost", server.port(), true);
                SSLParameters parameters = socket.getSSLParameters();
                parameters.setApplicationProtocols(new String[] {"h2"});
                socket.setSSLParameters(parameters);
                socket.startHandshake();
                socket.getOutputStream().write(PREFACE);
                idle.add(socket);
            }
            for (Socket each : idle.subList(0, CROWD - MAX_UNAUTHENTICATED)) {
                awaitClosed(each);
            }
            assertEquals(CROWD - MAX_UNAUTHENTICATED, refusals("newcomers"));
            assertEquals(0, status(known));
            assertFalse(used.isDone());
        }
    }

    /** Their calls are rejected or need no permission, so they remain unauthenticated. */
    @Test
    void connectionsOfStrangers_areBounded_andThoseInUseStay() throws Exception {
        try (EvenkeelServer server = encrypted()) {
            ManagedChannel known = channel(server);
            CompletableFuture<Status> used = use(known);
            List<CompletableFuture<Status>> watched = new ArrayList<>();
            for (int i = 0; i < CROWD; i++) {
                ManagedChannel stranger = channel(server);
                StatusRuntimeException refused = assertThrows(
                        StatusRuntimeException.class,
                        () -> ClusterStateGrpc.newBlockingStub(stranger)
                                .getStatus(GetStatusRequest.getDefaultInstance()));
                assertEquals(Status.Code.UNAUTHENTICATED, refused.getStatus().getCode());
                probe(stranger);
                watched.add(watch(stranger));
            }
            for (CompletableFuture<Status> each : watched.subList(0, CROWD - MAX_UNAUTHENTICATED)) {
                assertEquals(Status.Code.UNAVAILABLE, each.get().getCode());
            }
            assertEquals(CROWD, refusals("access"));
            assertEquals(0, status(known));
            assertFalse(used.isDone());
        }
    }

    @Test
    void crowdFromOnePlace_closesNoneFromAnother() throws Exception {
        try (EvenkeelServer server = encrypted()) {
            Socket alone = connect(server, 2);
            List<Socket> crowd = new ArrayList<>();
            for (int i = 0; i < CROWD; i++) {
                crowd.add(connect(server, 1));
            }
            for (Socket each : crowd.subList(0, CROWD + 1 - MAX_UNAUTHENTICATED)) {
                awaitClosed(each);
            }
            assertTrue(isOpen(alone));
            assertTrue(isOpen(crowd.get(CROWD - 1)));
        }
    }

    @Test
    void connectionsThroughASocketFile_areBounded_andThoseInUseStay() throws Exception {
        Path path = directory.resolve("e.sock");
        try (EvenkeelServer server = EvenkeelServer.start(
                options().withListeners(new Listener.Unix(path, PosixFilePermissions.fromString("rw-------"))))) {
            ManagedChannel known = channel("unix:" + path, InsecureChannelCredentials.create());
            CompletableFuture<Status> used = use(known);
            List<SocketChannel> idle = new ArrayList<>();
            for (int i = 0; i < CROWD; i++) {
                SocketChannel connection = SocketChannel.open(StandardProtocolFamily.UNIX);
                opened.add(connection);
                connection.connect(UnixDomainSocketAddress.of(path));
                idle.add(connection);
            }
            for (SocketChannel each : idle.subList(0, CROWD - MAX_UNAUTHENTICATED)) {
                ByteBuffer read = ByteBuffer.allocate(1 << 10);
                while (each.read(read.clear()) >= 0) {
                    assertTrue(read.position() > 0);
                }
            }
            assertEquals(0, status(known));
            assertFalse(used.isDone());
            assertEquals(1, server.listeners().size());
        }
    }

    @Test
    void callsOverAllConnections_areBounded_saveAFewOnEach_andFeedsHaveTheirOwn() throws Exception {
        try (EvenkeelServer server =
                EvenkeelServer.start(options().withTransport(TransportLimits.DEFAULT.withCalls(40)))) {
            String target = "127.0.0.1:" + server.port();
            ManagedChannel greedy = channel(target, InsecureChannelCredentials.create());
            ManagedChannel modest = channel(target, InsecureChannelCredentials.create());
            // Calls that wait for a connection begin in any order. Health checks are counted separately.
            probe(greedy);
            probe(modest);
            List<CompletableFuture<Status>> held = new ArrayList<>();
            for (int i = 0; i < 40; i++) {
                held.add(open(greedy, PlacementGrpc.getEvaluateStreamMethod()));
            }
            Status refused =
                    open(greedy, PlacementGrpc.getEvaluateStreamMethod()).get();
            assertEquals(Status.Code.RESOURCE_EXHAUSTED, refused.getCode());
            assertEquals(
                    "the server already has 40 open calls, and this connection has 40 of them: retry later",
                    refused.getDescription());
            assertEquals(1, refusals("calls"));
            for (int i = 0; i < 16; i++) {
                held.add(open(modest, PlacementGrpc.getEvaluateStreamMethod()));
            }
            assertEquals(
                    "the server already has 40 open calls, and this connection has 16 of them: retry later",
                    open(modest, PlacementGrpc.getEvaluateStreamMethod()).get().getDescription());
            CompletableFuture<Status> feed = open(greedy, ClusterStateGrpc.getSyncMethod());
            probe(greedy);
            assertFalse(feed.isDone());
            assertEquals(0, status(channel(target, InsecureChannelCredentials.create())));
            greedy.shutdownNow();
            while (open(modest, PlacementGrpc.getEvaluateStreamMethod())
                            .completeOnTimeout(Status.OK, 100, TimeUnit.MILLISECONDS)
                            .get()
                            .getCode()
                    == Status.Code.RESOURCE_EXHAUSTED) {
                // The server has not yet noticed the end of the other connection.
            }
            assertEquals(Status.Code.UNAVAILABLE, feed.get().getCode());
            assertTrue(held.subList(40, held.size()).stream().noneMatch(CompletableFuture::isDone));
        }
    }
}
