package io.evenkeel.loadtest.engine;

import io.evenkeel.engine.CountsBenchmark;
import io.evenkeel.loadtest.cluster.IncomingShape;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The figures that are measured: those of the table in the README, and every combination. */
final class Figures {
    private static final String MIDDLE = "5000/150000";
    private static final String LARGE = "100000/3000000";
    private static final List<String> CLUSTERS = List.of("1000/30000", MIDDLE, "20000/600000", LARGE);
    private static final List<String> SHAPES = List.of("many", "big");
    private static final List<String> NODE_CHANGES = List.of("comesAndGoes", "zone", "otherLabel", "taint");
    private static final String HARD = IncomingShape.HARD_ZONE_HARD_HOSTNAME.name();
    private static final String SOFT = IncomingShape.SOFT_ZONE_SOFT_HOSTNAME.name();

    private final List<Figure> figures = new ArrayList<>();

    private Figures() {}

    /** Those of the table in the README. */
    static List<Figure> ofTheTable() {
        Figures of = new Figures();
        for (String shape : SHAPES) {
            of.answer(MIDDLE, shape, HARD, "evaluate", "all", "event", 600);
            of.answer(MIDDLE, shape, SOFT, "evaluate", "all", "event", 4_000);
            of.answer(MIDDLE, shape, HARD, "best1", "all", "event", 200);
            of.answer(MIDDLE, shape, SOFT, "best1", "all", "event", 500);
            for (String candidates : List.of("500", "4000")) {
                of.answer(MIDDLE, shape, HARD, "evaluate", candidates, "event", 1_000);
                of.answer(MIDDLE, shape, SOFT, "evaluate", candidates, "event", 12_000);
            }
        }
        of.answer(MIDDLE, "many", SOFT, "evaluate", "all", "nothing", 150);
        of.answer(MIDDLE, "many", IncomingShape.DEFAULTS_WITHOUT_OWNER.name(), "evaluate", "all", "event", 100);
        of.withoutAllocation(HARD);
        of.withoutAllocation(SOFT);
        for (String pods : List.of("5000/1500", "5000/15000", MIDDLE)) {
            of.answer(pods, "many", HARD, "evaluate", "all", "event", 0);
            of.answer(pods, "many", SOFT, "evaluate", "all", "event", 0);
        }
        for (String shape : SHAPES) {
            of.add(
                    "first sight, hard zone + hard hostname",
                    FirstSightBenchmark.class,
                    Map.of("cluster", MIDDLE, "shape", shape, "pod", HARD),
                    1_000_000);
        }
        of.add("pod event, counts alone", CountsBenchmark.class, Map.of("cluster", "5000/300", "shape", "many"), 125);
        of.podEvents(MIDDLE, 500);
        of.add(
                "pod relabelled, whole store",
                PodEventBenchmark.class,
                Map.of("cluster", MIDDLE, "shape", "many", "change", "relabel"),
                0);
        for (String change : NODE_CHANGES) {
            of.nodeEvents(MIDDLE, "many", change);
        }
        of.podEvents(LARGE, 1_667);
        for (String shape : SHAPES) {
            of.answer(LARGE, shape, HARD, "evaluate", "all", "event", 6_000);
            of.answer(LARGE, shape, SOFT, "evaluate", "all", "event", 60_000);
            of.answer(LARGE, shape, HARD, "best1", "all", "event", 400);
            of.answer(LARGE, shape, SOFT, "best1", "all", "event", 1_000);
        }
        return List.copyOf(of.figures);
    }

    /** Every combination of cluster, shape, incoming pod, question and candidates. Takes hours. */
    static List<Figure> all() {
        Figures of = new Figures();
        for (String cluster : CLUSTERS) {
            for (String shape : SHAPES) {
                for (IncomingShape pod : IncomingShape.values()) {
                    for (String candidates : List.of("all", "500", "4000")) {
                        for (String ask : List.of("filter", "score", "evaluate", "best1", "best16")) {
                            of.answer(cluster, shape, pod.name(), ask, candidates, "event", 0);
                        }
                    }
                }
                for (String pod : List.of(HARD, SOFT)) {
                    of.add(
                            "first sight, " + IncomingShape.valueOf(pod).words(),
                            FirstSightBenchmark.class,
                            Map.of("cluster", cluster, "shape", shape, "pod", pod),
                            0);
                }
                for (String change : NODE_CHANGES) {
                    of.nodeEvents(cluster, shape, change);
                }
            }
        }
        return List.copyOf(of.figures);
    }

    private void answer(
            String cluster, String shape, String pod, String ask, String candidates, String between, long mostNanos) {
        String what = ask + ", " + IncomingShape.valueOf(pod).words()
                + (candidates.equals("all") ? "" : ", of " + candidates + " nodes")
                + (between.equals("nothing") ? ", asked again" : "");
        add(
                what,
                AnswerBenchmark.class,
                Map.of(
                        "cluster",
                        cluster,
                        "shape",
                        shape,
                        "pod",
                        pod,
                        "ask",
                        ask,
                        "candidates",
                        candidates,
                        "between",
                        between),
                mostNanos);
    }

    private void withoutAllocation(String pod) {
        addWithoutAllocation(
                "evaluate, " + IncomingShape.valueOf(pod).words() + ", garbage",
                AnswerBenchmark.class,
                Map.of(
                        "cluster",
                        MIDDLE,
                        "shape",
                        "many",
                        "pod",
                        pod,
                        "ask",
                        "evaluate",
                        "candidates",
                        "all",
                        "between",
                        "other"));
    }

    private void podEvents(String cluster, long mostNanos) {
        Map<String, String> parameters = Map.of("cluster", cluster, "shape", "many", "change", "addAndDelete");
        add("pod added or deleted, whole store", PodEventBenchmark.class, parameters, mostNanos);
        addWithoutAllocation("pod added or deleted, garbage", PodEventBenchmark.class, parameters);
    }

    private void nodeEvents(String cluster, String shape, String change) {
        add(
                "node event: " + change,
                NodeEventBenchmark.class,
                Map.of("cluster", cluster, "shape", shape, "change", change),
                0);
    }

    private void add(String what, Class<?> benchmark, Map<String, String> parameters, long mostNanos) {
        figures.add(new Figure(what, benchmark, parameters, mostNanos, false));
    }

    private void addWithoutAllocation(String what, Class<?> benchmark, Map<String, String> parameters) {
        figures.add(new Figure(what, benchmark, parameters, 0, true));
    }
}
