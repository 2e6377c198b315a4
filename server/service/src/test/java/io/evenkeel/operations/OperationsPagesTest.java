package io.evenkeel.operations;

import static io.evenkeel.placement.Messages.apply;
import static io.evenkeel.placement.Messages.zones;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.evenkeel.placement.Instance;
import io.evenkeel.placement.InstanceOptions;
import io.evenkeel.placement.change.SyncSession;
import io.evenkeel.v1.BeginSnapshot;
import io.evenkeel.v1.EndSnapshot;
import io.evenkeel.v1.KindVersion;
import io.evenkeel.v1.ObjectKind;
import io.evenkeel.v1.SyncRequest;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests the HTTP pages for probes and Prometheus. */
@Timeout(60)
final class OperationsPagesTest {
    private static final int MAX_CONNECTIONS = 256;

    /** Longer than any test takes on a busy machine. */
    private static final Duration PATIENCE = Duration.ofMinutes(5);

    private static final int BYTES_OF_AN_ANSWER = 150;

    private static final String SLOW_REQUEST = "GET /metrics HTTP/1.1\r\n";

    private final Instance instance = new Instance(InstanceOptions.standard());
    private final ServerHealth health = new ServerHealth(instance.clusterState());
    private final PrometheusMetrics metrics = new PrometheusMetrics();
    private final InstanceMetrics holdings = new InstanceMetrics(instance, metrics.registry());
    private final HttpServer server = start();
    private final HttpClient client = HttpClient.newHttpClient();

