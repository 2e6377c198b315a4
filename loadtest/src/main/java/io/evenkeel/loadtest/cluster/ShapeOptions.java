package io.evenkeel.loadtest.cluster;

import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The options of commands that measure on a generated cluster. */
public final class ShapeOptions {
    @Option(
            names = "--nodes",
            paramLabel = "N",
            defaultValue = "5000",
            description = "Nodes, in three zones (default: ${DEFAULT-VALUE}).")
    private int nodes;

    @Option(
            names = "--pods",
            paramLabel = "N",
            defaultValue = "150000",
            description = "Bound pods (default: ${DEFAULT-VALUE}).")
    private int pods;

    @Option(
            names = "--shape",
            paramLabel = "many|big|mixed",
            defaultValue = "many",
            description =
                    "Workloads of 500 pods each, of 30 pods a node, or of many sizes (default: ${DEFAULT-VALUE}).")
    private WorkloadSizes sizes = WorkloadSizes.MANY;

    @Option(
            names = "--seed",
            paramLabel = "N",
            defaultValue = "1",
            description = "Another cluster for each seed (default: ${DEFAULT-VALUE}).")
    private long seed;

    @Spec(Spec.Target.MIXEE)
    private @Nullable CommandSpec command;

    /**
     * The cluster that they ask for.
     *
     * @throws ParameterException where there is none
     */
    public ClusterGenerator cluster() {
        try {
            return new ClusterGenerator(ClusterShape.of(seed, nodes, pods).withSizes(sizes));
        } catch (IllegalArgumentException wrong) {
            CommandLine line = Objects.requireNonNull(command).commandLine();
            throw new ParameterException(line, String.valueOf(wrong.getMessage()), wrong);
        }
    }
}
