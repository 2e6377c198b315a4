package io.evenkeel.lab.scheduler;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Map;
import org.junit.jupiter.api.Test;

final class SchedulerMetricsTest {
    private static final Metrics METRICS = Metrics.parse("""
            # HELP calls_total Calls.
            # TYPE calls_total counter
            calls_total{source="a",reason="it said \\"no\\""} 3
            calls_total{source="a",reason=""} 4
            calls_total{source="b",reason=""} 1e+01
            up 1
            took_seconds_bucket{point="Filter",le="0.1"} 0
            took_seconds_bucket{point="Filter",le="0.3"} 10
            took_seconds_bucket{point="Filter",le="+Inf"} 10
            took_seconds_count{point="Filter"} 10
            took_seconds_bucket{point="Score",le="0.1"} 30
            took_seconds_bucket{point="Score",le="0.3"} 30
            took_seconds_bucket{point="Score",le="+Inf"} 40
            took_seconds_count{point="Score"} 40
            """);

    @Test
    void samples_areAddedUp_byTheirLabels() {
        assertEquals(17, METRICS.sum("calls_total", Map.of()));
        assertEquals(7, METRICS.sum("calls_total", Map.of("source", "a")));
        assertEquals(3, METRICS.sum("calls_total", Map.of("reason", "it said \\\"no\\\"")));
        assertEquals(1, METRICS.sum("up", Map.of()));
        assertEquals(0, METRICS.sum("unknown", Map.of()));
        assertEquals(Map.of("a", 7.0, "b", 10.0), METRICS.sums("calls_total", "source"));
    }

    @Test
    void quantiles_areInterpolated_withinTheirBucket() {
        Metrics.Buckets filter = METRICS.histogram("took_seconds", Map.of("point", "Filter"));
        assertEquals(10, filter.count());
        assertEquals(0.2, filter.quantile(0.5), 1e-9);
        assertEquals(0.3, filter.quantile(1), 1e-9);
    }

    @Test
    void quantiles_areTheLastBound_beyondIt() {
        assertEquals(
                0.3, METRICS.histogram("took_seconds", Map.of("point", "Score")).quantile(0.9), 1e-9);
        Metrics.Buckets both = METRICS.histogram("took_seconds", Map.of());
        assertEquals(50, both.count());
        assertEquals(0.1 * 25 / 30, both.quantile(0.5), 1e-9);
        assertEquals(0, METRICS.histogram("unknown", Map.of()).quantile(0.5));
    }

    @Test
    void timeOfPlugins_isThatOfBothPoints_whateverTheirStatus() {
        Metrics scheduler =
                Metrics.parse("""
                DURATION_bucket{extension_point="PreFilter",status="Success",le="0.02"} 0
                DURATION_bucket{extension_point="PreFilter",status="Success",le="0.04"} 3
                DURATION_bucket{extension_point="PreFilter",status="Success",le="+Inf"} 3
                DURATION_bucket{extension_point="PreFilter",status="Unschedulable",le="0.04"} 1
                DURATION_bucket{extension_point="PreFilter",status="Unschedulable",le="+Inf"} 1
                DURATION_bucket{extension_point="PreScore",status="Success",le="0.004"} 4
                DURATION_bucket{extension_point="PreScore",status="Success",le="+Inf"} 4
                DURATION_bucket{extension_point="Filter",status="Success",le="+Inf"} 400
                DURATION_sum{extension_point="PreFilter",status="Success"} 0.1
                DURATION_count{extension_point="PreFilter",status="Success"} 3
                DURATION_sum{extension_point="PreFilter",status="Unschedulable"} 0.04
                DURATION_count{extension_point="PreFilter",status="Unschedulable"} 1
                DURATION_sum{extension_point="PreScore",status="Success"} 0.012
                DURATION_count{extension_point="PreScore",status="Success"} 4
                DURATION_sum{extension_point="Filter",status="Success"} 9
                DURATION_count{extension_point="Filter",status="Success"} 400
                """.replace("DURATION", "scheduler_framework_extension_point_duration_seconds"));
        assertEquals(30 + 2, PluginTime.p50Millis(scheduler), 1e-9);
        assertEquals(35 + 3, PluginTime.meanMillis(scheduler), 1e-9);
        assertEquals(0, PluginTime.p50Millis(METRICS));
        assertEquals(0, PluginTime.meanMillis(METRICS));
    }

    @Test
    void whatHasComeSince_isTheDifference() {
        Metrics later = Metrics.parse("""
                took_seconds_bucket{point="Filter",le="0.1"} 6
                took_seconds_bucket{point="Filter",le="0.3"} 16
                took_seconds_bucket{point="Filter",le="+Inf"} 16
                calls_total{source="new"} 5
                """).since(METRICS);
        Metrics.Buckets filter = later.histogram("took_seconds", Map.of("point", "Filter"));
        assertEquals(6, filter.count());
        assertEquals(0.05, filter.quantile(0.5), 1e-9);
        assertEquals(5, later.sum("calls_total", Map.of()));
    }

    @Test
    void cycles_areCountedByWhoAnswered_andWhy() {
        Metrics scheduler = Metrics.parse("""
                evenkeel_topology_spread_cycles_total{profile="a",source="evenkeel",reason=""} 5
                evenkeel_topology_spread_cycles_total{profile="b",source="evenkeel",reason=""} 1
                evenkeel_topology_spread_cycles_total{profile="a",source="original",reason="deadline"} 2
                evenkeel_topology_spread_answers_total{profile="a",source="evenkeel",reason=""} 9
                """);
        Map<String, Long> cycles = AnswerSources.of(scheduler);
        assertEquals(Map.of("evenkeel", 6L, "deadline", 2L), cycles);
        assertEquals("deadline 2, evenkeel 6", AnswerSources.words(cycles));
        assertEquals(6, AnswerSources.byEvenkeel(cycles));
        assertEquals(0.75, AnswerSources.share(cycles));
        assertEquals(Map.of(), AnswerSources.of(METRICS));
        assertEquals(0, AnswerSources.share(Map.of()));
    }

    @Test
    void comparisons_areCountedByTheirOutcome() {
        Metrics metrics = Metrics.parse("""
                evenkeel_topology_spread_comparisons_total{profile="a",outcome="equal"} 90
                evenkeel_topology_spread_comparisons_total{profile="b",outcome="equal"} 3
                evenkeel_topology_spread_comparisons_total{profile="a",outcome="different"} 2
                evenkeel_topology_spread_comparisons_total{profile="a",outcome="missing"} 5
                """);
        assertEquals(new Comparisons(93, 2, 5), Comparisons.of(metrics));
        assertEquals(0.95, Comparisons.of(metrics).comparedPart(), 1e-9);
        assertEquals(new Comparisons(0, 0, 0), Comparisons.of(METRICS));
        assertEquals(0, Comparisons.of(METRICS).comparedPart());
    }
}
