package io.evenkeel.loadtest.engine;

import io.evenkeel.loadtest.cluster.IncomingShape;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Lists the figures to measure: those with a bound and a few without one, or every combination. */
final class Figures {
    private static final String MIDDLE = "5000/150000";
    private static final String LARGE = "100000/3000000";
    private static final List<String> CLUSTERS = List.of("1000/30000", MIDDLE, "20000/600000", LARGE);
    private static final List<String> SHAPES = List.of("many", "big");
    private static final List<String> NODE_CHANGES = List.of("comesAndGoes", "zone", "otherLabel", "taint");
    private static final String HARD = IncomingShape.HARD_ZONE_HARD_HOSTNAME.name();
    private static final String SOFT = IncomingShape.SOFT_ZONE_SOFT_HOSTNAME.name();
    private static final String MIXED = IncomingShape.HARD_ZONE_SOFT_HOSTNAME.name();
    private static final String FIVE = IncomingShape.FIVE_CONSTRAINTS.name();

    private final List<Figure> figures = new ArrayList<>();

    private Figures() {}

    /** The figures that are measured by default. */
    static List<Figure> usual() {
        Figures of = new Figures();
        for (String shape : SHAPES) {
            of.answer(MIDDLE, shape, HARD, "evaluate", "all", "event", 600);
            of.answer(MIDDLE, shape, SOFT, "evaluate", "all", "event", 4_000);
            of.answer(MIDDLE, shape, MIXED, "evaluate", "all", "event", 2_000);
            of.answer(MIDDLE, shape, FIVE, "evaluate", "all", "event", 6_000);
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
        of.twoThreads("evaluate");
        of.twoThreads("best1");
        for (String pods : List.of("5000/1500", "5000/15000")) {
            of.answer(pods, "many", HARD, "evaluate", "all", "event", 0);
            of.answer(pods, "many", SOFT, "evaluate", "all", "event", 0);
        }
        of.podBytes(1_000, 600);
        of.podBytes(2_500, 1_200);
        of.embedded(MIDDLE, "many", HARD, "BEST", 2_000);
        of.embedded(MIDDLE, "many", HARD, "PACKED", 2_000);
        of.embedded(MIDDLE, "many", SOFT, "BEST", 2_000);
        // No bound, because this answer has 5,000 scores, for which the engine alone may take twice the bound above.
        of.embedded(MIDDLE, "many", SOFT, "PACKED", 0);
        for (String shape : SHAPES) {
            of.firstSight(MIDDLE, shape, "shared", HARD, 1_000_000);
        }
        of.firstSight(MIDDLE, "many", "own", HARD, 10_000_000);
        of.firstSight(LARGE, "thousands", "shared", HARD, 1_000_000);
        of.add("pod event, counts alone", CountsBenchmark.class, Map.of("cluster", "5000/300", "shape", "many"), 125);
        of.podEvents(MIDDLE, "many");
        for (String change : NODE_CHANGES) {
            of.nodeEvents(MIDDLE, "many", change);
        }
        for (String shape : SHAPES) {
            of.answer(LARGE, shape, HARD, "evaluate", "all", "event", 6_000);
            of.answer(LARGE, shape, SOFT, "evaluate", "all", "event", 60_000);
            of.answer(LARGE, shape, HARD, "best1", "all", "event", 400);
            of.answer(LARGE, shape, SOFT, "best1", "all", "event", 1_000);
            of.nothingFits(LARGE, shape, 5_000);
        }
        return List.copyOf(of.figures);
    }

    /** Every combination of cluster, shape, incoming pod, question and candidates. Measuring all takes hours. */
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
                    of.firstSight(cluster, shape, "shared", pod, 0);
                    for (String form : List.of("BEST", "PACKED", "READABLE")) {
                        of.embedded(cluster, shape, pod, form, 0);
                    }
                }
                of.podEvents(cluster, shape);
                for (String change : NODE_CHANGES) {
                    of.nodeEvents(cluster, shape, change);
                }
            }
        }
        return List.copyOf(of.figures);
    }

    private void answer(
            String cluster, String shape, String pod, String ask, String candidates, String between, long maxNanos) {
        String what = ask + ", " + IncomingShape.valueOf(pod).words()
                + (candidates.equals("all") ? "" : ", of %,d".formatted(Integer.parseInt(candidates)))
                + (between.equals("nothing") ? ", asked again" : "");
        add(what, AnswerBenchmark.class, answers(cluster, shape, pod, ask, candidates, between), maxNanos);
    }

    private static Map<String, String> answers(
            String cluster, String shape, String pod, String ask, String candidates, String between) {
        return Map.of(
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
                between);
    }

    private void nothingFits(String cluster, String shape, long maxNanos) {
        Map<String, String> parameters = new HashMap<>(answers(cluster, shape, HARD, "best1", "all", "event"));
        parameters.put("fits", "none");
        add(
                "best1, " + IncomingShape.valueOf(HARD).words() + ", none fits",
                AnswerBenchmark.class,
                parameters,
                maxNanos);
    }

    private void podBytes(int bytes, long maxNanos) {
        add(
                "plan from a replica's %,d bytes".formatted(bytes),
                PodBytesBenchmark.class,
                Map.of("cluster", MIDDLE, "shape", "many", "pod", HARD, "bytes", Integer.toString(bytes)),
                maxNanos);
    }

    private void embedded(String cluster, String shape, String pod, String form, long maxNanos) {
        add(
                "best16 from bytes, " + IncomingShape.valueOf(pod).words() + ", " + form.toLowerCase(Locale.ROOT),
                EmbeddedBenchmark.class,
                Map.of("cluster", cluster, "shape", shape, "pod", pod, "form", form),
                maxNanos);
    }

    private void firstSight(String cluster, String shape, String labels, String pod, long maxNanos) {
        figures.add(new Figure(
                "first sight, " + IncomingShape.valueOf(pod).words() + (labels.equals("own") ? ", own labels" : ""),
                FirstSightBenchmark.class,
                Map.of("cluster", cluster, "shape", shape, "labels", labels, "pod", pod),
                maxNanos,
                Figure.Kind.FEW_TIMES));
    }

    private void withoutAllocation(String pod) {
        addWithoutAllocation(
                "evaluate, " + IncomingShape.valueOf(pod).words() + ", garbage",
                AnswerBenchmark.class,
                answers(MIDDLE, "many", pod, "evaluate", "all", "other"));
    }

    private void twoThreads(String ask) {
        figures.add(new Figure(
                "2 threads on 1 engine / 2, " + ask + ", soft",
                AnswerBenchmark.class,
                answers(MIDDLE, "many", SOFT, ask, "all", "other"),
                0,
                Figure.Kind.SCALING));
    }

    private void podEvents(String cluster, String shape) {
        add(
                "pod added or deleted, whole store",
                PodEventBenchmark.class,
                Map.of("cluster", cluster, "shape", shape, "change", "addAndDelete"),
                0);
        add(
                "pod relabelled, whole store",
                PodEventBenchmark.class,
                Map.of("cluster", cluster, "shape", shape, "change", "relabel"),
                0);
    }

    private void nodeEvents(String cluster, String shape, String change) {
        add(
                "node event: " + change,
                NodeEventBenchmark.class,
                Map.of("cluster", cluster, "shape", shape, "change", change),
                0);
    }

    private void add(String what, Class<?> benchmark, Map<String, String> parameters, long maxNanos) {
        figures.add(new Figure(what, benchmark, parameters, maxNanos, Figure.Kind.TIMES));
    }

    private void addWithoutAllocation(String what, Class<?> benchmark, Map<String, String> parameters) {
        figures.add(new Figure(what, benchmark, parameters, 0, Figure.Kind.GARBAGE));
    }
}
