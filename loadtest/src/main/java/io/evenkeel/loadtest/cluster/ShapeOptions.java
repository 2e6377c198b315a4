package io.evenkeel.loadtest.cluster;

import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** The options of commands that measure on a generated cluster. */
public final class ShapeOptions {
    @Mixin
    private SizeOptions size = new SizeOptions();

    @Option(
            names = "--shape",
            paramLabel = "small|many|thousands|big|mixed",
            defaultValue = "many",
            description =
                    "The pods of each workload: 25 (small), 500 (many), 2,000 (thousands), 30 per node (big), or 10 to 2,000 (mixed)"
                            + " (default: ${DEFAULT-VALUE}).")
    private WorkloadSizes sizes = WorkloadSizes.MANY;

    @Option(
            names = "--seed",
            paramLabel = "N",
            defaultValue = "1",
            description = "The seed. Each seed gives a different cluster (default: ${DEFAULT-VALUE}).")
    private long seed;

    /**
     * The cluster that the options describe.
     *
     * @throws ParameterException if no cluster can have that shape
     */
    public ClusterGenerator cluster() {
        return size.cluster(seed, sizes);
    }

    /**
     * The same, if it has pods.
     *
     * @throws ParameterException also if it would have none
     */
    public ClusterGenerator clusterWithPods() {
        return size.clusterWithPods(seed, sizes);
    }
}
