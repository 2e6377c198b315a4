package io.evenkeel.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.evenkeel.client.remote.RemotePlacement;
import io.evenkeel.service.EvenkeelServer;
import io.evenkeel.service.ServerOptions;
import io.evenkeel.v1.ClusterObject;
import io.evenkeel.v1.EvaluateRequest;
import io.evenkeel.v1.Node;
import io.evenkeel.v1.ObjectMeta;
import io.evenkeel.v1.Pod;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Cuts connections between the headers of a response and its message. gRPC itself does not retry such calls. */
@Timeout(60)
final class CutAnswerTest {
    private static final EvaluateRequest QUESTION = Query.of(Pod.newBuilder()
                    .setMetadata(ObjectMeta.newBuilder().setNamespace("shop"))
                    .build())
            .best(1)
            .toEvaluate();

    private EvenkeelServer server;
    private CuttingProxy proxy;

    /** Passes bytes between clients and a server, and closes a connection once a response has begun. */
    private static final class CuttingProxy implements AutoCloseable {
        private static final int FRAME_HEADER = 9;
        private static final int HEADERS = 1;
        private static final int END_STREAM = 1;

        private final ServerSocket listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        private final int serverPort;
        private final AtomicInteger cutsLeft = new AtomicInteger();

        CuttingProxy(int serverPort) throws IOException {
            this.serverPort = serverPort;
            begin(this::accept);
        }

        private interface Step {
            void run() throws IOException;
        }

        private static void begin(Step step) {
            Thread thread = new Thread(() -> {
                try {
                    step.run();
                } catch (EOFException | SocketException e) {
                    // The connection has ended.
                } catch (IOException e) {
                    throw new AssertionError(e);
                }
            });
            thread.setDaemon(true);
            thread.start();
        }

        private void accept() throws IOException {
            while (true) {
                Socket client = listener.accept();
                Socket behind = new Socket(listener.getInetAddress(), serverPort);
                begin(() -> {
                    try (client;
                            behind) {
                        client.getInputStream().transferTo(behind.getOutputStream());
                    }
                });
                begin(() -> {
                    try {
                        answer(new DataInputStream(behind.getInputStream()), client.getOutputStream());
                    } finally {
                        // The client reads what was sent to it, and then closes the connection.
                        client.shutdownOutput();
                    }
                });
            }
        }

        private void answer(DataInputStream frames, OutputStream client) throws IOException {
            byte[] header = new byte[FRAME_HEADER];
            boolean cut = false;
            while (!cut) {
                frames.readFully(header);
                byte[] body = new byte[(header[0] & 0xff) << 16 | (header[1] & 0xff) << 8 | header[2] & 0xff];
                frames.readFully(body);
                client.write(header);
                client.write(body);
                client.flush();
                cut = header[3] == HEADERS
                        && (header[4] & END_STREAM) == 0
                        && cutsLeft.getAndUpdate(left -> Math.max(0, left - 1)) > 0;
            }
        }

        void cut(int answers) {
            cutsLeft.set(answers);
        }

        RemotePlacement.Builder client() {
            return RemotePlacement.builder("127.0.0.1:" + listener.getLocalPort());
        }

        @Override
        public void close() throws IOException {
            listener.close();
        }
    }

    @BeforeEach
    void start() throws IOException {
        server = EvenkeelServer.start(ServerOptions.onLoopback(0));
        ClusterObject node = ClusterObjects.of(Node.newBuilder()
                .setMetadata(ObjectMeta.newBuilder().setName("node-a").setUid("uid-of-node-a"))
                .build());
        try (PlacementClient own = RemotePlacement.connect("127.0.0.1:" + server.port());
                ClusterFeed feed = own.feed()) {
            feed.snapshot(List.of(node).iterator());
        }
        proxy = new CuttingProxy(server.port());
    }

    @AfterEach
    void stop() throws IOException {
        proxy.close();
        server.close();
    }

    @Test
    void callsAreMadeAgain_whileTheirAnswersAreCutOff() throws Exception {
        try (PlacementClient client = proxy.client().build()) {
            proxy.cut(3);
            assertTrue(client.evaluate(QUESTION).getAnswers(0).hasReadable());
            proxy.cut(3);
            assertTrue(client.async().evaluate(QUESTION).get().getAnswers(0).hasReadable());
        }
    }

    @Test
    void callsFail_whenTheirAnswersAreCutOffAsOftenAsTheyMayBeMade() throws Exception {
        try (PlacementClient client = proxy.client().attempts(2).build()) {
            proxy.cut(2);
            assertUnavailable(assertThrows(PlacementException.class, () -> client.evaluate(QUESTION)));
            proxy.cut(2);
            CompletionException failed = assertThrows(
                    CompletionException.class,
                    () -> client.async().evaluate(QUESTION).join());
            assertUnavailable(assertInstanceOf(PlacementException.class, failed.getCause()));
            assertEquals(0, proxy.cutsLeft.get());
        }
    }

    @Test
    void callsAreMadeOnce_ifNoRetriesAreWanted() throws Exception {
        try (PlacementClient client = proxy.client().attempts(1).build()) {
            proxy.cut(1);
            assertUnavailable(assertThrows(PlacementException.class, () -> client.evaluate(QUESTION)));
            assertTrue(client.evaluate(QUESTION).getAnswers(0).hasReadable());
        }
    }

    private static void assertUnavailable(PlacementException failure) {
        assertEquals(ErrorCode.UNAVAILABLE, failure.code());
    }
}
