package io.evenkeel.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.Any;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.rpc.ErrorInfo;
import io.evenkeel.access.AccessOptions;
import io.evenkeel.access.LoggedLines;
import io.evenkeel.access.Right;
import io.evenkeel.access.TestAuthority;
import io.evenkeel.access.TokenReviewer;
import io.evenkeel.engine.Await;
import io.evenkeel.v1.ClusterStateGrpc;
import io.evenkeel.v1.GetStatusRequest;
import io.evenkeel.v1.PlacementGrpc;
import io.evenkeel.v1.SimulationGrpc;
import io.grpc.CallOptions;
import io.grpc.ChannelCredentials;
import io.grpc.ClientCall;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.ServiceDescriptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.TlsChannelCredentials;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.protobuf.StatusProto;
import io.grpc.stub.MetadataUtils;
import io.grpc.util.AdvancedTlsX509KeyManager;
import io.grpc.util.AdvancedTlsX509TrustManager;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests authentication and authorization with a real server. */
final class AccessTest {
    private static final StopTimes AT_ONCE = new StopTimes(Duration.ZERO, Duration.ZERO);

    private static final String TOKEN = "-token-of-tests-0123456789";

    /** The right that each call needs; "" is none. New calls must be added here and in {@code Right}. */
    private static final Map<String, String> RIGHTS = Map.ofEntries(
            Map.entry("evenkeel.v1.Placement/Filter", "ask"),
            Map.entry("evenkeel.v1.Placement/Score", "ask"),
            Map.entry("evenkeel.v1.Placement/Evaluate", "ask"),
            Map.entry("evenkeel.v1.Placement/EvaluateStream", "ask"),
            Map.entry("evenkeel.v1.Placement/WhatIf", "ask"),
            Map.entry("evenkeel.v1.Placement/Preempt", "ask"),
            Map.entry("evenkeel.v1.Placement/WatchUnblocked", "ask"),
            Map.entry("evenkeel.v1.Placement/Explain", "ask"),
            Map.entry("evenkeel.v1.Placement/ListSpread", "ask"),
            Map.entry("evenkeel.v1.Placement/RankVictims", "ask"),
            Map.entry("evenkeel.v1.Placement/RegisterNodeSet", "ask"),
            Map.entry("evenkeel.v1.Placement/ForgetNodeSet", "ask"),
            Map.entry("evenkeel.v1.Simulation/OpenSession", "ask"),
            Map.entry("evenkeel.v1.Simulation/ChangeSession", "ask"),
            Map.entry("evenkeel.v1.Simulation/CloseSession", "ask"),
            Map.entry("evenkeel.v1.Simulation/Schedule", "ask"),
            Map.entry("evenkeel.v1.Simulation/ScheduleAndAssume", "reserve"),
            Map.entry("evenkeel.v1.Simulation/EstimateNodes", "ask"),
            Map.entry("evenkeel.v1.Simulation/PlaceGroup", "ask"),
            Map.entry("evenkeel.v1.Simulation/SimulateRemoval", "ask"),
            Map.entry("evenkeel.v1.Simulation/Rebalance", "ask"),
            Map.entry("evenkeel.v1.ClusterState/ListNodes", "ask"),
            Map.entry("evenkeel.v1.ClusterState/GetStatus", "ask"),
            Map.entry("evenkeel.v1.ClusterState/Assume", "reserve"),
            Map.entry("evenkeel.v1.ClusterState/Forget", "reserve"),
            Map.entry("evenkeel.v1.ClusterState/Sync", "feed"),
            Map.entry("evenkeel.v1.ClusterState/SyncAndEvaluate", "ask and feed"),
            Map.entry("evenkeel.v1.ClusterState/Apply", "feed"),
            Map.entry("grpc.health.v1.Health/Check", ""),
            Map.entry("grpc.health.v1.Health/Watch", ""),
            Map.entry("grpc.reflection.v1.ServerReflection/ServerReflectionInfo", "ask"),
            Map.entry("grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo", "ask"));

    private static final String RULES = """
            rules:
            - {token: ask, may: [ask]}
            - {token: reserve, may: [reserve]}
            - {token: feed, may: [feed]}
            - {token: both, may: [ask, feed]}
            - {certificate: ask.example, may: [ask]}
            - {certificate: feed.example, may: [feed]}
            """;

