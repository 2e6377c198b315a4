package io.evenkeel.loadtest.engine;

import io.evenkeel.loadtest.cluster.Spread;
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
    private static final Spread HARD = Spread.HARD_ZONE_HARD_HOSTNAME;
    private static final Spread SOFT = Spread.SOFT_ZONE_SOFT_HOSTNAME;

    private final List<Figure> figures = new ArrayList<>();

    private Figures() {}

    /** The figures that are measured by default. */
    static List<Figure> usual() {
        Figures of = new Figures();
        for (String shape : SHAPES) {
            of.answer(MIDDLE, shape, HARD, "evaluate", "all", 600);
            of.answer(MIDDLE, shape, SOFT, "evaluate", "all", 4_000);
            of.answer(MIDDLE, shape, Spread.HARD_ZONE_SOFT_HOSTNAME, "evaluate", "all", 2_000);
            of.answer(MIDDLE, shape, Spread.FIVE_CONSTRAINTS, "evaluate", "all", 6_000);
            of.answer(MIDDLE, shape, HARD, "best1", "all", 200);
            of.answer(MIDDLE, shape, SOFT, "best1", "all", 500);
            for (String candidates : List.of("500", "4000")) {
                of.answer(MIDDLE, shape, HARD, "evaluate", candidates, 1_000);
                of.answer(MIDDLE, shape, SOFT, "evaluate", candidates, 12_000);
            }
        }
        for (Spread pod : List.of(HARD, SOFT)) {
            of.fitting(pod, "ENTERABLE", "100m", "enterable");
            of.fitting(pod, "FITTING", "100m", "fitting");
            of.fitting(pod, "FITTING", "6", "few fit");
        }
        of.answer("evaluate, " + SOFT.words() + ", asked again", SOFT, "evaluate", "nothing", 150, Figure.Kind.TIMES);
        of.answer(MIDDLE, "many", Spread.DEFAULTS_WITHOUT_OWNER, "evaluate", "all", 100);
        for (Spread pod : List.of(HARD, SOFT)) {
            of.answer("evaluate, " + pod.words() + ", garbage", pod, "evaluate", "other", 0, Figure.Kind.GARBAGE);
        }
        for (String ask : List.of("evaluate", "best1")) {
            of.answer("2 threads on 1 engine / 2, " + ask + ", soft", SOFT, ask, "other", 0, Figure.Kind.SCALING);
        }
        for (String cluster : List.of("5000/1500", "5000/15000")) {
            of.answer(cluster, "many", HARD, "evaluate", "all", 0);
            of.answer(cluster, "many", SOFT, "evaluate", "all", 0);
        }
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
        for (String shape : SHAPES) {
            of.answer(LARGE, shape, HARD, "evaluate", "all", 6_000);
            of.answer(LARGE, shape, SOFT, "evaluate", "all", 60_000);
            of.answer(LARGE, shape, HARD, "best1", "all", 400);
            of.answer(LARGE, shape, SOFT, "best1", "all", 1_000);
            Map<String, String> noneFits = answers(LARGE, shape, HARD, "best1", "all", "event");
            noneFits.put("fits", "none");
            of.times("best1, " + HARD.words() + ", none fits", AnswerBenchmark.class, noneFits, 5_000);
        }
        return List.copyOf(of.figures);
    }

    /** Every combination of cluster, shape, incoming pod, question and candidates. Measuring all takes hours. */
    static List<Figure> all() {
        Figures of = new Figures();
        for (String cluster : CLUSTERS) {
            for (String shape : SHAPES) {
                for (Spread pod : Spread.values()) {
                    for (String candidates : List.of("all", "500", "4000")) {
                        for (String ask : List.of("filter", "score", "evaluate", "best1", "best16")) {
                            of.answer(cluster, shape, pod, ask, candidates, 0);
                        }
                    }
                }
                for (Spread pod : List.of(HARD, SOFT)) {
                    of.firstSight(cluster, shape, "shared", pod, 0);
                    for (String form : List.of("BEST", "PACKED", "READABLE")) {
                        of.embedded(cluster, shape, pod, form, 0);
                    }
                }
            }
        }
        return List.copyOf(of.figures);
    }

    private void answer(String cluster, String shape, Spread pod, String ask, String candidates, long maxNanos) {
        times(
                ask + ", " + pod.words()
                        + (candidates.equals("all") ? "" : ", of %,d".formatted(Integer.parseInt(candidates))),
                AnswerBenchmark.class,
                answers(cluster, shape, pod, ask, candidates, "event"),
                maxNanos);
    }

    /** A figure about the rules before the constraints, which are compared with one another. */
    private void fitting(Spread pod, String rules, String cpu, String what) {
        Map<String, String> parameters = answers(MIDDLE, "many", pod, "evaluate", "all", "event");
        parameters.putAll(Map.of("resources", "yes", "rules", rules, "cpu", cpu));
        times("evaluate, " + pod.words() + ", " + what, AnswerBenchmark.class, parameters, 0);
    }

    /** A figure about all nodes of the middle cluster. */
    private void answer(String what, Spread pod, String ask, String between, long maxNanos, Figure.Kind kind) {
        Map<String, String> parameters = answers(MIDDLE, "many", pod, ask, "all", between);
        figures.add(new Figure(what, AnswerBenchmark.class, parameters, maxNanos, kind));
    }

    private static Map<String, String> answers(
            String cluster, String shape, Spread pod, String ask, String candidates, String between) {
        Map<String, String> parameters =
                new HashMap<>(Map.of("cluster", cluster, "shape", shape, "pod", pod.name(), "ask", ask));
        parameters.put("candidates", candidates);
        parameters.put("between", between);
        return parameters;
    }

    private void embedded(String cluster, String shape, Spread pod, String form, long maxNanos) {
        times(
                "best16 from bytes, " + pod.words() + ", " + form.toLowerCase(Locale.ROOT),
                EmbeddedBenchmark.class,
                Map.of("cluster", cluster, "shape", shape, "pod", pod.name(), "form", form),
                maxNanos);
    }

    private void firstSight(String cluster, String shape, String labels, Spread pod, long maxNanos) {
        figures.add(new Figure(
                "first sight, " + pod.words() + (labels.equals("own") ? ", own labels" : ""),
                FirstSightBenchmark.class,
                Map.of("cluster", cluster, "shape", shape, "labels", labels, "pod", pod.name()),
                maxNanos,
                Figure.Kind.FEW_TIMES));
    }

    private void times(String what, Class<?> benchmark, Map<String, String> parameters, long maxNanos) {
        figures.add(new Figure(what, benchmark, parameters, maxNanos, Figure.Kind.TIMES));
    }
}
