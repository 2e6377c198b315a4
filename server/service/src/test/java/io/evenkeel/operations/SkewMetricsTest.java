package io.evenkeel.operations;

import static io.evenkeel.placement.Messages.HOSTNAME;
import static io.evenkeel.placement.Messages.ZONE;
import static io.evenkeel.placement.Messages.apply;
import static io.evenkeel.placement.Messages.hard;
import static io.evenkeel.placement.Messages.node;
import static io.evenkeel.placement.Messages.object;
import static io.evenkeel.placement.Messages.pod;
import static io.evenkeel.placement.Messages.soft;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.evenkeel.engine.Await;
import io.evenkeel.service.EvenkeelServer;
import io.evenkeel.service.ServerOptions;
import io.evenkeel.v1.OwnerReference;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.TopologySpreadConstraint;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests the metrics of skew on a server's page. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class SkewMetricsTest {
    private static final Duration PAUSE = Duration.ofMillis(50);

    private final PrometheusMetrics metrics = new PrometheusMetrics();
    private final EvenkeelServer server;
    private final HttpServer pages;
    private final SkewMetrics skew;
    private final HttpClient client = HttpClient.newHttpClient();

    SkewMetricsTest() throws IOException {
        server = EvenkeelServer.start(ServerOptions.onLoopback(0).withMeters(metrics.registry()));
        pages = OperationsPages.start(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), server.health(), metrics);
        skew = SkewMetrics.begin(server.instance(), metrics.registry(), PAUSE);
    }

    @AfterEach
    void stop() {
        skew.close();
        pages.close();
        server.close();
        metrics.close();
    }

    private void feed(Pod... pods) {
        server.instance()
                .clusterState()
                .apply(apply(List.of(pods).stream().map(each -> object(each)).toList()));
    }

    private void feedNodes() {
        server.instance()
                .clusterState()
                .apply(apply(List.of(object(node("a1", "a")), object(node("a2", "a")), object(node("b1", "b")))));
    }

    private static Pod of(String app, int number, String node, TopologySpreadConstraint... constraints) {
        Pod.Builder pod = pod(app + "-" + number, node).toBuilder();
        pod.getMetadataBuilder()
                .putLabels("app", app)
                .addOwnerReferences(OwnerReference.newBuilder()
                        .setApiVersion("apps/v1")
                        .setKind("StatefulSet")
                        .setName(app)
                        .setController(true));
        pod.getSpecBuilder().addAllTopologySpreadConstraints(List.of(constraints));
        return pod.build();
    }

    /** A constraint for the pods of an application. */
    private static TopologySpreadConstraint of(String app, TopologySpreadConstraint constraint) {
        TopologySpreadConstraint.Builder own = constraint.toBuilder();
        own.getLabelSelectorBuilder().clearMatchLabels().putMatchLabels("app", app);
        return own.build();
    }

    private List<String> page() throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + pages.port() + "/metrics"))
                .build();
        return client.send(request, BodyHandlers.ofString())
                .body()
                .lines()
                .filter(line -> line.startsWith("evenkeel_skew_"))
                .toList();
    }

    /** Waits until the page has a line, and returns the metrics of skew. */
    private List<String> awaitLine(String line) throws Exception {
        Await.until(() -> page().contains(line));
        return page();
    }

    @Test
    void worstWorkloads_haveSeries_untilTheyAreEven() throws Exception {
        assertTrue(page().contains("evenkeel_skew_workloads NaN"), page()::toString);
        feedNodes();
        TopologySpreadConstraint zone = of("web", hard(ZONE));
        TopologySpreadConstraint hostname = of("db", soft(HOSTNAME));
        feed(
                of("web", 1, "a1", zone),
                of("web", 2, "a1", zone),
                of("web", 3, "a2", zone),
                of("db", 1, "a1", hostname),
                of("db", 2, "a1", hostname),
                of("even", 1, "a1"),
                of("even", 2, "b1"));
        assertEquals(
                List.of(
                        "evenkeel_skew_excess_pods{constraint=\"hard\"} 2.0",
                        "evenkeel_skew_excess_pods{constraint=\"soft\"} 1.0",
                        "evenkeel_skew_violating_workloads{constraint=\"hard\"} 1.0",
                        "evenkeel_skew_violating_workloads{constraint=\"soft\"} 1.0",
                        "evenkeel_skew_workloads 3.0",
                        "evenkeel_skew_worst_excess_pods{constraint=\"hard\",kind=\"StatefulSet\",name=\"web\","
                                + "namespace=\"shop\",topology_key=\"topology.kubernetes.io/zone\"} 2.0",
                        "evenkeel_skew_worst_excess_pods{constraint=\"soft\",kind=\"StatefulSet\",name=\"db\","
                                + "namespace=\"shop\",topology_key=\"kubernetes.io/hostname\"} 1.0"),
                awaitLine("evenkeel_skew_violating_workloads{constraint=\"hard\"} 1.0"));

        feed(of("web", 4, "b1", zone), of("web", 5, "b1", zone));
        List<String> even = awaitLine("evenkeel_skew_violating_workloads{constraint=\"hard\"} 0.0");
        assertEquals(
                1,
                even.stream()
                        .filter(line -> line.startsWith("evenkeel_skew_worst_excess_pods"))
                        .count());
    }

    @Test
    void onlyTheWorst_haveSeries() throws Exception {
        feedNodes();
        for (int app = 0; app < SkewMetrics.WORST + 5; app++) {
            String name = "app" + app;
            TopologySpreadConstraint zone = of(name, hard(ZONE));
            for (int number = 0; number < 2 + app; number++) {
                feed(of(name, number, "a1", zone));
            }
        }
        List<String> page = awaitLine("evenkeel_skew_violating_workloads{constraint=\"hard\"} 25.0");
        assertEquals(25 * 13.0, Double.parseDouble(value(page, "evenkeel_skew_excess_pods{constraint=\"hard\"} ")));
        List<String> worst = page.stream()
                .filter(line -> line.startsWith("evenkeel_skew_worst_excess_pods"))
                .toList();
        assertEquals(SkewMetrics.WORST, worst.size());
        assertEquals(
                "6.0",
                worst.stream()
                        .map(line -> Double.valueOf(line.substring(line.lastIndexOf(' ') + 1)))
                        .collect(Collectors.toCollection(TreeSet::new))
                        .first()
                        .toString());
    }

    private static String value(List<String> page, String start) {
        return page.stream()
                .filter(line -> line.startsWith(start))
                .findFirst()
                .orElseThrow()
                .substring(start.length());
    }
}
