package io.evenkeel.cli;

import io.evenkeel.v1.ConstraintExplanation;
import io.evenkeel.v1.DomainExplanation;
import io.evenkeel.v1.ExplainResponse;
import io.evenkeel.v1.TopologySpreadConstraint;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Writes one constraint of an explanation as text: the constraint, its effect, and its domains. */
final class ConstraintText {
    private static final int INDENT = 4;
    private static final int MAX_INELIGIBLE_NAMES = 6;

    private final ExplainResponse response;
    private final ConstraintExplanation state;
    private final TopologySpreadConstraint constraint;
    private final boolean hard;
    private final int maxRows;

    ConstraintText(ExplainResponse response, ConstraintExplanation state, int maxRows) {
        this.response = response;
        this.state = state;
        this.constraint = state.getConstraint();
        this.hard = ExplainText.isHard(state);
        this.maxRows = maxRows;
    }

    void appendTo(StringBuilder text) {
        Paragraphs.append(text, 0, "[" + state.getIndex() + "] " + constraint.getTopologyKey() + ": " + says());
        paragraph(text, counts());
        if (state.getCountedCount() > 0) {
            paragraph(text, new CountedText(state.getCountedList()).toString());
        } else if (state.getCountedOmitted()) {
            paragraph(text, "These are too many to look up their owners.");
        }
        paragraph(text, minimum());
        paragraph(text, hard ? effect() : String.format(Locale.ROOT, "Weight in the score: %.2f.", state.getWeight()));
        List<DomainExplanation> eligible = state.getDomainsList().stream()
                .filter(DomainExplanation::getEligible)
                .toList();
        if (!eligible.isEmpty()) {
            appendEligible(text, eligible);
        }
        appendIneligible(text);
    }

    private static void paragraph(StringBuilder text, String sentence) {
        Paragraphs.append(text, INDENT, sentence);
    }

    private String says() {
        List<String> parts = new ArrayList<>();
        parts.add(constraint.getWhenUnsatisfiable());
        parts.add("maxSkew " + constraint.getMaxSkew());
        if (constraint.hasMinDomains()) {
            parts.add("minDomains " + constraint.getMinDomains());
        }
        if (constraint.getMatchLabelKeysCount() > 0) {
            parts.add("matchLabelKeys [" + String.join(", ", constraint.getMatchLabelKeysList()) + "]");
        }
        if (constraint.hasNodeAffinityPolicy()) {
            parts.add("nodeAffinityPolicy " + constraint.getNodeAffinityPolicy());
        }
        if (constraint.hasNodeTaintsPolicy()) {
            parts.add("nodeTaintsPolicy " + constraint.getNodeTaintsPolicy());
        }
        return String.join(", ", parts);
    }

    private String counts() {
        String selector = state.getEffectiveSelector();
        if (selector.equals("<none>")) {
            return "Counts no pod: there is no labelSelector.";
        }
        if (selector.equals("<empty>")) {
            return "Counts no pod: the labelSelector is empty.";
        }
        return "Counts pods with " + selector + "; this pod " + (state.getSelfMatch() ? "is one." : "is not one.");
    }

    private String minimum() {
        int eligible = state.getEligibleDomainCount();
        String domains = eligible + " eligible " + (eligible == 1 ? "domain" : "domains")
                + (eligible == state.getDomainCount() ? "" : " (of " + state.getDomainCount() + " in all)");
        if (eligible == 0) {
            return "Global minimum 0: no domain is eligible.";
        }
        if (state.getTooFewDomains()) {
            long lowest = state.getDomains(0).getMatchingPodCount();
            return "Global minimum 0" + (lowest == 0 ? "" : " instead of " + lowest) + ": only " + domains
                    + ", fewer than minDomains.";
        }
        return "Global minimum " + state.getGlobalMinimum() + ", in " + state.getCriticalPathCount() + " of " + domains
                + ".";
    }

