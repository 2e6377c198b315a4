package io.evenkeel.lab.scheduler;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.evenkeel.loadtest.text.Bounds;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class RaceBoundsTest {
    private static TurnResult turn(
            RaceShape shape, Side side, double podsPerSecond, double pluginP50Millis, int violated) {
        return turn(shape, side, podsPerSecond, pluginP50Millis, violated, null, null, null);
    }

    private static TurnResult turn(
            RaceShape shape,
            Side side,
            double podsPerSecond,
            double pluginP50Millis,
            int violated,
            @Nullable Outage outage,
            @Nullable ShadowOutcomes shadow,
            @Nullable List<Rollout> rollouts) {
        return turn(shape, side, List.of(0.0, 1.0), podsPerSecond, pluginP50Millis, violated, outage, shadow, rollouts);
    }

    private static TurnResult turn(
            RaceShape shape,
            Side side,
            List<Double> boundAtSeconds,
            double podsPerSecond,
            double pluginP50Millis,
            int violated,
            @Nullable Outage outage,
            @Nullable ShadowOutcomes shadow,
            @Nullable List<Rollout> rollouts) {
        return new TurnResult(
                shape.words(),
                side.words(),
                boundAtSeconds.size(),
                boundAtSeconds,
                List.of(),
                podsPerSecond,
                // The mean, which no bound uses.
                pluginP50Millis + 100,
                pluginP50Millis,
                1,
                2,
                new ProcessorTimes(0, 0, 0, 0, 0),
                Collections.nCopies(violated, "a domain"),
                List.of(),
                Map.of(),
                outage,
                shadow,
                rollouts);
    }

    /** The violated bounds of these turns. */
    private static List<String> missed(TurnResult... turns) {
        return RaceBounds.of(Arrays.asList(turns)).stream()
                .filter(bound -> !bound.holds())
                .map(Bounds.Bound::what)
                .toList();
    }

    @Test
    void ratesAndTimes_areComparedWithinAShape() {
        TurnResult stock = turn(RaceShape.HARD, Side.STOCK, 30, 40, 0);
        TurnResult recorded = turn(RaceShape.HARD, Side.RECORDED, 200, 0, 7);
        assertEquals(List.of(), missed(stock, turn(RaceShape.HARD, Side.EVENKEEL, 180, 2, 0), recorded));
        assertEquals(
                List.of(
                        "hard zone + hostname: pods/s with Evenkeel vs recorded",
                        "hard zone + hostname: pods/s with Evenkeel vs stock",
                        "hard zone + hostname: the plugins' p50 vs stock's"),
                missed(stock, turn(RaceShape.HARD, Side.EVENKEEL, 149, 2.1, 0), recorded));
        assertEquals(List.of(), missed(stock, turn(RaceShape.SOFT, Side.EVENKEEL, 10, 30, 0)));
    }

    @Test
    void turnsOfOneSide_areTakenTogether() {
        TurnResult stock = turn(RaceShape.HARD, Side.STOCK, 20, 40, 0);
        TurnResult recorded = turn(RaceShape.HARD, Side.RECORDED, 200, 0, 7);
        TurnResult slow = turn(RaceShape.HARD, Side.EVENKEEL, 150, 2.5, 0);
        String rate = "hard zone + hostname: pods/s with Evenkeel vs recorded";
        // The harmonic mean of 150 and 225 pods/s is 180.
        assertEquals(List.of(), missed(stock, slow, recorded, turn(RaceShape.HARD, Side.EVENKEEL, 226, 1.5, 0)));
        assertEquals(List.of(rate), missed(stock, slow, recorded, turn(RaceShape.HARD, Side.EVENKEEL, 224, 1.5, 0)));
        assertEquals(
                List.of("hard zone + hostname: the plugins' p50 vs stock's"),
                missed(stock, slow, recorded, turn(RaceShape.HARD, Side.EVENKEEL, 226, 1.6, 0)));
    }

    @Test
    void hardConstraints_mayNotBeViolated_andWithChurnNotMoreThanByStock() {
        assertEquals(
                List.of("hard zone + hostname, stock: hard constraints violated"),
                missed(turn(RaceShape.HARD, Side.STOCK, 30, 40, 1)));
        TurnResult stock = turn(RaceShape.MIX, Side.STOCK, 30, 40, 3);
        assertEquals(List.of(), missed(stock, turn(RaceShape.MIX, Side.EVENKEEL, 100, 1, 3)));
        assertEquals(
                List.of("mix with preemption, with Evenkeel: hard constraints violated"),
                missed(stock, turn(RaceShape.MIX, Side.EVENKEEL, 100, 1, 4)));
    }

    @Test
    void outage_isComparedWithStock_andMustEndSoon() {
        TurnResult stock = turn(RaceShape.HARD, Side.STOCK, 30, 40, 0);
        Map<Outage, Integer> missed = Map.of(
                new Outage(10, 15, 20, 200, 30, 24, 27, 5.0), 0,
                new Outage(10, 15, 20, 200, 30, 24, 26, 5.0), 1,
                new Outage(10, 15, 20, 200, 30, 24, 26, 5.1), 2,
                new Outage(10, 15, 20, 200, 30, 24, 27, null), 1);
        missed.forEach((outage, count) -> assertEquals(
                count,
                missed(stock, turn(RaceShape.HARD, Side.KILLED, 100, 1, 0, outage, null, null))
                        .size(),
                outage::toString));
        assertEquals(
                List.of("hard zone + hostname: Evenkeel killed half-way"),
                missed(stock, turn(RaceShape.HARD, Side.KILLED, 100, 1, 0)));
    }

    @Test
    void comparisons_mustBeEqual() {
        ShadowOutcomes equal = new ShadowOutcomes(96, 0, 4);
        ShadowOutcomes different = new ShadowOutcomes(95, 1, 4);
        ShadowOutcomes few = new ShadowOutcomes(94, 0, 6);
        assertEquals(List.of(), shadow(Side.SHADOW, equal));
        assertEquals(List.of("mix under change, in shadow: answers that differ"), shadow(Side.SHADOW, different));
        assertEquals(List.of("mix under change, in shadow: answers that could be compared"), shadow(Side.SHADOW, few));
        assertTrue(shadow(Side.SHADOW, new ShadowOutcomes(0, 0, 0)).size() == 1);
    }

    @Test
    void turnInShadow_isComparedByItsSecondHalf_sinceItsPodsAreCreatedInTheFirst() {
        TurnResult stock = boundAt(Side.STOCK, 0, 1, 2, 3, 4, 5);
        assertEquals(List.of(), missed(stock, boundAt(Side.SHADOW, 0, 3, 6, 7, 8, 9)));
        assertEquals(
                List.of("hard zone + hostname: pods/s in shadow vs stock, in the second half"),
                missed(stock, boundAt(Side.SHADOW, 0, 1, 2, 3, 4.2, 5.4)));
    }

    private static TurnResult boundAt(Side side, double... seconds) {
        List<Double> boundAt = Arrays.stream(seconds).boxed().toList();
        return turn(
                RaceShape.HARD,
                side,
                boundAt,
                TurnResult.rate(boundAt),
                40,
                0,
                null,
                side == Side.SHADOW ? new ShadowOutcomes(6, 0, 0) : null,
                null);
    }

    private static List<String> shadow(Side side, ShadowOutcomes outcomes) {
        return missed(turn(RaceShape.CHANGE, side, 30, 40, 9, null, outcomes, null));
    }

    @Test
    void deployments_mustHaveAllPodsOfTheirNewestTemplate_andNoOthers() {
        Rollout complete = new Rollout("team-00/app-0000", 10, 2, "5d9", 10, 0, "");
        assertEquals(List.of(), rolled(complete, complete));
        List<String> missed = List.of("mix under change, in shadow: Deployments rolled out");
        assertEquals(missed, rolled(complete, new Rollout("team-00/app-0001", 10, 2, "5d9", 9, 0, "")));
        assertEquals(missed, rolled(new Rollout("team-00/app-0001", 10, 2, "5d9", 10, 1, ""), complete));
    }

    private static List<String> rolled(Rollout... rollouts) {
        return missed(turn(RaceShape.CHANGE, Side.SHADOW, 30, 40, 9, null, null, List.of(rollouts)));
    }

    @Test
    void outcomes_areThoseOfTheMetrics() {
        Metrics metrics = Metrics.parse("""
                evenkeel_topology_spread_shadow_outcomes_total{outcome="equal",reason="at_once"} 90
                evenkeel_topology_spread_shadow_outcomes_total{outcome="equal",reason="judged_again"} 5
                evenkeel_topology_spread_shadow_outcomes_total{outcome="not_comparable",reason="late"} 5
                """);
        assertEquals(new ShadowOutcomes(95, 0, 5), ShadowOutcomes.of(metrics));
        assertEquals(0.95, ShadowOutcomes.of(metrics).comparablePart(), 1e-9);
        assertEquals(0, ShadowOutcomes.of(Metrics.parse("")).comparablePart());
    }
}
