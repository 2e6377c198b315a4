package io.evenkeel.commands;

import io.evenkeel.cli.Paragraphs;
import io.evenkeel.cli.TextTable;
import io.evenkeel.v1.ConstraintSpread;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.RankVictimsResponse;
import io.evenkeel.v1.RankedVictim;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Shows pods in the order in which to delete them.
 *
 * @param rows the maximum number of rows in the table
 * @param known the pods of the workload by UID, as far as they were read
 * @param ofServer whether the source is a server, which does not keep the status of pods
 */
record VictimsText(int rows, Map<String, Pod> known, boolean ofServer) {
    String of(RankVictimsResponse answer) {
        StringBuilder text = new StringBuilder();
        int count = answer.getVictimsCount();
        Paragraphs.append(
                text,
                0,
                answer.getController().getKind() + " " + answer.getController().getNamespace() + "/"
                        + answer.getController().getName() + " has " + answer.getPodCount()
                        + (answer.getPodCount() == 1 ? " pod. " : " pods. ")
                        + (count == 1 ? "Delete this one:" : "Delete these " + count + ", in this order:"));
        TextTable table = new TextTable(2).left("POD").left("NODE").left("FIRST BECAUSE");
        for (int i = 0; i < answer.getConstraintsCount(); i++) {
            table.right("SKEW " + (i + 1));
        }
        table.row(row(
                "(now)",
                "",
                "",
                answer.getConstraintsList().stream()
                        .map(ConstraintSpread::getSkew)
                        .toList()));
        for (RankedVictim victim : answer.getVictimsList()) {
            table.row(row(victim.getName(), victim.getNodeName(), reason(victim), victim.getSkewsList()));
        }
        table.appendTo(text, rows);
        text.append('\n');
        for (int i = 0; i < answer.getConstraintsCount(); i++) {
            ConstraintSpread constraint = answer.getConstraints(i);
            Paragraphs.append(
                    text,
                    0,
                    "Skew " + (i + 1) + ": " + constraint.getTopologyKey() + ", "
                            + (constraint.getWhenUnsatisfiable().isEmpty()
                                    ? "no constraint"
                                    : constraint.getWhenUnsatisfiable() + ", maxSkew " + constraint.getMaxSkew())
                            + ".");
        }
        if (ofServer) {
            Paragraphs.append(
                    text,
                    0,
                    "A server does not keep whether pods run and are ready, nor their deletion costs. A ReplicaSet deletes"
                            + " pods first that do not run, are not ready, or have low costs.");
        }
        return text.toString();
    }

    private static List<Object> row(String pod, String node, String reason, List<Long> skews) {
        List<Object> row = new ArrayList<>(List.of(pod, node, reason));
        row.addAll(skews);
        return row;
    }

    private String reason(RankedVictim victim) {
        Pod pod = known.get(victim.getUid());
        if (victim.getNodeName().isEmpty()) {
            return "no node";
        }
        return pod == null ? "" : ReplicaState.of(pod).toString();
    }
}
