package io.evenkeel.commands;

import io.evenkeel.cli.Paragraphs;
import io.evenkeel.cli.TextTable;
import io.evenkeel.v1.ConstraintSpread;
import io.evenkeel.v1.DomainSpread;
import io.evenkeel.v1.TemplateSpread;
import io.evenkeel.v1.WorkloadReference;
import io.evenkeel.v1.WorkloadSpread;
import java.util.List;

/**
 * Shows how workloads are spread, with a bar for each skew: {@code =} for what maxSkew allows, {@code #} for the rest.
 *
 * @param rows the maximum number of rows in each table
 */
record SkewText(int rows) {
    private static final int LONGEST_BAR = 20;

    /** A row for each constraint. */
    String table(List<WorkloadSpread> workloads) {
        StringBuilder text = new StringBuilder();
        long violating = workloads.stream()
                .filter(each -> each.getHardViolated() || each.getSoftViolated())
                .count();
        text.append(violating + " of " + workloads.size() + (workloads.size() == 1 ? " workload" : " workloads")
                + (violating == 1 ? " violates a constraint.\n" : " violate a constraint.\n"));
        if (workloads.isEmpty()) {
            return text.toString();
        }
        long highest =
                workloads.stream().mapToLong(WorkloadSpread::getSkew).max().orElse(0);
        TextTable table = new TextTable(0)
                .left("WORKLOAD")
                .right("PODS")
                .right("PENDING")
                .left("TOPOLOGY KEY")
                .left("KIND")
                .right("MIN")
                .right("MAX")
                .right("SKEW")
                .right("MAXSKEW")
                .right("OVER")
                .left("");
        for (WorkloadSpread workload : workloads) {
            for (TemplateSpread template : workload.getTemplatesList()) {
                String name = name(workload.getWorkload()) + revision(workload, template);
                for (ConstraintSpread constraint : template.getConstraintsList()) {
                    table.row(
                            name,
                            template.getPodCount(),
                            template.getPendingPodCount(),
                            constraint.getTopologyKey(),
                            kind(constraint),
                            constraint.getGlobalMinimum(),
                            constraint.getMaximum(),
                            constraint.getSkew(),
                            isConstraint(constraint) ? constraint.getMaxSkew() : "",
                            isConstraint(constraint) ? constraint.getExcessPodCount() : "",
                            bar(constraint, highest));
                }
                if (!template.getError().isEmpty()) {
                    table.row(
                            name,
                            template.getPodCount(),
                            template.getPendingPodCount(),
                            "",
                            "invalid",
                            "",
                            "",
                            "",
                            "",
                            "",
                            template.getError());
                }
            }
        }
        text.append('\n');
        table.appendTo(text, rows);
        return text.toString();
    }

    /** The domains of each constraint. */
    String domains(List<WorkloadSpread> workloads) {
        StringBuilder text = new StringBuilder();
        for (WorkloadSpread workload : workloads) {
            for (TemplateSpread template : workload.getTemplatesList()) {
                text.append(text.isEmpty() ? "" : "\n");
                Paragraphs.append(
                        text,
                        0,
                        name(workload.getWorkload()) + revision(workload, template) + ": " + template.getPodCount()
                                + (template.getPodCount() == 1 ? " pod, " : " pods, ") + template.getPendingPodCount()
                                + " pending" + (template.getError().isEmpty() ? "" : ". " + template.getError()));
                template.getConstraintsList().forEach(constraint -> appendDomains(text, constraint));
            }
        }
        return text.toString();
    }

    private void appendDomains(StringBuilder text, ConstraintSpread constraint) {
        String counts = "skew " + constraint.getSkew() + ": " + constraint.getGlobalMinimum() + " to "
                + constraint.getMaximum() + " pods in " + constraint.getEligibleDomainCount()
                + (constraint.getEligibleDomainCount() == 1 ? " domain" : " domains");
        String over = constraint.getViolated() ? ", " + constraint.getExcessPodCount() + " too many" : "";
        Paragraphs.append(
                text,
                2,
                isConstraint(constraint)
                        ? "[" + constraint.getIndex() + "] " + constraint.getTopologyKey() + ": "
                                + constraint.getWhenUnsatisfiable() + ", maxSkew " + constraint.getMaxSkew() + ", "
                                + counts + over + "."
                        : constraint.getTopologyKey() + ": no constraint, " + counts + ".");
        if (isConstraint(constraint)) {
            Paragraphs.append(
                    text,
                    4,
                    "Selector " + constraint.getEffectiveSelector() + ": counts " + constraint.getOwnPodCount()
                            + " of the workload, and " + constraint.getOtherPodCount() + " of others.");
        }
        TextTable table = new TextTable(4).left("DOMAIN").right("PODS").left("");
        for (DomainSpread domain : constraint.getDomainsList()) {
            long above = Math.max(
                    0,
                    domain.getPodCount()
                            - constraint.getGlobalMinimum()
                            - (isConstraint(constraint) ? constraint.getMaxSkew() : domain.getPodCount()));
            table.row(
                    domain.getValue().isEmpty() ? "\"\"" : domain.getValue(),
                    domain.getPodCount(),
                    bar(domain.getPodCount() - above, above, constraint.getMaximum()));
        }
        table.appendTo(text, rows);
    }

    private static String bar(ConstraintSpread constraint, long highest) {
        long allowed = isConstraint(constraint)
                ? Math.min(constraint.getSkew(), constraint.getMaxSkew())
                : constraint.getSkew();
        return bar(allowed, constraint.getSkew() - allowed, highest);
    }

    /** One character for each pod or, if the highest number is too high for that, for as many as necessary. */
    private static String bar(long allowed, long over, long highest) {
        long each = Math.max(1, (highest + LONGEST_BAR - 1) / LONGEST_BAR);
        long length = (allowed + over + each - 1) / each;
        long overLength = (over + each - 1) / each;
        return "=".repeat((int) Math.max(0, length - overLength)) + "#".repeat((int) Math.min(length, overLength));
    }

    private static boolean isConstraint(ConstraintSpread constraint) {
        return !constraint.getWhenUnsatisfiable().isEmpty();
    }

    private static String kind(ConstraintSpread constraint) {
        return switch (constraint.getWhenUnsatisfiable()) {
            case "DoNotSchedule" -> "hard";
            case "ScheduleAnyway" -> "soft";
            default -> "none";
        };
    }

    static String name(WorkloadReference workload) {
        return workload.getNamespace() + "/" + workload.getKind() + "/" + workload.getName();
    }

    /** The revision if the workload has several. */
    private static String revision(WorkloadSpread workload, TemplateSpread template) {
        return workload.getTemplatesCount() == 1 || template.getRevision().isEmpty()
                ? ""
                : " (" + template.getRevision() + ")";
    }
}
