package io.evenkeel.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.evenkeel.access.TestAuthority;
import io.evenkeel.commands.Evenkeel;
import io.evenkeel.engine.Await;
import io.evenkeel.v1.EvaluateRequest;
import io.evenkeel.v1.FilterRequest;
import io.evenkeel.v1.PlacementGrpc;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.ScoreRequest;
import io.evenkeel.v1.WhatIfRequest;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Checks the alerts and the dashboard with Prometheus' own parser against the metrics of a server that was called. */
@Tag("go")
final class MonitoringTest {
    private static final Path CLUSTER = Path.of("../placement/src/test/resources/real/cluster.json.gz");

    @TempDir
    private Path directory = Path.of("");

    @Test
    void alertsAndDashboard_readMetricsOfAServer_andEachAlertHasARunbook() throws Exception {
        Path page = Files.writeString(directory.resolve("page.txt"), pageOfACalledServer());
        Process go = new ProcessBuilder("go", "test", "-trimpath", "-count=1", ".", "-page=" + page)
                .directory(Path.of("monitoring").toFile())
                .inheritIO()
                .start();
        assertEquals(0, go.waitFor());
    }

    private String write(String name, String text) throws IOException {
        return Files.writeString(directory.resolve(name), text).toString();
    }

    private String pageOfACalledServer() throws Exception {
        TestAuthority authority = new TestAuthority("authority");
        TestAuthority.Issued certificate = authority.issue("server", "127.0.0.1");
        Path socket = directory.resolve("e.sock");
        // The certificate has a metric, although the socket does not use TLS. A small heap is soon collected.
        Process process = ForkedJava.of(
                        List.of("-Xmx128m"),
                        Evenkeel.class,
                        List.of(
                                "serve",
                                "--listen=unix:" + socket,
                                "--tls-cert=" + write("tls.crt", certificate.certificatePem()),
                                "--tls-key=" + write("tls.key", certificate.keyPem()),
                                "--access="
                                        + write("access.yaml", "rules: [{socket: %s, may: [ask]}]".formatted(socket)),
                                "--metrics=127.0.0.1:0",
                                "--skew-metrics=1s",
                                "--cluster=" + CLUSTER))
                .start();
        try (BufferedReader out = process.inputReader();
                BufferedReader err = process.errorReader()) {
            String listens = Objects.requireNonNull(out.readLine());
            String metrics;
            do {
                metrics = Objects.requireNonNull(err.readLine());
            } while (!metrics.endsWith("/metrics"));
            callEachMethod(listens.substring(listens.lastIndexOf(' ') + 1));
            HttpRequest request = HttpRequest.newBuilder(URI.create(metrics.substring(metrics.indexOf("http://"))))
                    .build();
            HttpClient client = HttpClient.newHttpClient();
            // Skew is counted in the background, and a call is counted after its answer is sent.
            Await.until(() -> {
                String page = client.send(request, BodyHandlers.ofString()).body();
                return page.contains("evenkeel_skew_worst_excess_pods{")
                        && page.contains("_count{method=\"WhatIf\"")
                        && page.contains("jvm_gc_pause_seconds_sum{");
            });
            return client.send(request, BodyHandlers.ofString()).body();
        } finally {
            process.destroyForcibly().waitFor();
        }
    }

    private static void callEachMethod(String address) throws Exception {
        ManagedChannel channel = Grpc.newChannelBuilder(address, InsecureChannelCredentials.create())
                .build();
        try {
            PlacementGrpc.PlacementBlockingV2Stub placement = PlacementGrpc.newBlockingV2Stub(channel);
            Pod pod = Pod.getDefaultInstance();
            placement.filter(FilterRequest.newBuilder().addPods(pod).build());
            placement.score(ScoreRequest.newBuilder().addPods(pod).build());
            placement.evaluate(EvaluateRequest.newBuilder().addPods(pod).build());
            placement.whatIf(WhatIfRequest.newBuilder().setPod(pod).build());
        } finally {
            channel.shutdownNow();
        }
    }
}