    private HttpServer start() {
        try {
            return OperationsPages.start(
                    new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), health, metrics, PATIENCE);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    @AfterEach
    void stop() {
        server.close();
        holdings.close();
        metrics.close();
        instance.close();
    }

    @Test
    void readyz_namesEachKind_andWhyItIsNotReady() throws Exception {
        SyncSession session = instance.clusterState().sync();
        session.handle(begin(ObjectKind.OBJECT_KIND_POD));
        session.handle(begin(ObjectKind.OBJECT_KIND_NODE));
        KindVersion node =
                KindVersion.newBuilder().setKind(ObjectKind.OBJECT_KIND_NODE).build();
        session.handle(SyncRequest.newBuilder()
                .setEndSnapshot(EndSnapshot.newBuilder().addKinds(node))
                .build());
        String expected = """
                [+]ping ok
                [+]node ok
                [-]pod failed: the first snapshot is in progress
                [-]service failed: not received yet
                [-]replicationcontroller failed: not received yet
                [-]replicaset failed: not received yet
                [-]statefulset failed: not received yet
                [+]poddisruptionbudget ok, not received yet
                [+]shutdown ok
                readyz check failed
                """;
        assertAnswers(503, expected, "/readyz?verbose");
        assertAnswers(503, expected, "/readyz");
        session.close();
        String ended = get("/readyz").body();
        assertTrue(ended.contains("[+]node ok, not fed now\n"), ended);
        assertTrue(
                ended.contains("[-]pod failed: the first snapshot was aborted; waiting for a complete one\n"), ended);
    }

    private static SyncRequest begin(ObjectKind kind) {
        return SyncRequest.newBuilder()
                .setBeginSnapshot(BeginSnapshot.newBuilder().addKinds(kind))
                .build();
    }

    @Test
    void readyz_isOk_onceQueriesAreAnswered_untilTheServerStops() throws Exception {
        instance.clusterState().apply(apply(zones(1)));
        assertAnswers(200, "ok", "/readyz");
        assertAnswers(200, """
                [+]ping ok
                [+]node ok, not fed now
                [+]pod ok, not fed now
                [+]service ok, not fed now
                [+]replicationcontroller ok, not fed now
                [+]replicaset ok, not fed now
                [+]statefulset ok, not fed now
                [+]poddisruptionbudget ok, not received yet
                [+]shutdown ok
                readyz check passed
                """, "/readyz?verbose");
        health.stop();
        HttpResponse<String> stopping = get("/readyz");
        assertEquals(503, stopping.statusCode());
        assertTrue(stopping.body().contains("[-]shutdown failed: the server is stopping\n"), stopping.body());
        assertAnswers(200, "ok", "/livez");
    }

    @Test
    void livez_isOk_beforeAnythingIsFed() throws Exception {
        assertAnswers(200, "ok", "/livez");
        assertAnswers(200, "[+]ping ok\nlivez check passed\n", "/livez?verbose=1");
    }

    @Test
    void metrics_areText_orWhatTheReaderAccepts() throws Exception {
        HttpResponse<String> text = get("/metrics");
        assertEquals(200, text.statusCode());
        assertTrue(contentType(text).startsWith("text/plain; version=0.0.4"), contentType(text));
        assertTrue(text.body().contains("\nevenkeel_nodes 0.0\n"), text.body());
        HttpResponse<String> open = client.send(
                request("/metrics")
                        .header("Accept", "application/openmetrics-text; version=1.0.0")
                        .build(),
                BodyHandlers.ofString());
        assertTrue(contentType(open).startsWith("application/openmetrics-text"), contentType(open));
        assertTrue(open.body().endsWith("# EOF\n"), open.body());
        HttpResponse<InputStream> zipped = client.send(
                request("/metrics").header("Accept-Encoding", "gzip").build(), BodyHandlers.ofInputStream());
        assertEquals("gzip", zipped.headers().firstValue("Content-Encoding").orElse(""));
        String inflated = new String(new GZIPInputStream(zipped.body()).readAllBytes(), StandardCharsets.UTF_8);
        assertTrue(inflated.contains("\nevenkeel_nodes 0.0\n"), inflated);
    }

    @Test
    void otherRequests_areRefused() throws Exception {
        assertAnswers(404, "not found: use /livez, /readyz or /metrics\n", "/");
        HttpResponse<String> posted = client.send(
                request("/metrics").POST(BodyPublishers.ofString("x")).build(), BodyHandlers.ofString());
        assertEquals(405, posted.statusCode());
        assertEquals("GET, HEAD", posted.headers().firstValue("Allow").orElse(""));
        HttpResponse<String> head = client.send(
                request("/livez").method("HEAD", BodyPublishers.noBody()).build(), BodyHandlers.ofString());
        assertEquals(200, head.statusCode());
        assertEquals("", head.body());
    }

    /** More connections than the server has threads, and fewer than it accepts. */
    @Test
    void clientsThatSendByteByByte_keepNoOneOut() throws Exception {
        List<Socket> slow = new ArrayList<>();
        try {
            for (int i = 0; i < 200; i++) {
                slow.add(connect());
            }
            for (int sent = 0; sent < SLOW_REQUEST.length(); sent++) {
                for (Socket each : slow) {
                    each.getOutputStream().write(SLOW_REQUEST.charAt(sent));
                }
                assertTrue(scrapeAnew().contains("evenkeel_nodes 0.0"));
            }
        } finally {
            closeAll(slow);
        }
    }

    /** Answers fill the system's buffers, and the rest waits without a thread. */
    @Test
    void clientsThatNeverRead_keepNoOneOut() throws Exception {
        ByteBuffer many =
                ByteBuffer.wrap((SLOW_REQUEST + "Host: a\r\n\r\n").repeat(4_000).getBytes(StandardCharsets.UTF_8));
        List<SocketChannel> deaf = new ArrayList<>();
        try {
            for (int i = 0; i < 32; i++) {
                SocketChannel channel = SocketChannel.open(address());
                deaf.add(channel);
                channel.configureBlocking(false);
                channel.write(many.duplicate());
            }
            for (int i = 0; i < 20; i++) {
                assertTrue(scrapeAnew().contains("evenkeel_nodes 0.0"));
                for (SocketChannel channel : deaf) {
                    channel.write(many.duplicate());
                }
            }
        } finally {
            for (SocketChannel channel : deaf) {
                channel.close();
            }
        }
    }

    /** More connections than the server has threads. Each may receive some answers before the next one's turn. */
    @Test
    void clientsThatSendManyRequestsAtOnce_waitForTheirTurn() throws Exception {
        List<Greedy> greedy = new ArrayList<>();
        List<Long> answeredMeanwhile = new ArrayList<>();
        try (Socket regular = connect()) {
            for (int i = 0; i < 16; i++) {
                greedy.add(new Greedy(connect()));
            }
            for (Greedy each : greedy) {
                each.begun.await();
            }
            for (int i = 0; i < 51; i++) {
                long before = answered(greedy);
                assertTrue(livez(regular).startsWith("HTTP/1.1 200"));
                answeredMeanwhile.add(answered(greedy) - before);
            }
        } finally {
            for (Greedy each : greedy) {
                each.close();
            }
        }
        Collections.sort(answeredMeanwhile);
        long middle = answeredMeanwhile.get(answeredMeanwhile.size() / 2);
        assertTrue(middle < 25L * greedy.size(), answeredMeanwhile.toString());
    }

    /** The approximate number of answers that they have read. */
    private static long answered(List<Greedy> greedy) {
        return greedy.stream().mapToLong(each -> each.bytes.get()).sum() / BYTES_OF_AN_ANSWER;
    }

    /** Sends requests without waiting for answers, and reads the answers meanwhile. */
    private static final class Greedy implements AutoCloseable {
        private static final byte[] REQUESTS =
                "GET /livez HTTP/1.1\r\nHost: a\r\n\r\n".repeat(1_000).getBytes(StandardCharsets.UTF_8);

        private final Socket connection;
        private final CountDownLatch begun = new CountDownLatch(1);
        private final AtomicLong bytes = new AtomicLong();

        Greedy(Socket connection) {
            this.connection = connection;
            start(this::send);
            start(this::read);
        }

        private interface Action {
            void run() throws IOException;
        }

        private static void start(Action action) {
            Thread thread = new Thread(() -> {
                try {
                    action.run();
                } catch (IOException closed) {
                    // The test has ended.
                }
            });
            thread.setDaemon(true);
            thread.start();
        }

        private void send() throws IOException {
            while (true) {
                connection.getOutputStream().write(REQUESTS);
            }
        }

        private void read() throws IOException {
            byte[] answers = new byte[1 << 16];
            for (int read = 0; read >= 0; read = connection.getInputStream().read(answers)) {
                bytes.addAndGet(read);
                if (read > 0) {
                    begun.countDown();
                }
            }
        }

        @Override
        public void close() throws IOException {
            connection.close();
        }
    }

    @Test
    void moreConnectionsThanTheBound_closeThoseThatWereAnsweredLongestAgo() throws Exception {
        List<Socket> slow = new ArrayList<>();
        try (Socket regular = connect()) {
            Socket first = connect();
            slow.add(first);
            assertTrue(livez(regular).startsWith("HTTP/1.1 200"));
            for (int i = 0; i < MAX_CONNECTIONS - 2; i++) {
                slow.add(connect());
            }
            // It was just answered, so it is among the last to be closed.
            assertTrue(livez(regular).startsWith("HTTP/1.1 200"));
            slow.add(connect());
            assertEquals(-1, first.getInputStream().read());
            assertTrue(livez(regular).startsWith("HTTP/1.1 200"));
            assertTrue(scrapeAnew().contains("evenkeel_nodes 0.0"));
        } finally {
            closeAll(slow);
        }
    }

    @Test
    void connectionThatIsNeverDoneWithItsRequest_isClosed() throws Exception {
        try (HttpServer hasty = OperationsPages.start(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                        health,
                        metrics,
                        Duration.ofMillis(400));
                Socket slow = new Socket(InetAddress.getLoopbackAddress(), hasty.port())) {
            slow.setSoTimeout(20);
            slow.getOutputStream().write("GET /livez HTTP/1.1\r\nHost: a\r\n".getBytes(StandardCharsets.UTF_8));
            boolean open = true;
            while (open) {
                try {
                    slow.getOutputStream().write("a: b\r\n".getBytes(StandardCharsets.UTF_8));
                    open = slow.getInputStream().read() >= 0;
                } catch (SocketTimeoutException stillOpen) {
                    open = true;
                } catch (IOException closed) {
                    open = false;
                }
            }
            assertTrue(scrapeAnew().contains("evenkeel_nodes 0.0"));
        }
    }

    private static String livez(Socket connection) throws IOException {
        connection.getOutputStream().write("GET /livez HTTP/1.1\r\nHost: a\r\n\r\n".getBytes(StandardCharsets.UTF_8));
        StringBuilder answer = new StringBuilder();
        while (answer.indexOf("\r\n\r\nok") < 0) {
            int next = connection.getInputStream().read();
            assertFalse(next < 0, () -> "closed after: " + answer);
            answer.append((char) next);
        }
        return answer.toString();
    }

    /** Scrapes over a new connection. */
    private String scrapeAnew() throws IOException {
        try (Socket connection = connect()) {
            connection
                    .getOutputStream()
                    .write("GET /metrics HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
                            .getBytes(StandardCharsets.UTF_8));
            return new String(connection.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private InetSocketAddress address() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), server.port());
    }

    private Socket connect() throws IOException {
        return new Socket(InetAddress.getLoopbackAddress(), server.port());
    }

    private static void closeAll(List<Socket> sockets) throws IOException {
        for (Socket each : sockets) {
            each.close();
        }
    }

    private void assertAnswers(int status, String body, String path) throws Exception {
        HttpResponse<String> response = get(path);
        assertEquals(body, response.body());
        assertEquals(status, response.statusCode());
        assertEquals("text/plain; charset=utf-8", contentType(response).toLowerCase(Locale.ROOT));
    }

    private HttpResponse<String> get(String path) throws Exception {
        return client.send(request(path).build(), BodyHandlers.ofString());
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port() + path));
    }

    private static String contentType(HttpResponse<?> response) {
        return response.headers().firstValue("Content-Type").orElse("");
    }
}
