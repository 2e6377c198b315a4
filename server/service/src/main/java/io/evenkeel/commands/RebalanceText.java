package io.evenkeel.commands;

import io.evenkeel.cli.Paragraphs;
import io.evenkeel.cli.TextTable;
import io.evenkeel.objects.UnjudgedRules;
import io.evenkeel.v1.PodMove;
import io.evenkeel.v1.RebalanceResponse;
import io.evenkeel.v1.UnreadablePods;
import io.evenkeel.v1.UnrepairedConstraint;
import java.util.ArrayList;
import java.util.List;

/**
 * Shows a plan of moves.
 *
 * @param rows the maximum number of rows in each table
 * @param withSoft whether soft constraints are repaired as well
 */
record RebalanceText(int rows, boolean withSoft) {
    /** For how many moves the server finds kube-scheduler's choice. */
    private static final int SCORED = 1_000;

    String of(RebalanceResponse plan) {
        StringBuilder text = new StringBuilder();
        if (plan.getExcessBefore() == 0) {
            text.append(withSoft ? "No constraint" : "No hard constraint").append(" exceeds maxSkew.\n");
            appendUnreadable(text, plan.getUnreadable());
            return text.toString();
        }
        Paragraphs.append(
                text,
                0,
                "Constraints exceed maxSkew by " + plan.getExcessBefore() + " in all, and by " + plan.getExcessAfter()
                        + " after " + moves(plan) + ".");
        if (plan.getDisruptionBudgetsUnknown()) {
            Paragraphs.append(text, 0, "PodDisruptionBudgets are not known, so the plan does not respect them.");
        }
        appendUnreadable(text, plan.getUnreadable());
        appendMoves(text, plan);
        appendUnrepaired(text, plan);
        return text.toString();
    }

    private static String moves(RebalanceResponse plan) {
        int moves = plan.getMovesCount();
        if (plan.getImpossibleMoveCount() > 0) {
            return possible(plan) + " of " + moves + (moves == 1 ? " move" : " moves")
                    + (possible(plan) == 0
                            ? "; none is possible and helps"
                            : "; the others are not possible or do not help");
        }
        String all = moves + (moves == 1 ? " move" : " moves");
        if (moves == 0) {
            return all;
        }
        if (plan.getMinMoveCount() >= moves) {
            return all + ", the fewest possible";
        }
        return all + "; fewer may be possible"
                + (plan.getMinMoveCount() == 0 ? "" : ", but at least " + plan.getMinMoveCount());
    }

    private static int possible(RebalanceResponse plan) {
        return plan.getMovesCount() - (int) plan.getImpossibleMoveCount();
    }

    private static void appendUnreadable(StringBuilder text, UnreadablePods pods) {
        if (pods.getPodCount() > 0) {
            Paragraphs.append(
                    text,
                    0,
                    pods.getPodCount() + (pods.getPodCount() == 1 ? " pod stays because it" : " pods stay because they")
                            + " cannot be read. For example "
                            + SkewText.name(pods.getExample()) + ": " + pods.getError());
        }
    }

    private void appendMoves(StringBuilder text, RebalanceResponse plan) {
        if (plan.getMovesCount() == 0) {
            return;
        }
        int possible = possible(plan);
        if (possible > 0) {
            long chosen = plan.getMovesList().stream()
                    .limit(possible)
                    .filter(PodMove::getSchedulerChoice)
                    .count();
            Paragraphs.append(
                    text,
                    0,
                    "kube-scheduler would choose the same node for " + chosen + " of "
                            + (possible > SCORED ? "the first " + SCORED : possible) + ".");
        }
        UnplacedCauses.appendUnjudged(text, 0, plan.getUnjudgedList());
        text.append('\n');
        TextTable table = new TextTable(0).left("POD").left("FROM").left("TO").left("");
        for (int i = 0; i < plan.getMovesCount(); i++) {
            PodMove move = plan.getMoves(i);
            table.row(
                    move.getPod().getNamespace() + "/" + move.getPod().getName(),
                    plan.getNodes(move.getFrom()),
                    plan.getNodes(move.getTo()),
                    note(move, i < possible));
        }
        table.appendTo(text, rows);
    }

    private static String note(PodMove move, boolean isPossible) {
        List<String> notes = new ArrayList<>();
        if (move.getRejected() && !move.getTogetherWithNext()) {
            notes.add("not possible, even after the others");
        } else if (!isPossible) {
            notes.add("not made without one that is not possible");
        } else if (move.getTogetherWithNext()) {
            notes.add("only together with the next");
        }
        if (move.getUnjudgedCount() > 0) {
            notes.add("not judged: " + String.join(", ", UnjudgedRules.names(move.getUnjudgedList().stream())));
        }
        return String.join("; ", notes);
    }

    private void appendUnrepaired(StringBuilder text, RebalanceResponse plan) {
        if (plan.getUnrepairedCount() == 0) {
            return;
        }
        text.append('\n');
        TextTable table = new TextTable(0)
                .left("WORKLOAD")
                .left("TOPOLOGY KEY")
                .right("STILL OVER")
                .left("WHY");
        for (UnrepairedConstraint each : plan.getUnrepairedList()) {
            table.row(SkewText.name(each.getWorkload()), each.getTopologyKey(), each.getExcess(), cause(each));
        }
        table.appendTo(text, rows);
    }

    private static String cause(UnrepairedConstraint of) {
        return switch (of.getCause()) {
            case UNREPAIRED_CAUSE_COUNTS_NO_OWN_PODS -> "it counts none of the pods that may move";
            case UNREPAIRED_CAUSE_TOO_FEW_DOMAINS -> "fewer domains than minDomains are eligible";
            case UNREPAIRED_CAUSE_OTHER_PODS -> "it also counts other pods";
            case UNREPAIRED_CAUSE_DOMAIN_CLOSED -> "the pods may enter no node of a domain that counts";
            case UNREPAIRED_CAUSE_NO_ROOM -> "nodes have too little room";
            case UNREPAIRED_CAUSE_IMMOVABLE_PODS -> "pods may not be evicted";
            case UNREPAIRED_CAUSE_CONFLICTS -> "no plan satisfies it together with the other constraints";
            case UNREPAIRED_CAUSE_IMPOSSIBLE_MOVES -> "moves that would satisfy it are not possible";
            case UNREPAIRED_CAUSE_UNSPECIFIED, UNRECOGNIZED -> "the cause is not known";
        };
    }
}
