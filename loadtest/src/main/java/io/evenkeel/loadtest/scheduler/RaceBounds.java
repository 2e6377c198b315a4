package io.evenkeel.loadtest.scheduler;

import io.evenkeel.loadtest.scheduler.RaceReport.RaceBound;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Says of each figure of a race whether it is as it must be. Ratios are those of turns of one race. */
final class RaceBounds {
    private static final Set<RaceShape> FAST = Set.of(RaceShape.HARD, RaceShape.SOFT, RaceShape.DEFAULTS);
    private static final double OF_RECORDED = 0.9;
    private static final double TIMES_STOCK = 5;
    private static final double PLUGIN_PART = 1.0 / 20;
    private static final double AWAY_OF_STOCK = 0.9;
    private static final double MOST_SECONDS_TO_FULL = 5;
    private static final double SHADOW_OF_STOCK = 0.95;
    private static final double COMPARABLE = 0.95;

    private final List<TurnResult> turns;
    private final List<RaceBound> bounds = new ArrayList<>();

    private RaceBounds(List<TurnResult> turns) {
        this.turns = turns;
    }

    static List<RaceBound> of(List<TurnResult> turns) {
        RaceBounds all = new RaceBounds(turns);
        turns.forEach(turn -> {
            all.boundAndRecounted(turn);
            all.comparedInShadow(turn);
        });
        for (RaceShape shape : RaceShape.values()) {
            all.compared(shape);
        }
        return all.bounds;
    }

    private void boundAndRecounted(TurnResult turn) {
        String who = turn.shape() + ", " + turn.side();
        add(who + ": bound", turn.bound() + " of " + turn.toBind(), "all", turn.bound() == turn.toBind());
        if (turn.side().equals(Side.RECORDED.words())) {
            // Its verdicts are of another history.
            return;
        }
        int violated = turn.violated().size();
        if (turn.shape().equals(RaceShape.CHANGE.words())) {
            // Nodes that change their zone violate what held.
            return;
        }
        if (!turn.shape().equals(RaceShape.MIX.words())) {
            add(who + ": hard constraints violated", Integer.toString(violated), "0", violated == 0);
        } else if (!turn.side().equals(Side.STOCK.words())) {
            TurnResult stock = turn(RaceShape.MIX, Side.STOCK);
            if (stock != null) {
                int most = stock.violated().size();
                add(who + ": hard constraints violated", violated + " beside " + most, "no more", violated <= most);
            }
        }
        boolean isBesideStock = turns.stream()
                .anyMatch(other ->
                        other.shape().equals(turn.shape()) && other.side().equals(Side.STOCK.words()));
        if (isBesideStock && !turn.side().equals(Side.STOCK.words())) {
            int beyond = turn.softBeyondStock().size();
            add(who + ": soft skews above stock's + maxSkew", Integer.toString(beyond), "0", beyond == 0);
        }
    }

    private void comparedInShadow(TurnResult turn) {
        ShadowOutcomes shadow = turn.shadow();
        if (shadow == null) {
            return;
        }
        String who = turn.shape() + ", " + turn.side();
        boolean isWithheld = turn.side().equals(Side.WITHHELD.words());
        add(
                who + ": answers that differ",
                shadow.different() + " of " + shadow.compared(),
                isWithheld ? "> 0" : "0",
                isWithheld == shadow.different() > 0);
        add(
                who + ": answers that could be compared",
                decimal(100 * shadow.comparablePart()) + "%",
                ">= 95%",
                shadow.comparablePart() >= COMPARABLE);
    }

    private void compared(RaceShape shape) {
        TurnResult stock = turn(shape, Side.STOCK);
        TurnResult evenkeel = turn(shape, Side.EVENKEEL);
        TurnResult recorded = turn(shape, Side.RECORDED);
        if (evenkeel != null && FAST.contains(shape)) {
            if (recorded != null) {
                rate(evenkeel, recorded, OF_RECORDED);
            }
            if (stock != null) {
                rate(evenkeel, stock, TIMES_STOCK);
                double part = evenkeel.pluginMillis() / stock.pluginMillis();
                add(
                        shape.words() + ": the plugins' time beside stock's",
                        decimal(evenkeel.pluginMillis()) + " beside " + decimal(stock.pluginMillis()) + " ms",
                        "<= 1/20",
                        part <= PLUGIN_PART);
            }
        }
        TurnResult shadow = turn(shape, Side.SHADOW);
        if (shadow != null && stock != null) {
            rate(shadow, stock, SHADOW_OF_STOCK);
        }
        TurnResult killed = turn(shape, Side.KILLED);
        if (killed != null) {
            Outage outage = killed.outage();
            if (outage == null) {
                add(shape.words() + ": Evenkeel killed half-way", "it was not", "it is", false);
            } else {
                if (stock != null) {
                    double ratio = outage.podsPerSecondAway() / stock.podsPerSecond();
                    add(
                            shape.words() + ": pods/s while Evenkeel is away, beside stock",
                            beside(outage.podsPerSecondAway(), stock.podsPerSecond()),
                            ">= 0.9",
                            ratio >= AWAY_OF_STOCK);
                }
                Double toFull = outage.secondsToFullRate();
                add(
                        shape.words() + ": seconds to full rate after it is back",
                        toFull == null ? "never" : decimal(toFull),
                        "<= 5",
                        toFull != null && toFull <= MOST_SECONDS_TO_FULL);
            }
        }
    }

    private void rate(TurnResult turn, TurnResult beside, double atLeast) {
        add(
                turn.shape() + ": pods/s " + turn.side() + ", beside " + beside.side(),
                beside(turn.podsPerSecond(), beside.podsPerSecond()),
                ">= " + atLeast,
                turn.podsPerSecond() >= atLeast * beside.podsPerSecond());
    }

    private static String beside(double rate, double other) {
        return decimal(rate) + " beside " + decimal(other) + ": " + decimal(rate / other) + "x";
    }

    private static String decimal(double value) {
        return RaceReport.decimal(value);
    }

    private @Nullable TurnResult turn(RaceShape shape, Side side) {
        return turns.stream()
                .filter(turn ->
                        turn.shape().equals(shape.words()) && turn.side().equals(side.words()))
                .findFirst()
                .orElse(null);
    }

    private void add(String what, String measured, String must, boolean holds) {
        bounds.add(new RaceBound(what, measured, must, holds));
    }
}