    @TempDir
    private Path directory = Path.of("");

    private final TestAuthority authority = new TestAuthority("authority");
    private final List<ManagedChannel> channels = new ArrayList<>();
    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();

    private Path write(String name, String text) {
        try {
            return Files.writeString(directory.resolve(name), text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String token(String name) {
        return name + TOKEN;
    }

    private Path tokens(String... names) {
        StringBuilder lines = new StringBuilder();
        for (String name : names) {
            lines.append(name).append(' ').append(token(name)).append('\n');
        }
        return write("tokens", lines.toString());
    }

    private ServerOptions guarded() {
        return ServerOptions.onLoopback(0)
                .withStop(AT_ONCE)
                .withAccess(new AccessOptions(
                        null, null, null, tokens("ask", "reserve", "feed", "both"), write("access.yaml", RULES)));
    }

    private ServerOptions encrypted() {
        writePair(authority.issue("server", "localhost", "127.0.0.1"));
        return ServerOptions.onLoopback(0)
                .withStop(AT_ONCE)
                .withAccess(new AccessOptions(
                        directory.resolve("tls.crt"),
                        directory.resolve("tls.key"),
                        write("ca.crt", authority.pem()),
                        tokens("ask"),
                        write("access.yaml", RULES)));
    }

    private void writePair(TestAuthority.Issued issued) {
        write("tls.crt", issued.certificatePem());
        write("tls.key", issued.keyPem());
    }

    private ManagedChannel channel(EvenkeelServer server) {
        return channel("127.0.0.1:" + server.port(), InsecureChannelCredentials.create());
    }

    private ManagedChannel channel(EvenkeelServer server, TestAuthority.@Nullable Issued client) {
        try {
            TlsChannelCredentials.Builder credentials =
                    TlsChannelCredentials.newBuilder().trustManager(stream(authority.pem()));
            if (client != null) {
                credentials.keyManager(stream(client.certificatePem()), stream(client.keyPem()));
            }
            return channel("localhost:" + server.port(), credentials.build());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private ManagedChannel channel(String target, ChannelCredentials credentials) {
        ManagedChannel channel = Grpc.newChannelBuilder(target, credentials).build();
        channels.add(channel);
        return channel;
    }

    private static InputStream stream(String text) {
        return new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8));
    }

    private void closeChannels() {
        channels.forEach(ManagedChannel::shutdownNow);
    }

    private static Metadata authorization(@Nullable String value) {
        Metadata headers = new Metadata();
        if (value != null) {
            headers.put(Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER), value);
        }
        return headers;
    }

    /** How a call ended, with its error reason, if any. */
    private record Outcome(Status.Code code, String reason) {
        boolean isAnswer() {
            return code == Status.Code.OK || code == Status.Code.CANCELLED;
        }

        boolean isRefusal() {
            return code == Status.Code.UNAUTHENTICATED || code == Status.Code.PERMISSION_DENIED;
        }

        static Outcome of(Status status, Metadata trailers) {
            com.google.rpc.Status details = StatusProto.fromStatusAndTrailers(status, trailers);
            String reason = "";
            for (Any detail : details == null ? List.<Any>of() : details.getDetailsList()) {
                if (detail.is(ErrorInfo.class)) {
                    try {
                        reason = detail.unpack(ErrorInfo.class).getReason();
                    } catch (InvalidProtocolBufferException e) {
                        throw new IllegalStateException(e);
                    }
                }
            }
            return new Outcome(status.getCode(), reason);
        }
    }

    private static final Outcome MISSING = new Outcome(Status.Code.UNAUTHENTICATED, "ERROR_REASON_CREDENTIALS_MISSING");
    private static final Outcome INVALID = new Outcome(Status.Code.UNAUTHENTICATED, "ERROR_REASON_CREDENTIALS_INVALID");
    private static final Outcome DENIED = new Outcome(Status.Code.PERMISSION_DENIED, "ERROR_REASON_RIGHT_MISSING");
    private static final Outcome TOO_BUSY = new Outcome(Status.Code.RESOURCE_EXHAUSTED, "ERROR_REASON_TOO_BUSY");

    private static final class Bytes implements MethodDescriptor.Marshaller<byte[]> {
        @Override
        public InputStream stream(byte[] value) {
            return new ByteArrayInputStream(value);
        }

        @Override
        public byte[] parse(InputStream stream) {
            return new byte[0];
        }
    }

    /** A call with one message of that many bytes, cancelled at its first answer. */
    private static CompletableFuture<Outcome> call(
            ManagedChannel channel, MethodDescriptor<?, ?> method, @Nullable String authorization, int bytes) {
        MethodDescriptor<byte[], byte[]> raw =
                method.toBuilder(new Bytes(), new Bytes()).build();
        ClientCall<byte[], byte[]> call =
                channel.newCall(raw, CallOptions.DEFAULT.withDeadlineAfter(20, TimeUnit.SECONDS));
        CompletableFuture<Outcome> outcome = new CompletableFuture<>();
        call.start(
                new ClientCall.Listener<>() {
                    @Override
                    public void onMessage(byte[] answer) {
                        call.cancel("answered", null);
                    }

                    @Override
                    public void onClose(Status status, Metadata trailers) {
                        outcome.complete(Outcome.of(status, trailers));
                    }
                },
                authorization(authorization));
        call.sendMessage(new byte[bytes]);
        call.halfClose();
        // Not earlier, because an answer cancels the call.
        call.request(1);
        return outcome;
    }

    private static List<MethodDescriptor<?, ?>> allCalls() {
        List<MethodDescriptor<?, ?>> all = new ArrayList<>();
        List<ServiceDescriptor> services = List.of(
                PlacementGrpc.getServiceDescriptor(),
                ClusterStateGrpc.getServiceDescriptor(),
                SimulationGrpc.getServiceDescriptor(),
                HealthGrpc.getServiceDescriptor(),
                io.grpc.reflection.v1.ServerReflectionGrpc.getServiceDescriptor(),
                io.grpc.reflection.v1alpha.ServerReflectionGrpc.getServiceDescriptor());
        services.forEach(service -> all.addAll(service.getMethods()));
        return all;
    }

    private double refusals(String why) {
        return meters.get("evenkeel.server.refusals").tag("why", why).counter().count();
    }

    @Test
    void eachRight_opensItsCalls_andNoOthers() throws Exception {
        int refused = 0;
        try (EvenkeelServer server = EvenkeelServer.start(guarded().withMeters(meters))) {
            ManagedChannel channel = channel(server);
            Map<String, String> needed = new TreeMap<>();
            for (MethodDescriptor<?, ?> method : allCalls()) {
                String name = method.getFullMethodName();
                StringBuilder opened = new StringBuilder();
                for (String right : List.of("ask", "reserve", "feed")) {
                    Outcome outcome =
                            call(channel, method, "Bearer " + token(right), 0).get();
                    if (!outcome.isRefusal()) {
                        opened.append(opened.isEmpty() ? "" : " ").append(right);
                    } else {
                        assertEquals(DENIED, outcome, name);
                        refused++;
                    }
                }
                if (opened.isEmpty()
                        && !call(channel, method, "Bearer " + token("both"), 0)
                                .get()
                                .isRefusal()) {
                    opened.append("ask and feed");
                }
                Outcome without = call(channel, method, null, 0).get();
                Outcome wrong = call(channel, method, "Bearer wrong" + TOKEN, 0).get();
                if (without.isRefusal()) {
                    assertEquals(MISSING, without, name);
                    assertEquals(INVALID, wrong, name);
                    needed.put(name, opened.toString());
                    refused += 2;
                } else {
                    assertFalse(wrong.isRefusal(), name);
                    assertEquals("ask reserve feed", opened.toString(), name);
                    needed.put(name, "");
                }
            }
            assertEquals(new TreeMap<>(RIGHTS), needed);
            needed.forEach((name, rights) -> assertEquals(rights.isEmpty(), OpenCalls.isHealth(name), name));
            assertEquals(refused, refusals("access"));
        } finally {
            closeChannels();
        }
    }

    @Test
    void callWithoutAnEntry_needsTheRightToFeed() throws Exception {
        MethodDescriptor<byte[], byte[]> method = MethodDescriptor.<byte[], byte[]>newBuilder()
                .setType(MethodDescriptor.MethodType.UNARY)
                .setFullMethodName("evenkeel.v1.ClusterState/New")
                .setRequestMarshaller(new Bytes())
                .setResponseMarshaller(new Bytes())
                .build();
        assertEquals(Set.of(Right.FEED), Right.neededFor(method));
    }

    /** Nothing of a rejected request is read, and at most a flow-control window of it is received. */
    @Test
    void refusedRequest_isNotTaken_howeverLargeItIs() throws Exception {
        AtomicLong bytes = new AtomicLong();
        try (EvenkeelServer server = EvenkeelServer.start(guarded());
                ServerSocket relay = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Thread relaying = new Thread(() -> relay(relay, server.port(), bytes), "relay");
            relaying.start();
            ManagedChannel channel = channel("127.0.0.1:" + relay.getLocalPort(), InsecureChannelCredentials.create());
            for (int i = 0; i < 20; i++) {
                for (MethodDescriptor<?, ?> method :
                        List.of(PlacementGrpc.getEvaluateMethod(), ClusterStateGrpc.getSyncMethod())) {
                    assertEquals(MISSING, call(channel, method, null, 15 << 20).get());
                }
            }
            assertTrue(bytes.get() < 40 * (256 << 10), () -> bytes + " bytes");
        } finally {
            closeChannels();
        }
    }

    /** Passes on the bytes of one connection, and counts those of the client. */
    private static void relay(ServerSocket relay, int port, AtomicLong bytes) {
        try (Socket client = relay.accept();
                Socket server = new Socket(InetAddress.getLoopbackAddress(), port)) {
            Thread answers = new Thread(() -> pass(server, client, new AtomicLong()), "relay-answers");
            answers.start();
            pass(client, server, bytes);
            answers.join();
        } catch (IOException e) {
            // The test has ended.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void pass(Socket from, Socket to, AtomicLong bytes) {
        byte[] buffer = new byte[1 << 16];
        try {
            for (int read = from.getInputStream().read(buffer);
                    read >= 0;
                    read = from.getInputStream().read(buffer)) {
                bytes.addAndGet(read);
                to.getOutputStream().write(buffer, 0, read);
            }
            to.shutdownOutput();
        } catch (IOException e) {
            // The other connection has ended.
        }
    }

    @Test
    void tokenThatIsRevoked_isRefused_andItsStreamsEnd() throws Exception {
        try (EvenkeelServer server = EvenkeelServer.start(guarded().withMeters(meters))) {
            ManagedChannel channel = channel(server);
            ClientCall<byte[], byte[]> stream = channel.newCall(
                    PlacementGrpc.getEvaluateStreamMethod().toBuilder(new Bytes(), new Bytes())
                            .build(),
                    CallOptions.DEFAULT);
            CompletableFuture<Outcome> outcome = new CompletableFuture<>();
            stream.start(
                    new ClientCall.Listener<>() {
                        @Override
                        public void onClose(Status status, Metadata trailers) {
                            outcome.complete(Outcome.of(status, trailers));
                        }
                    },
                    authorization("Bearer " + token("ask")));
            stream.request(1);
            assertEquals(
                    "",
                    call(channel, ClusterStateGrpc.getGetStatusMethod(), "Bearer " + token("ask"), 0)
                            .get()
                            .reason());
            assertFalse(outcome.isDone());
            assertEquals(0, refusals("access"));
            tokens("reserve", "feed");
            assertEquals(INVALID, outcome.get(20, TimeUnit.SECONDS));
            assertEquals(1, refusals("access"));
            assertEquals(
                    INVALID,
                    call(channel, ClusterStateGrpc.getGetStatusMethod(), "Bearer " + token("ask"), 0)
                            .get());
        } finally {
            closeChannels();
        }
    }

    @Test
    void callersThroughASocket_haveTheRightsOfTheSocket() throws Exception {
        Path socket = directory.resolve("e.sock");
        Path rules = write("access.yaml", "rules: [{socket: " + socket + ", may: [ask]}]");
        ServerOptions options = ServerOptions.onLoopback(0)
                .withAccess(new AccessOptions(null, null, null, null, rules))
                .withStop(AT_ONCE);
        Listener unix = new Listener.Unix(socket, PosixFilePermissions.fromString("rw-------"));
        try (EvenkeelServer server =
                EvenkeelServer.start(options.withListeners(options.listeners().get(0), unix))) {
            ManagedChannel local = channel("unix:" + socket, InsecureChannelCredentials.create());
            assertFalse(call(local, ClusterStateGrpc.getGetStatusMethod(), null, 0)
                    .get()
                    .isRefusal());
            assertEquals(
                    MISSING,
                    call(local, ClusterStateGrpc.getApplyMethod(), null, 0).get());
            assertEquals(
                    MISSING,
                    call(channel(server), ClusterStateGrpc.getGetStatusMethod(), null, 0)
                            .get());
        } finally {
            closeChannels();
        }
    }

    @Test
    void certificates_letInWhoTheyName_andNoOneElse() throws Exception {
        MethodDescriptor<?, ?> ask = ClusterStateGrpc.getGetStatusMethod();
        try (EvenkeelServer server = EvenkeelServer.start(encrypted())) {
            TestAuthority.Issued asks = authority.issue("someone", "ask.example");
            assertFalse(call(channel(server, asks), ask, null, 0).get().isRefusal());
            assertTrue(call(channel(server, asks), ask, null, 0).get().isAnswer());
            assertTrue(call(channel(server, authority.issue("ask.example")), ask, null, 0)
                    .get()
                    .isAnswer());
            assertEquals(
                    DENIED,
                    call(channel(server, authority.issue("feed.example")), ask, null, 0)
                            .get());
            assertEquals(
                    DENIED,
                    call(channel(server, authority.issue("nobody")), ask, null, 0)
                            .get());
            assertEquals(MISSING, call(channel(server, null), ask, null, 0).get());
            // Probes have no certificate.
            assertTrue(call(channel(server, null), HealthGrpc.getCheckMethod(), null, 0)
                    .get()
                    .isAnswer());
            // A token works as well, and is used in addition to the certificate.
            assertTrue(call(channel(server, null), ask, "Bearer " + token("ask"), 0)
                    .get()
                    .isAnswer());
            assertTrue(call(channel(server, authority.issue("nobody")), ask, "Bearer " + token("ask"), 0)
                    .get()
                    .isAnswer());
            // These fail the handshake.
            TestAuthority.Issued expired = authority.issue(
                    "ask.example", TestAuthority.keys("EC"), Instant.now().minus(Duration.ofMinutes(1)), "ask.example");
            assertEquals(
                    Status.Code.UNAVAILABLE,
                    call(channel(server, expired), ask, null, 0).get().code);
            TestAuthority.Issued foreign = new TestAuthority("authority").issue("ask.example", "ask.example");
            assertEquals(
                    Status.Code.UNAVAILABLE,
                    call(channel(server, foreign), ask, null, 0).get().code);
            assertEquals(
                    Status.Code.UNAVAILABLE, call(channel(server), ask, null, 0).get().code);
        } finally {
            closeChannels();
        }
    }

    @Test
    void certificates_areSwappedUnderLoad_withoutALostCall() throws Exception {
        try (EvenkeelServer server = EvenkeelServer.start(encrypted())) {
            TestAuthority.Issued client = authority.issue("ask.example");
            AtomicBoolean stop = new AtomicBoolean();
            AtomicLong calls = new AtomicLong();
            Queue<String> failures = new ConcurrentLinkedQueue<>();
            List<Thread> load = new ArrayList<>();
            // One caller keeps its connection, and one makes a new one for each call.
            for (boolean keeps : new boolean[] {true, false}) {
                Thread caller = new Thread(() -> {
                    ManagedChannel channel = channel(server, client);
                    while (!stop.get()) {
                        ManagedChannel used = keeps ? channel : channel(server, client);
                        try {
                            assertNotNull(ClusterStateGrpc.newBlockingStub(used)
                                    .getStatus(GetStatusRequest.getDefaultInstance()));
                            calls.incrementAndGet();
                        } catch (StatusRuntimeException e) {
                            failures.add(e.toString());
                        }
                        if (!keeps) {
                            used.shutdownNow();
                        }
                    }
                });
                load.add(caller);
                caller.start();
            }
            for (int i = 0; i < 3; i++) {
                TestAuthority.Issued next = authority.issue("server", "localhost", "127.0.0.1");
                writePair(next);
                awaitServed(server, next);
                long before = calls.get();
                Await.until(() -> calls.get() >= before + 4 || !failures.isEmpty());
            }
            stop.set(true);
            for (Thread caller : load) {
                caller.join();
            }
            assertEquals(List.of(), List.copyOf(failures));
        } finally {
            closeChannels();
        }
    }

    @Test
    void clientWithANewCertificate_reconnects_whenItsOldOneIsNoLongerAccepted() throws Exception {
        MethodDescriptor<?, ?> ask = ClusterStateGrpc.getGetStatusMethod();
        TestAuthority nextAuthority = new TestAuthority("next");
        TestAuthority.Issued old = authority.issue("ask.example");
        TestAuthority.Issued next = nextAuthority.issue("ask.example");
        AdvancedTlsX509KeyManager reloaded = new AdvancedTlsX509KeyManager();
        reloaded.updateIdentityCredentials(new X509Certificate[] {old.certificate()}, old.key());
        try (EvenkeelServer server = EvenkeelServer.start(encrypted())) {
            ManagedChannel channel = channel(
                    "localhost:" + server.port(),
                    TlsChannelCredentials.newBuilder()
                            .trustManager(stream(authority.pem()))
                            .keyManager(reloaded)
                            .build());
            assertTrue(call(channel, ask, null, 0).get().isAnswer());
            reloaded.updateIdentityCredentials(new X509Certificate[] {next.certificate()}, next.key());
            write("ca.crt", nextAuthority.pem());
            Await.until(() -> call(channel(server, old), ask, null, 0).get().code == Status.Code.UNAVAILABLE);
            Await.until(() -> call(channel, ask, null, 0).get().isAnswer());
        } finally {
            closeChannels();
        }
    }

    /** Watches of the server's health need no right, so only the end of the connection ends them. */
    @Test
    @Tag("long")
    void connectionWithARejectedCertificate_isClosed_evenIfACallStaysOpen() throws Exception {
        try (EvenkeelServer server = EvenkeelServer.start(encrypted())) {
            ManagedChannel channel = channel(server, authority.issue("ask.example"));
            assertTrue(call(channel, ClusterStateGrpc.getGetStatusMethod(), null, 0)
                    .get()
                    .isAnswer());
            Iterator<HealthCheckResponse> health =
                    HealthGrpc.newBlockingStub(channel).watch(HealthCheckRequest.getDefaultInstance());
            health.next();
            write("ca.crt", new TestAuthority("next").pem());
            StatusRuntimeException ended = assertTimeoutPreemptively(
                    Duration.ofMinutes(1),
                    () -> assertThrows(StatusRuntimeException.class, () -> {
                        while (health.hasNext()) {
                            health.next();
                        }
                    }));
            assertEquals(Status.Code.UNAVAILABLE, ended.getStatus().getCode());
        } finally {
            closeChannels();
        }
    }

    /** Waits until new connections receive the certificate. */
    private void awaitServed(EvenkeelServer server, TestAuthority.Issued expected) throws Exception {
        Await.until(
                () -> "the new certificate is not served", () -> shown(server).equals(expected.certificate()));
    }

    private static Certificate shown(EvenkeelServer server) throws Exception {
        SSLContext context = SSLContext.getInstance("TLS");
        AdvancedTlsX509TrustManager anyone = AdvancedTlsX509TrustManager.newBuilder()
                .setVerification(AdvancedTlsX509TrustManager.Verification.INSECURELY_SKIP_ALL_VERIFICATION)
                .build();
        context.init(null, new TrustManager[] {anyone}, null);
        try (SSLSocket socket =
                (SSLSocket) context.getSocketFactory().createSocket(InetAddress.getLoopbackAddress(), server.port())) {
            SSLParameters parameters = socket.getSSLParameters();
            parameters.setApplicationProtocols(new String[] {"h2"});
            socket.setSSLParameters(parameters);
            socket.startHandshake();
            return socket.getSession().getPeerCertificates()[0];
        }
    }

    @Test
    void tokenThatKubernetesKnows_givesTheRightsOfItsUserAndGroups() throws Exception {
        Path rules = write(
                "access.yaml",
                "rules: [{user: someone, may: [ask]}, {group: feeders, may: [feed]}, {token: ask, may: [reserve]}]");
        Map<String, TokenReviewer.Reviewed> known = new ConcurrentHashMap<>();
        known.put("someones", new TokenReviewer.Reviewed("someone", List.of()));
        known.put("feeders", new TokenReviewer.Reviewed("other", List.of("x", "feeders")));
        List<String> asked = Collections.synchronizedList(new ArrayList<>());
        AccessOptions options = new AccessOptions(null, null, null, tokens("ask"), rules).withReviewer(token -> {
            asked.add(token);
            if (token.equals("lost")) {
                throw new IOException("no route to the API server");
            }
            return known.getOrDefault(token, new TokenReviewer.Reviewed(null, List.of()));
        });
        try (EvenkeelServer server = EvenkeelServer.start(
                ServerOptions.onLoopback(0).withStop(AT_ONCE).withAccess(options))) {
            ManagedChannel channel = channel(server);
            MethodDescriptor<?, ?> ask = ClusterStateGrpc.getGetStatusMethod();
            for (int i = 0; i < 3; i++) {
                assertTrue(call(channel, ask, "Bearer someones", 0).get().isAnswer());
            }
            assertEquals(List.of("someones"), asked);
            assertEquals(DENIED, call(channel, ask, "Bearer feeders", 0).get());
            assertFalse(call(channel, ClusterStateGrpc.getApplyMethod(), "Bearer feeders", 0)
                    .get()
                    .isRefusal());
            assertEquals(INVALID, call(channel, ask, "Bearer nobodys", 15 << 20).get());
            assertEquals(
                    new Outcome(Status.Code.UNAVAILABLE, "ERROR_REASON_CREDENTIALS_UNCHECKED"),
                    call(channel, ask, "Bearer lost", 0).get());
            assertFalse(call(channel, ClusterStateGrpc.getForgetMethod(), "Bearer " + token("ask"), 0)
                    .get()
                    .isRefusal());
            assertEquals(List.of("someones", "feeders", "nobodys", "lost"), asked);
        } finally {
            closeChannels();
        }
    }

    @Test
    void tokensOfStrangers_holdUpNoOneWhoIsLetIn() throws Exception {
        List<String> asked = Collections.synchronizedList(new ArrayList<>());
        CountDownLatch release = new CountDownLatch(1);
        Path rules = write("access.yaml", "rules: [{group: askers, may: [ask]}]");
        AccessOptions options = new AccessOptions(null, null, null, tokens("ask"), rules).withReviewer(token -> {
            asked.add(token);
            if (token.startsWith("stranger")) {
                release.await();
                return new TokenReviewer.Reviewed(null, List.of());
            }
            return new TokenReviewer.Reviewed(token, List.of("askers"));
        });
        MethodDescriptor<?, ?> ask = ClusterStateGrpc.getGetStatusMethod();
        try (EvenkeelServer server = EvenkeelServer.start(
                ServerOptions.onLoopback(0).withStop(AT_ONCE).withMeters(meters).withAccess(options))) {
            ManagedChannel letIn = channel(server);
            assertTrue(call(letIn, ask, "Bearer someone", 0).get().isAnswer());
            List<ManagedChannel> strangers = List.of(channel(server), channel(server), channel(server));
            List<CompletableFuture<Outcome>> outcomes = new ArrayList<>();
            for (int i = 0; i < 1_500; i++) {
                outcomes.add(call(strangers.get(i % strangers.size()), ask, "Bearer stranger" + i, 0));
            }
            // More than the server reviews and queues.
            CompletableFuture.anyOf(outcomes.toArray(CompletableFuture<?>[]::new))
                    .get();
            assertTrue(refusals("busy") > 0);
            assertEquals(0, refusals("access"), "nobody was found to have no right");
            assertTrue(call(letIn, ask, "Bearer another", 0).get().isAnswer());
            strangers.forEach(ManagedChannel::shutdownNow);
            for (CompletableFuture<Outcome> outcome : outcomes) {
                outcome.get();
            }
            Gauge open =
                    meters.get("evenkeel.server.calls").tag("type", "unary").gauge();
            Await.until(() -> open.value() <= 0);
            release.countDown();
            // Ended calls leave the queue as soon as each reaches its head.
            Outcome last = onceThereIsRoom(channel(server), ask, "Bearer last");
            assertTrue(last.isAnswer(), last::toString);
            // Those whose review was in progress, and those that reached the head just as they ended.
            long strangersAsked = List.copyOf(asked).stream()
                    .filter(token -> token.startsWith("stranger"))
                    .count();
            assertTrue(
                    strangersAsked < 100, () -> "nobody waits for the others any more, asked about " + strangersAsked);
        } finally {
            release.countDown();
            closeChannels();
        }
    }

    /** Makes the call until the server is not too busy for it. */
    private static Outcome onceThereIsRoom(ManagedChannel channel, MethodDescriptor<?, ?> method, String token)
            throws Exception {
        Outcome outcome = call(channel, method, token, 0).get();
        while (outcome.equals(TOO_BUSY)) {
            outcome = call(channel, method, token, 0).get();
        }
        return outcome;
    }

    @Test
    void connectionsOfThoseWhoAreNotLetIn_keepNoOneOut() throws Exception {
        AccessOptions options = new AccessOptions(null, null, null, tokens("ask"), null);
        MethodDescriptor<?, ?> ask = ClusterStateGrpc.getGetStatusMethod();
        String known = "Bearer " + token("ask");
        try (EvenkeelServer server = EvenkeelServer.start(ServerOptions.onLoopback(0)
                .withStop(AT_ONCE)
                .withMeters(meters)
                .withTransport(TransportLimits.DEFAULT.withConnections(2))
                .withAccess(options))) {
            for (int i = 0; i < 4; i++) {
                assertEquals(MISSING, call(channel(server), ask, null, 0).get());
                assertEquals(INVALID, call(channel(server), ask, "Bearer x", 0).get());
            }
            ManagedChannel first = channel(server);
            ManagedChannel second = channel(server);
            assertTrue(call(first, ask, known, 0).get().isAnswer());
            assertTrue(call(second, ask, known, 0).get().isAnswer());
            assertEquals(TOO_BUSY, call(channel(server), ask, known, 0).get());
            assertEquals(1, refusals("connections"));
            assertEquals(8, refusals("access"));
            assertTrue(call(first, ask, known, 0).get().isAnswer());
            second.shutdownNow();
            Outcome outcome = onceThereIsRoom(channel(server), ask, known);
            assertTrue(outcome.isAnswer(), outcome::toString);
        } finally {
            closeChannels();
        }
    }

    /** With every logger at its finest level, including those of gRPC and Netty. */
    @Test
    void tokens_standInNoLogLine() throws Exception {
        try (LoggedLines lines = new LoggedLines()) {
            try (EvenkeelServer server = EvenkeelServer.start(guarded())) {
                ManagedChannel channel = channel(server);
                for (String token : List.of(token("ask"), token("feed"), "wrong" + TOKEN)) {
                    ClusterStateGrpc.ClusterStateBlockingStub stub = ClusterStateGrpc.newBlockingStub(channel)
                            .withInterceptors(
                                    MetadataUtils.newAttachHeadersInterceptor(authorization("Bearer " + token)));
                    try {
                        assertNotNull(stub.getStatus(GetStatusRequest.getDefaultInstance()));
                    } catch (StatusRuntimeException refused) {
                        assertFalse(String.valueOf(refused.getMessage()).contains(TOKEN));
                    }
                }
                tokens("ask", "ask");
                Await.until(() -> !lines.with("keeping the previous version").isEmpty());
            } finally {
                closeChannels();
            }
            assertFalse(lines.with("io.grpc").isEmpty());
            assertEquals(List.of(), lines.with(TOKEN));
        }
    }
}
