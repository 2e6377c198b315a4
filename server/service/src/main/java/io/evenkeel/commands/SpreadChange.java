package io.evenkeel.commands;

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
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * How the pods that one pod's constraints count are spread in a session.
 *
 * @param before the state before changes; null if only one state is shown
 */
record SpreadChange(@Nullable ExplainResponse before, ExplainResponse after) {
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
                    name(constraint) + ": " + constraint.getConstraint().getWhenUnsatisfiable() + ", maxSkew "
                            + constraint.getConstraint().getMaxSkew() + ". Skew " + skew(constraint) + ": "
                            + constraint.getGlobalMinimum() + " to " + highest(constraint) + " pods in "
                            + domains.size() + (domains.size() == 1 ? " domain." : " domains."));
            appendDomains(text, domains, countsBefore(constraint.getIndex()), maxRows);
        }
    }

    private void appendDomains(
            StringBuilder text, List<DomainExplanation> domains, Map<String, Long> countsBefore, int maxRows) {
        TextTable table = new TextTable(4).left("DOMAIN").right("PODS");
        if (before != null) {
            table.right("NEW");
        }
        int shown = Math.min(maxRows, domains.size());
        int left = domains.size() - shown;
        int fullest = left > 0 ? shown / 2 : 0;
        domains.subList(0, shown - fullest).forEach(domain -> table.row(cells(domain, countsBefore)));
        if (left > 0) {
            table.gap("... " + left + " more");
        }
        domains.subList(domains.size() - fullest, domains.size())
                .forEach(domain -> table.row(cells(domain, countsBefore)));
        table.appendTo(text);
    }

    private List<Object> cells(DomainExplanation domain, Map<String, Long> countsBefore) {
        long pods = domain.getMatchingPodCount();
        List<Object> cells = new ArrayList<>();
        cells.add(domain.getValue().isEmpty() ? "\"\"" : domain.getValue());
        cells.add(pods);
        if (before != null) {
            cells.add(pods - countsBefore.getOrDefault(domain.getValue(), 0L));
        }
        return cells;
    }

    private Map<String, Long> countsBefore(int index) {
        List<ConstraintExplanation> constraints = before == null ? List.of() : before.getConstraintsList();
        return constraints.stream()
                .filter(constraint -> constraint.getIndex() == index)
                .flatMap(constraint -> constraint.getDomainsList().stream())
                .collect(Collectors.toMap(DomainExplanation::getValue, DomainExplanation::getMatchingPodCount));
    }
}