    private String effect() {
        if (response.getEnteredCount() == 0) {
            return "The pod's other rules exclude every node.";
        }
        String admits = admits();
        if (response.getPassedCount() > 0 || state.getAdmittedNodeCount() == response.getEnteredCount()) {
            return admits;
        }
        if (state.getTooFewDomains() && state.getLeastMaxSkew() > 0) {
            return admits + " While there are fewer domains than minDomains, each takes at most "
                    + constraint.getMaxSkew() + " matching " + (constraint.getMaxSkew() == 1 ? "pod." : "pods.");
        }
        String by = response.getUnjudgedRulesCount() > 0 ? ", by what is judged" : "";
        return admits
                + (state.getLeastMaxSkew() > 0
                        ? " The lowest maxSkew that would admit the pod" + by + ": " + state.getLeastMaxSkew() + "."
                        : " No maxSkew would admit the pod.");
    }

    private String admits() {
        int entered = response.getEnteredCount();
        return entered == 1
                ? "On its own, it " + (state.getAdmittedNodeCount() == 1 ? "admits" : "does not admit")
                        + " the only node that the pod's other rules allow."
                : "On its own, it admits " + state.getAdmittedNodeCount() + " of the " + entered
                        + " nodes that the pod's other rules allow.";
    }

    private void appendEligible(StringBuilder text, List<DomainExplanation> eligible) {
        int shown = Math.min(maxRows, eligible.size());
        int left = state.getEligibleDomainCount() - shown;
        int fullest = left > 0 ? shown / 2 : 0;
        List<DomainExplanation> emptiest = eligible.subList(0, shown - fullest);
        List<DomainExplanation> last = eligible.subList(eligible.size() - fullest, eligible.size());
        boolean single = Stream.concat(emptiest.stream(), last.stream()).allMatch(domain -> domain.getNodeCount() == 1);
        TextTable table = new TextTable(INDENT).left("DOMAIN").right("PODS");
        if (hard) {
            table.right("SKEW AFTER").left("ADMITTED");
        }
        if (!single) {
            table.right("NODES").right("FIT");
        }
        table.left("EXCLUDED BY");
        emptiest.forEach(domain -> table.row(cells(domain, single)));
        if (left > 0) {
            table.gap("... " + left + " more");
        }
        last.forEach(domain -> table.row(cells(domain, single)));
        table.appendTo(text);
    }

    /** @param single whether each domain is a single node, so that node counts are omitted */
    private List<Object> cells(DomainExplanation domain, boolean single) {
        List<Object> cells = new ArrayList<>();
        cells.add(domain.getValue().isEmpty() ? "\"\"" : domain.getValue());
        cells.add(domain.getMatchingPodCount());
        if (hard) {
            cells.add(domain.getResultingSkew());
            cells.add(domain.getAdmitted() ? "yes" : "no");
        }
        if (!single) {
            cells.add(domain.getNodeCount());
            cells.add(domain.getPassedNodeCount());
        }
        String reasons = domain.getExclusionsList().stream()
                .map(reason -> (single ? "" : reason.getNodeCount() + " ") + reason.getMessage())
                .collect(Collectors.joining(", "));
        cells.add(single && domain.getPassedNodeCount() == 1 ? "- (fits)" : reasons);
        return cells;
    }

    private void appendIneligible(StringBuilder text) {
        int ineligible = state.getDomainCount() - state.getEligibleDomainCount();
        if (ineligible == 0) {
            return;
        }
        List<DomainExplanation> listed = state.getDomainsList().stream()
                .filter(domain -> !domain.getEligible())
                .toList();
        Map<String, Integer> nodesOfReason = new TreeMap<>();
        listed.forEach(domain -> domain.getIneligibilitiesList()
                .forEach(reason -> nodesOfReason.merge(reason.getMessage(), reason.getNodeCount(), Integer::sum)));
        String which = ineligible <= MAX_INELIGIBLE_NAMES && listed.size() == ineligible
                ? listed.stream().map(DomainExplanation::getValue).collect(Collectors.joining(", "))
                : ineligible + (ineligible == 1 ? " domain" : " domains");
        String why = nodesOfReason.entrySet().stream()
                .map(each -> each.getValue() + " " + each.getKey())
                .collect(Collectors.joining(", "));
        paragraph(text, "Not eligible: " + which + (why.isEmpty() ? "." : " (nodes: " + why + ")."));
    }
}
