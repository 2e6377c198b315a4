package io.evenkeel.loadtest.demo;

import io.evenkeel.loadtest.text.Numbers;
import io.evenkeel.loadtest.text.Table;
import io.evenkeel.v1.ConstraintExplanation;
import io.evenkeel.v1.DomainExplanation;
import io.evenkeel.v1.ReasonCount;
import io.evenkeel.v1.TopologySpreadConstraint;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;

/** Makes tables of an explanation: its constraints, and the domains of each constraint. */
final class Explanations {
    private static final int FEW_SHUT_OUT = 3;
    private static final String NOT_ELIGIBLE = "not eligible";

    private Explanations() {}

    /** A table with one row for each constraint. */
    static Table constraints(List<ConstraintExplanation> constraints) {
        Table table = new Table(
                "constraint",
                "maxSkew>",
                "domains>",
                "nodes>",
                "minimum>",
                "at min>",
                "self>",
                "excludes>",
                "min maxSkew>");
        for (ConstraintExplanation each : constraints) {
            table.row(
                    "[" + each.getIndex() + "] " + words(each.getConstraint()),
                    each.getConstraint().getMaxSkew(),
                    each.getEligibleDomainCount(),
                    each.getEligibleNodeCount(),
                    each.getGlobalMinimum() + (each.getTooFewDomains() ? " (minDomains)" : ""),
                    each.getCriticalPathCount(),
                    each.getSelfMatch() ? 1 : 0,
                    each.getExcludedNodeCount(),
                    each.getLeastMaxSkew() == 0 ? "" : Numbers.grouped(each.getLeastMaxSkew()));
        }
        return table;
    }

    /** A table with one row for each domain, by value. If there are many ineligible domains, they share one row. */
    static Table domains(ConstraintExplanation constraint) {
        String key = shortKey(constraint.getConstraint().getTopologyKey());
        Table table = new Table(key, "pods>", "skew then>", "admits", "passed>", "excluded by");
        List<DomainExplanation> sorted = sorted(constraint);
        List<DomainExplanation> shutOut =
                sorted.stream().filter(domain -> !domain.getEligible()).toList();
        boolean together = shutOut.size() > FEW_SHUT_OUT;
        for (DomainExplanation domain : sorted) {
            if (together && !domain.getEligible()) {
                continue;
            }
            table.row(
                    domain.getValue(),
                    domain.getMatchingPodCount(),
                    domain.getResultingSkew(),
                    verdict(domain),
                    part(domain.getPassedNodeCount(), domain.getNodeCount()),
                    reasons(domain.getExclusionsList()));
        }
        if (together) {
            int nodes =
                    shutOut.stream().mapToInt(DomainExplanation::getNodeCount).sum();
            int passed = shutOut.stream()
                    .mapToInt(DomainExplanation::getPassedNodeCount)
                    .sum();
            table.row(shutOut.size() + " others", "", "", NOT_ELIGIBLE, part(passed, nodes), "");
        }
        return table;
    }

    static List<DomainExplanation> sorted(ConstraintExplanation constraint) {
        return constraint.getDomainsList().stream()
                .sorted(Comparator.comparing(DomainExplanation::getValue))
                .toList();
    }

    /** A constraint as text: {@code hard zone}. */
    static String words(TopologySpreadConstraint constraint) {
        boolean hard = constraint.getWhenUnsatisfiable().equals("DoNotSchedule");
        return (hard ? "hard " : "soft ") + shortKey(constraint.getTopologyKey());
    }

    private static String part(int nodes, int ofAll) {
        return Numbers.grouped(nodes) + " of " + Numbers.grouped(ofAll);
    }

    private static String verdict(DomainExplanation domain) {
        if (!domain.getEligible()) {
            return NOT_ELIGIBLE;
        }
        return domain.getAdmitted() ? "yes" : "no";
    }

    /** The reasons that exclude nodes, without those shown in the table of constraints and without taint effects. */
    private static String reasons(List<ReasonCount> reasons) {
        return reasons.stream()
                .map(reason -> Numbers.grouped(reason.getNodeCount()) + " "
                        + reason.getMessage()
                                .replaceAll("(\\[\\d+]) .*", "$1")
                                .replaceAll(":No(Schedule|Execute)$", ""))
                .collect(Collectors.joining(", "));
    }

    /** The part of a key after the slash. */
    private static String shortKey(String key) {
        return key.substring(key.lastIndexOf('/') + 1);
    }
}
