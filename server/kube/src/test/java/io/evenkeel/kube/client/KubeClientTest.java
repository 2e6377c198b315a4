package io.evenkeel.kube.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests what happens to a connection, with a server that only does what the test says. */
@Timeout(30)
final class KubeClientTest {
    @TempDir
    private Path directory = Path.of("");

    @Test
    void streamThatIsGivenUp_closesItsConnection_thoughNothingComes() throws Exception {
        CompletableFuture<Void> givenUp = new CompletableFuture<>();
        IllegalStateException why = new IllegalStateException("enough");
        CompletableFuture<Void> read = new CompletableFuture<>();
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                KubeClient client = clientOf(server)) {
            CompletableFuture<RuntimeException> thrown = CompletableFuture.supplyAsync(() -> assertThrows(
                    IllegalStateException.class, () -> client.stream("/x", "x/x", listener(givenUp), reader(read))));
            try (Socket connection = server.accept();
                    BufferedReader request = new BufferedReader(
                            new InputStreamReader(connection.getInputStream(), StandardCharsets.ISO_8859_1))) {
                while (!request.readLine().isEmpty()) {
                    // The request headers.
                }
                connection
                        .getOutputStream()
                        .write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n"
                                .getBytes(StandardCharsets.ISO_8859_1));
                read.get();
                givenUp.completeExceptionally(why);
                assertEquals(-1, request.read());
            }
            assertSame(why, thrown.get());
        }
    }

    private KubeClient clientOf(ServerSocket server) throws IOException {
        Path kubeconfig = Files.writeString(directory.resolve("kubeconfig"), """
                apiVersion: v1
                kind: Config
                current-context: here
                contexts: [{name: here, context: {cluster: here}}]
                clusters: [{name: here, cluster: {server: "http://127.0.0.1:%d"}}]
                """.formatted(server.getLocalPort()));
        return ClusterAccess.of(kubeconfig, null).open();
    }

    private static AnswerListener listener(CompletableFuture<?> givenUp) {
        return new AnswerListener() {
            @Override
            public void opened() {}

            @Override
            public CompletableFuture<?> givenUp() {
                return givenUp;
            }
        };
    }

    private static BodyReader reader(CompletableFuture<Void> read) {
        return new BodyReader() {
            @Override
            public void read(byte[] bytes, int from, int to) {
                read.complete(null);
            }

            @Override
            public void end() {}
        };
    }
}
