package io.evenkeel.loadtest.cluster;

import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The options for the size of a generated cluster. */
public final class SizeOptions {
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

    @Spec(Spec.Target.MIXEE)
    private @Nullable CommandSpec command;

    /**
     * A cluster of that size.
     *
     * @throws ParameterException if no cluster can have that size
     */
    public ClusterGenerator cluster(long seed, WorkloadSizes sizes) {
        try {
            return new ClusterGenerator(ClusterShape.of(seed, nodes, pods).withSizes(sizes));
        } catch (IllegalArgumentException wrong) {
            CommandLine line = Objects.requireNonNull(command).commandLine();
            throw new ParameterException(line, String.valueOf(wrong.getMessage()), wrong);
        }
    }

    /**
     * A cluster of that size, with something to ask about.
     *
     * @throws ParameterException if no cluster can have that size, or it would have no pods
     */
    public ClusterGenerator clusterWithPods(long seed, WorkloadSizes sizes) {
        if (pods < 1) {
            throw new ParameterException(
                    Objects.requireNonNull(command).commandLine(), "--pods must be at least 1, was " + pods);
        }
        return cluster(seed, sizes);
    }
}
