package io.evenkeel.kube;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.sun.net.httpserver.HttpServer;
import io.evenkeel.kube.client.ApiException;
import io.evenkeel.kube.client.ClusterAccess;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class SharedClientTest {
    private static final byte[] NOTHING = {};

    @TempDir
    private Path directory;

    @Test
    void requestInProgress_isNotAborted_byTheFailureOfAnother() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch answer = new CountDownLatch(1);
        ExecutorService threads = Executors.newCachedThreadPool();
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(threads);
        server.createContext("/", exchange -> {
            int status = Integer.parseInt(exchange.getRequestURI().getPath().substring(1));
            try {
                if (status == 200) {
                    begun.countDown();
                    answer.await();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            byte[] body = "said".getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(status, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        server.start();
        try (SharedClient client =
                new SharedClient(ClusterAccess.of(kubeconfig(server.getAddress().getPort()), null))) {
            CompletableFuture<byte[]> slow = CompletableFuture.supplyAsync(
                    () -> {
                        try {
                            return client.post("/200", "application/json", NOTHING);
                        } catch (Exception e) {
                            throw new IllegalStateException(e);
                        }
                    },
                    threads);
            begun.await();
            for (int status : new int[] {401, 500, 401}) {
                ApiException refused =
                        assertThrows(ApiException.class, () -> client.post("/" + status, "application/json", NOTHING));
                assertEquals(status, refused.status());
            }
            answer.countDown();
            assertEquals("said", new String(slow.get(), StandardCharsets.UTF_8));
        } finally {
            server.stop(0);
            threads.shutdownNow();
        }
    }

    private Path kubeconfig(int port) throws Exception {
        return Files.writeString(directory.resolve("kubeconfig"), """
                apiVersion: v1
                kind: Config
                current-context: c
                clusters: [{name: c, cluster: {server: "http://127.0.0.1:%d"}}]
                users: [{name: u, user: {token: t}}]
                contexts: [{name: c, context: {cluster: c, user: u}}]
                """.formatted(port));
    }
}
