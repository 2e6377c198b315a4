package io.evenkeel.lab.scheduler;

import io.evenkeel.loadtest.text.Bounds;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;

/**
 * Checks each figure of a race against its bound. Ratios compare turns of one race. If a side has several turns with a
 * shape, their median counts. A missing measurement in a turn violates its bound. Bounds that need a side without a
 * turn are skipped.
 */
final class RaceBounds {
    private static final Set<RaceShape> FAST = Set.of(RaceShape.HARD, RaceShape.SOFT, RaceShape.DEFAULTS);
    private static final double OF_RECORDED = 0.9;
    private static final double TIMES_STOCK = 5;
    private static final double OF_STOCK = 0.95;
    private static final double OF_NOT_LAGGING = 0.9;
    private static final double PLUGIN_PART = 1.0 / 20;
    private static final double AWAY_OF_STOCK = 0.9;
    private static final double MAX_SECONDS_TO_FULL_RATE = 5;
    private static final int MAX_NAMED = 3;
    private static final double COMPARED = 0.95;

    private final List<TurnResult> turns;
    private final boolean isLarge;
    private final List<Bounds.Bound> bounds = new ArrayList<>();

    private RaceBounds(List<TurnResult> turns, boolean isLarge) {
        this.turns = turns;
        this.isLarge = isLarge;
    }

    /** @param isLarge whether the cluster is so large that most of the time is spent on constraints without Evenkeel */
    static List<Bounds.Bound> of(List<TurnResult> turns, boolean isLarge) {
        RaceBounds all = new RaceBounds(turns, isLarge);
        turns.forEach(turn -> {
            all.boundAndRecounted(turn);
            all.comparedWithOriginal(turn);
            all.rolled(turn);
        });
        for (RaceShape shape : RaceShape.values()) {
            all.compared(shape);
        }
        return all.bounds;
    }

    private void boundAndRecounted(TurnResult turn) {
        String who = turn.shape() + ", " + turn.side();
        add(
                who + ": bound",
                turn.bound() + " of " + turn.toBind() + unbound(turn),
                "all",
                turn.bound() == turn.toBind());
        if (turn.side().equals(Side.RECORDED.words())) {
            // Its verdicts were recorded from a different history.
            return;
        }
        int violated = turn.violated().size();
        if (turn.shape().equals(RaceShape.CHANGE.words())) {
            // Nodes that change their zone violate constraints that held before.
            return;
        }
        if (!turn.shape().equals(RaceShape.MIX.words())) {
            add(who + ": hard constraints violated", Integer.toString(violated), "0", violated == 0);
        } else if (!turn.side().equals(Side.STOCK.words())) {
            OptionalInt stock = turns(RaceShape.MIX, Side.STOCK).stream()
                    .mapToInt(of -> of.violated().size())
                    .max();
            if (stock.isPresent()) {
                int most = stock.getAsInt();
                add(who + ": hard constraints violated", violated + ", stock " + most, "no more", violated <= most);
            }
        }
        boolean isBesideStock = !turns(turn.shape(), Side.STOCK).isEmpty();
        if (isBesideStock && !turn.side().equals(Side.STOCK.words())) {
            int beyond = turn.softBeyondStock().size();
            add(who + ": soft skews above stock's + maxSkew", Integer.toString(beyond), "0", beyond == 0);
        }
    }

    private void comparedWithOriginal(TurnResult turn) {
        Comparisons comparisons = turn.comparisons();
        if (comparisons == null) {
            return;
        }
        String who = turn.shape() + ", " + turn.side();
        add(
                who + ": answers that differ",
                comparisons.different() + " of " + comparisons.compared(),
                "0",
                comparisons.different() == 0);
        if (Side.comparingAll().contains(turn.side())) {
            add(
                    who + ": answers that were compared",
                    RaceReport.percent(comparisons.comparedPart()),
                    ">= 95%",
                    comparisons.comparedPart() >= COMPARED);
        }
    }

    private void rolled(TurnResult turn) {
        List<RolloutProgress> rollouts = turn.rollouts();
        if (rollouts != null) {
            long complete =
                    rollouts.stream().filter(RolloutProgress::isComplete).count();
            add(
                    turn.shape() + ", " + turn.side() + ": Deployments rolled out",
                    complete + " of " + rollouts.size(),
                    "all",
                    complete == rollouts.size());
        }
    }

