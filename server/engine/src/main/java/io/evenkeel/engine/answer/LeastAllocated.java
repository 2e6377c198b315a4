package io.evenkeel.engine.answer;

/**
 * The score of kube-scheduler's plugin NodeResourcesFit with its default strategy LeastAllocated
 * ({@code least_allocated.go}): the mean of the unused percentages of cpu and memory. A resource that the node does not
 * have is ignored.
 */
final class LeastAllocated {
    private LeastAllocated() {}

    /**
     * The score, 0 to 100, in the units of {@link io.evenkeel.engine.model.PodRequests}.
     *
     * @param cpu what the pods on the node and the pod count as taking together
     * @param allocatableCpu what the node has
     */
    static long score(long cpu, long allocatableCpu, long memory, long allocatableMemory) {
        int resources = (allocatableCpu == 0 ? 0 : 1) + (allocatableMemory == 0 ? 0 : 1);
        return resources == 0 ? 0 : (unused(cpu, allocatableCpu) + unused(memory, allocatableMemory)) / resources;
    }

    private static long unused(long taken, long allocatable) {
        return allocatable == 0 || taken > allocatable ? 0 : (allocatable - taken) * StockSums.BEST / allocatable;
    }
}
