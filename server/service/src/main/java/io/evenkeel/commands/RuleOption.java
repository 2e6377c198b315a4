package io.evenkeel.commands;

import io.evenkeel.v1.PlacementRule;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The option {@code --rule} of commands that place pods one after another. */
final class RuleOption {
    /** The rules, named as they are typed. */
    private enum Rule {
        spread,
        stock,
        first
    }

    @Option(
            names = "--rule",
            paramLabel = "RULE",
            description =
                    "How a node is chosen among those that a pod can go to: spread takes the one with the best spread score;"
                            + " stock the one that kube-scheduler prefers, without images and inter-pod affinity;"
                            + " first the first by name. Default: spread")
    private @Nullable Rule rule;

    RuleOption() {}

    boolean isGiven() {
        return rule != null;
    }

    PlacementRule rule() {
        Rule chosen = rule;
        if (chosen == null) {
            return PlacementRule.PLACEMENT_RULE_SPREAD;
        }
        return switch (chosen) {
            case spread -> PlacementRule.PLACEMENT_RULE_SPREAD;
            case stock -> PlacementRule.PLACEMENT_RULE_STOCK;
            case first -> PlacementRule.PLACEMENT_RULE_FIRST;
        };
    }
}
