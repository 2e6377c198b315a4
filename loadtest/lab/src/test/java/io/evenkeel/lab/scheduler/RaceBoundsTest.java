package io.evenkeel.lab.scheduler;

import static org.junit.jupiter.api.Assertions.assertEquals;

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
            @Nullable Comparisons comparisons,
            @Nullable List<RolloutProgress> rollouts) {
        return new TurnResult(
                shape.words(),
                side.words(),
                2,
                List.of(0.0, 1.0),
                List.of(),
                podsPerSecond,
                // The mean, which no bound uses.
                pluginP50Millis + 100,
                pluginP50Millis,
                1,
                2,
                new ProcessorTimes(0, 0, 0, 0, 0),
                new PeakMemory(0, 0),
                Collections.nCopies(violated, "a domain"),
                List.of(),
                Map.of(),
                outage,
                comparisons,
                rollouts);
    }

    /** The violated bounds of these turns in a large cluster. */
    private static List<String> missed(TurnResult... turns) {
        return missed(true, turns);
    }

    private static List<String> missed(boolean isLarge, TurnResult... turns) {
        return RaceBounds.of(Arrays.asList(turns), isLarge).stream()
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
    void rateInASmallCluster_orWithoutConstraints_isNearlyThatOfStock() {
        TurnResult stock = turn(RaceShape.HARD, Side.STOCK, 100, 1, 0);
        TurnResult recorded = turn(RaceShape.HARD, Side.RECORDED, 200, 0, 7);
        assertEquals(List.of(), missed(false, stock, recorded, turn(RaceShape.HARD, Side.EVENKEEL, 95, 2, 0)));
        assertEquals(
                List.of("hard zone + hostname: pods/s with Evenkeel vs stock"),
                missed(false, stock, recorded, turn(RaceShape.HARD, Side.EVENKEEL, 94, 2, 0)));
        assertEquals(
                List.of("none: pods/s with Evenkeel vs stock"),
                missed(turn(RaceShape.NONE, Side.STOCK, 100, 1, 0), turn(RaceShape.NONE, Side.EVENKEEL, 94, 1, 0)));
    }

    @Test
    void rateUnderLag_isNearlyThatWithout() {
        TurnResult evenkeel = turn(RaceShape.HARD, Side.EVENKEEL, 100, 2, 0);
        assertEquals(List.of(), missed(evenkeel, turn(RaceShape.HARD, Side.LAGGING, 90, 2, 0)));
        assertEquals(
                List.of("hard zone + hostname: pods/s 50 ms behind vs with Evenkeel"),
                missed(evenkeel, turn(RaceShape.HARD, Side.LAGGING, 89, 2, 0)));
    }

    @Test
    void ofTurnsOfOneSide_theMedianCounts() {
        TurnResult stock = turn(RaceShape.HARD, Side.STOCK, 20, 40, 0);
        TurnResult recorded = turn(RaceShape.HARD, Side.RECORDED, 200, 0, 7);
        TurnResult slow = turn(RaceShape.HARD, Side.EVENKEEL, 50, 2.5, 0);
        TurnResult fast = turn(RaceShape.HARD, Side.EVENKEEL, 181, 1.5, 0);
        TurnResult slower = turn(RaceShape.HARD, Side.EVENKEEL, 177, 2.6, 0);
        String rate = "hard zone + hostname: pods/s with Evenkeel vs recorded";
        String time = "hard zone + hostname: the plugins' p50 vs stock's";
        assertEquals(List.of(), missed(stock, recorded, slow, fast, fast));
        assertEquals(List.of(rate, time), missed(stock, recorded, slow, fast, slower));
        // The mean of the middle two is 179.
        assertEquals(List.of(rate), missed(stock, recorded, slow, fast, fast, slower));
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
        Comparisons equal = new Comparisons(96, 0, 4);
        Comparisons different = new Comparisons(95, 1, 4);
        Comparisons few = new Comparisons(94, 0, 6);
        Comparisons none = new Comparisons(0, 0, 0);
        assertEquals(List.of(), compared(Side.SHADOW, equal));
        assertEquals(List.of("mix under change, in shadow: answers that differ"), compared(Side.SHADOW, different));
        assertEquals(List.of("mix under change, in shadow: answers that were compared"), compared(Side.SHADOW, few));
        assertEquals(List.of("mix under change, audited: answers that were compared"), compared(Side.AUDITED, none));
        assertEquals(List.of(), compared(Side.EVENKEEL, none));
        assertEquals(
                List.of("mix under change, with Evenkeel: answers that differ"), compared(Side.EVENKEEL, different));
    }

    private static List<String> compared(Side side, Comparisons comparisons) {
        return missed(turn(RaceShape.CHANGE, side, 30, 40, 9, null, comparisons, null));
    }

    @Test
    void turnInShadow_isNearlyAsFastAsStock() {
        TurnResult stock = turn(RaceShape.HARD, Side.STOCK, 100, 40, 0);
        assertEquals(List.of(), missed(stock, turn(RaceShape.HARD, Side.SHADOW, 95, 40, 0)));
        assertEquals(
                List.of("hard zone + hostname: pods/s in shadow vs stock"),
                missed(stock, turn(RaceShape.HARD, Side.SHADOW, 94, 40, 0)));
    }

    @Test
    void deployments_mustHaveAllPodsOfTheirNewestTemplate_andNoOthers() {
        RolloutProgress complete = new RolloutProgress("team-00/app-0000", 10, 2, "5d9", 10, 0, "");
        assertEquals(List.of(), rolled(complete, complete));
        List<String> missed = List.of("mix under change, in shadow: Deployments rolled out");
        assertEquals(missed, rolled(complete, new RolloutProgress("team-00/app-0001", 10, 2, "5d9", 9, 0, "")));
        assertEquals(missed, rolled(new RolloutProgress("team-00/app-0001", 10, 2, "5d9", 10, 1, ""), complete));
    }

    private static List<String> rolled(RolloutProgress... rollouts) {
        return missed(turn(RaceShape.CHANGE, Side.SHADOW, 30, 40, 9, null, null, List.of(rollouts)));
    }
}
