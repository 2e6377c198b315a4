package io.evenkeel.engine.answer;

/**
 * The score of kube-scheduler's plugin NodeResourcesBalancedAllocation ({@code balanced_allocation.go}): by how much
 * the pod brings the fractions of cpu and memory that are taken closer together. 75 is no change.
 */
final class BalancedAllocation {
    private static final int HALF = StockSums.BEST / 2;

    private BalancedAllocation() {}

    /**
     * The score, 50 to 100, in the units of {@link io.evenkeel.engine.model.PodRequests}.
     *
     * @param cpu what the pods on the node take
     * @param moreCpu what the pod asks for
     * @param allocatableCpu what the node has
     */
    static long score(
            long cpu, long moreCpu, long allocatableCpu, long memory, long moreMemory, long allocatableMemory) {
        return HALF
                + (HALF
                                + balance(cpu + moreCpu, allocatableCpu, memory + moreMemory, allocatableMemory)
                                - balance(cpu, allocatableCpu, memory, allocatableMemory))
                        / 2;
    }

    /** 100 minus half of the difference between the percentages; 100 if the node has only one of the resources. */
    private static long balance(long cpu, long allocatableCpu, long memory, long allocatableMemory) {
        if (allocatableCpu == 0 || allocatableMemory == 0) {
            return StockSums.BEST;
        }
        double deviation = Math.abs((fraction(cpu, allocatableCpu) - fraction(memory, allocatableMemory)) / 2);
        return (long) ((1 - deviation) * StockSums.BEST);
    }

    private static double fraction(long taken, long allocatable) {
        return Math.min(1, (double) taken / allocatable);
    }
}