    private void compared(RaceShape shape) {
        if (isLarge && FAST.contains(shape)) {
            rate(shape, Side.EVENKEEL, Side.RECORDED, OF_RECORDED);
            rate(shape, Side.EVENKEEL, Side.STOCK, TIMES_STOCK);
            if (ran(shape, Side.EVENKEEL) && ran(shape, Side.STOCK)) {
                double evenkeels = median(shape, Side.EVENKEEL, TurnResult::pluginP50Millis);
                double stocks = median(shape, Side.STOCK, TurnResult::pluginP50Millis);
                add(
                        shape.words() + ": the plugins' p50 vs stock's",
                        RaceReport.decimal(evenkeels) + " vs " + RaceReport.decimal(stocks) + " ms",
                        "<= 1/20",
                        evenkeels > 0 && evenkeels <= PLUGIN_PART * stocks);
            }
        } else {
            rate(shape, Side.EVENKEEL, Side.STOCK, OF_STOCK);
        }
        rate(shape, Side.LAGGING, Side.EVENKEEL, OF_NOT_LAGGING);
        rate(shape, Side.SHADOW, Side.STOCK, OF_STOCK);
        for (TurnResult killed : turns(shape, Side.KILLED)) {
            Outage outage = killed.outage();
            if (outage == null) {
                add(shape.words() + ": Evenkeel killed half-way", "it was not", "it is", false);
            } else {
                if (ran(shape, Side.STOCK)) {
                    double stock = median(shape, Side.STOCK, TurnResult::podsPerSecond);
                    add(
                            shape.words() + ": pods/s while Evenkeel is away vs stock",
                            compared(outage.podsPerSecondAway(), stock)
                                    + " (dead %s, starting %s)"
                                            .formatted(
                                                    RaceReport.decimal(outage.podsPerSecondDead()),
                                                    RaceReport.decimal(outage.podsPerSecondStarting())),
                            ">= 0.9",
                            stock > 0 && outage.podsPerSecondAway() >= AWAY_OF_STOCK * stock);
                }
                Double toFull = outage.secondsToFullRate();
                add(
                        shape.words() + ": seconds to full rate after it is back",
                        toFull == null ? "not in this turn" : RaceReport.decimal(toFull),
                        "<= 5",
                        toFull != null && toFull <= MAX_SECONDS_TO_FULL_RATE);
            }
        }
    }

    /** The first unbound pods, as text. */
    private static String unbound(TurnResult turn) {
        return turn.unbound().isEmpty()
                ? ""
                : turn.unbound().stream().limit(MAX_NAMED).collect(Collectors.joining("; ", "; ", ""));
    }

    private void rate(RaceShape shape, Side side, Side compared, double atLeast) {
        if (ran(shape, side) && ran(shape, compared)) {
            double rate = median(shape, side, TurnResult::podsPerSecond);
            double other = median(shape, compared, TurnResult::podsPerSecond);
            add(
                    shape.words() + ": pods/s " + side.words() + " vs " + compared.words(),
                    compared(rate, other),
                    ">= " + atLeast,
                    rate > 0 && other > 0 && rate >= atLeast * other);
        }
    }

    private boolean ran(RaceShape shape, Side side) {
        return !turns(shape, side).isEmpty();
    }

    private double median(RaceShape shape, Side side, ToDoubleFunction<TurnResult> figure) {
        return TurnResult.median(turns(shape, side), figure);
    }

    private static String compared(double rate, double other) {
        return RaceReport.decimal(rate) + " vs " + RaceReport.decimal(other) + ": " + RaceReport.decimal(rate / other)
                + "x";
    }

    private List<TurnResult> turns(RaceShape shape, Side side) {
        return turns(shape.words(), side);
    }

    private List<TurnResult> turns(String shape, Side side) {
        return turns.stream()
                .filter(turn -> turn.shape().equals(shape) && turn.side().equals(side.words()))
                .toList();
    }

    private void add(String what, String measured, String must, boolean holds) {
        bounds.add(new Bounds.Bound(what, measured, must, holds));
    }
}
