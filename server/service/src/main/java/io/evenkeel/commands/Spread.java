package io.evenkeel.commands;

import io.evenkeel.cli.ExplainText;
import io.evenkeel.cli.Paragraphs;
import io.evenkeel.cli.TextTable;
import io.evenkeel.client.CandidateNodes;
import io.evenkeel.client.Session;
import io.evenkeel.v1.ConstraintExplanation;
import io.evenkeel.v1.DomainExplanation;
import io.evenkeel.v1.ExplainRequest;
import io.evenkeel.v1.ExplainResponse;
import io.evenkeel.v1.Pod;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How the pods that one pod's constraints count are spread in a session.
 *
 * @param before the state before changes; null if only one state is shown
 */
record Spread(@Nullable ExplainResponse before, ExplainResponse after) {
    /** The state of a session, as the constraints of {@code pod} see it, and at most that many verdicts on nodes. */
    static ExplainResponse in(Session session, Pod pod, int maxVerdicts) {
        ExplainResponse state = session.explain(ExplainRequest.newBuilder()
                .setPod(pod)
                .setCandidates(CandidateNodes.fitting())
                .setMaxDomains(Integer.MAX_VALUE)
                .setMaxVerdicts(maxVerdicts)
                .build());
        return state.toBuilder().clearRevision().build();
    }

    /** The skew of a constraint in a state: the highest count of an eligible domain, minus the global minimum. */
    static long skew(ConstraintExplanation constraint) {
        return highest(constraint) - constraint.getGlobalMinimum();
    }

    private static long highest(ConstraintExplanation constraint) {
        return eligible(constraint).stream()
                .mapToLong(DomainExplanation::getMatchingPodCount)
                .max()
                .orElse(constraint.getGlobalMinimum());
    }

    private static List<DomainExplanation> eligible(ConstraintExplanation constraint) {
        return constraint.getDomainsList().stream()
                .filter(DomainExplanation::getEligible)
                .toList();
    }

    /** {@code [0] topology.kubernetes.io/zone}. */
    static String name(ConstraintExplanation constraint) {
        return "[" + constraint.getIndex() + "] " + constraint.getConstraint().getTopologyKey();
    }

    /** Appends a table of domains for each constraint. */
    void appendTo(StringBuilder text, int maxRows) {
        if (after.getConstraintsCount() == 0) {
            text.append("  No constraint applies.\n");
        }
        for (ConstraintExplanation constraint : after.getConstraintsList()) {
            List<DomainExplanation> domains = eligible(constraint);
            Paragraphs.append(
                    text,
                    2,
                    ExplainText.WIDTH,
                    name(constraint) + ": " + constraint.getConstraint().getWhenUnsatisfiable() + ", maxSkew "
                            + constraint.getConstraint().getMaxSkew() + ". Skew " + skew(constraint) + ": "
                            + constraint.getGlobalMinimum() + " to " + highest(constraint) + " pods in "
                            + domains.size() + (domains.size() == 1 ? " domain." : " domains."));
            appendDomains(text, domains, countsBefore(constraint.getIndex()), maxRows);
        }
    }

    private void appendDomains(
            StringBuilder text, List<DomainExplanation> domains, Map<String, Long> countsBefore, int maxRows) {
        TextTable table = new TextTable(ExplainText.WIDTH, 4).left("DOMAIN").right("PODS");
        if (before != null) {
            table.right("NEW");
        }
        int fullest = domains.size() > maxRows ? maxRows / 2 : 0;
        int emptiest = Math.min(maxRows, domains.size()) - fullest;
        List<DomainExplanation> shown = new ArrayList<>(domains.subList(0, emptiest));
        shown.addAll(domains.subList(domains.size() - fullest, domains.size()));
        for (int i = 0; i < shown.size(); i++) {
            if (i == emptiest) {
                table.gap("... " + (domains.size() - shown.size()) + " more");
            }
            DomainExplanation domain = shown.get(i);
            long pods = domain.getMatchingPodCount();
            List<String> cells = new ArrayList<>();
            cells.add(domain.getValue().isEmpty() ? "\"\"" : domain.getValue());
            cells.add(Long.toString(pods));
            if (before != null) {
                cells.add(Long.toString(pods - countsBefore.getOrDefault(domain.getValue(), 0L)));
            }
            table.row(cells);
        }
        if (emptiest == shown.size() && domains.size() > emptiest) {
            table.gap("... " + (domains.size() - emptiest) + " more");
        }
        table.appendTo(text);
    }

    private Map<String, Long> countsBefore(int index) {
        Map<String, Long> counts = new HashMap<>();
        List<ConstraintExplanation> constraints = before == null ? List.of() : before.getConstraintsList();
        for (ConstraintExplanation constraint : constraints) {
            if (constraint.getIndex() == index) {
                constraint
                        .getDomainsList()
                        .forEach(domain -> counts.put(domain.getValue(), domain.getMatchingPodCount()));
            }
        }
        return counts;
    }
}
