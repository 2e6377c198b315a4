package io.evenkeel.service;

import io.evenkeel.v1.ClusterStateGrpc;
import io.evenkeel.v1.PlacementGrpc;
import java.util.Set;

/**
 * The server's thread pools, one for each kind of work, so that no kind waits for another: queries whose plans must be
 * compiled, explanations, writes, status calls, token reviews, and token reviews for newcomers. Requests that take much
 * memory when parsed have a pool with a single thread, so that they are parsed one after another.
 */
final class WorkerPools implements AutoCloseable {
    private static final int MAX_WAITING = 1_000;
    private static final int MAX_QUERIES_WAITING = 4_000;

    /**
     * The heap divided by this is the limit for the serialized size of waiting parsed requests, at least 1 MiB. Parsed,
     * they take up to 34 times as much: an empty message takes two bytes on the wire and 68 in memory.
     */
    private static final int PART_OF_HEAP = 128;

    private static final long MIN_BYTES_WAITING = 1 << 20;

    /** Each call has at most one message waiting. */
    private static final int MAX_WRITES_WAITING = 10_000;

    /** Threads waiting for the API server. */
    private static final int TOKENS_AT_A_TIME = 4;

    private static final Set<String> STATUS = Set.of(
            ClusterStateGrpc.getGetStatusMethod().getFullMethodName(),
            ClusterStateGrpc.getListNodesMethod().getFullMethodName(),
            PlacementGrpc.getRegisterNodeSetMethod().getFullMethodName(),
            PlacementGrpc.getForgetNodeSetMethod().getFullMethodName());
    private static final String SYNC_AND_EVALUATE =
            ClusterStateGrpc.getSyncAndEvaluateMethod().getFullMethodName();
    private static final String EXPLAIN = PlacementGrpc.getExplainMethod().getFullMethodName();

    private final WorkerPool queries;
    private final WorkerPool explanations;
    private final WorkerPool large;
    private final WorkerPool writes;
    private final WorkerPool status;
    private final WorkerPool tokens;
    private final WorkerPool newcomersTokens;

    /** @param refusals counts the tasks that are rejected because the queue of their pool is full */
    WorkerPools(RefusalMetrics refusals) {
        int processors = Runtime.getRuntime().availableProcessors();
        long bytes = Math.max(MIN_BYTES_WAITING, Runtime.getRuntime().maxMemory() / PART_OF_HEAP);
        // Tasks without a limit hold or refer to serialized requests, which have their own budget.
        large = unboundedBytes("large requests", 1, MAX_WAITING, refusals);
        queries = new WorkerPool(
                "queries", Math.max(2, processors), MAX_QUERIES_WAITING, bytes, refusals, overload(), large);
        explanations = new WorkerPool(
                "explanations", Math.max(1, processors / 2), MAX_WAITING, bytes, refusals, overload(), large);
        status = new WorkerPool("status calls", 1, MAX_WAITING, bytes, refusals, overload(), large);
        writes = unboundedBytes("writes", Math.max(2, processors), MAX_WRITES_WAITING, refusals);
        tokens = unboundedBytes("token reviews", TOKENS_AT_A_TIME, MAX_WAITING, refusals);
        newcomersTokens = unboundedBytes("token reviews of newcomers", TOKENS_AT_A_TIME, MAX_WAITING, refusals);
    }

    private static WorkerPool unboundedBytes(String work, int threads, int maxWaiting, RefusalMetrics refusals) {
        return new WorkerPool(work, threads, maxWaiting, Long.MAX_VALUE, refusals);
    }

    private static Overload overload() {
        return new Overload(System::nanoTime);
    }

    /** Starts the threads that the first callers need. */
    void start() {
        queries.start();
    }

    WorkerPool queries() {
        return queries;
    }

    WorkerPool explanations() {
        return explanations;
    }

    WorkerPool writes() {
        return writes;
    }

    WorkerPool status() {
        return status;
    }

    /** @param isNewcomer whether no call of the connection has been admitted yet */
    WorkerPool tokens(boolean isNewcomer) {
        return isNewcomer ? newcomersTokens : tokens;
    }

    /** The pool that reads requests of {@code bytes} bytes that take too long for the event loop. */
    WorkerPool reading(String method, int bytes) {
        if (method.equals(SYNC_AND_EVALUATE)) {
            // It may be a query.
            WorkerPool ofSize = queries.forSize(bytes);
            return ofSize == queries ? writes : ofSize;
        }
        if (OpenCalls.isWrite(method)) {
            return writes;
        }
        WorkerPool answering = method.equals(EXPLAIN) ? explanations : queries;
        return (STATUS.contains(method) ? status : answering).forSize(bytes);
    }

    /** Drops all waiting tasks. */
    @Override
    public void close() {
        queries.close();
        explanations.close();
        large.close();
        writes.close();
        status.close();
        tokens.close();
        newcomersTokens.close();
    }
}
