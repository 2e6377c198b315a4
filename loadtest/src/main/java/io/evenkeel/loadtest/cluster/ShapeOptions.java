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
                    "Workloads of 25, 500 or 2,000 pods each, of 30 pods a node, or of many sizes (default: ${DEFAULT-VALUE}).")
    private WorkloadSizes sizes = WorkloadSizes.MANY;

    @Option(
            names = "--seed",
            paramLabel = "N",
            defaultValue = "1",
            description = "The seed: each makes another cluster (default: ${DEFAULT-VALUE}).")
    private long seed;

    /**
     * The cluster that the options choose.
     *
     * @throws ParameterException where no cluster can have that shape
     */
    public ClusterGenerator cluster() {
        return size.cluster(seed, sizes);
    }
}
