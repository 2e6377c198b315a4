package io.evenkeel.eviction;

import io.evenkeel.kube.ClusterReadException;
import io.evenkeel.kube.PodEvictions;
import io.evenkeel.kube.PodEvictions.Answer;
import io.evenkeel.kube.PodEvictions.Result;
import io.evenkeel.objects.UnjudgedRules;
import io.evenkeel.v1.PodMove;
import io.evenkeel.v1.RebalanceResponse;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Carries out plans: evicts the first pods of a plan, waits for their replacements, and asks for another plan.
 *
 * <pre>
 *   plan ──► no moves: the end
 *    ▲  └──► evict the first moves ──► wait for the replacements ──┐
 *    └─────── better than the plan before; if not, stop ◄──────────┘
 * </pre>
 *
 * <p>Not thread-safe. {@link LiveCluster#stop} ends it, from any thread.
 */
public final class EvictionRun {
    private static final String INTERRUPTED = "interrupted by a signal";
    private static final Duration FIRST_WAIT = Duration.ofSeconds(1);
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(10);

    /** After more batches in a row without an eviction, pods come and go too fast for plans. */
    private static final int MAX_IDLE = 10;

    /** Between two looks at the time while nothing changes. */
    private static final Duration LOOK = Duration.ofMillis(200);

    /** Makes plans from the live state. */
    public interface Plans {
        RebalanceResponse next() throws IOException;
    }

    /**
     * How to evict.
     *
     * @param batch the maximum number of pods that are evicted together
     * @param timeout how long a replacement may be missing or pending, and the API server may reject an eviction
     * @param readyTimeout how long a replacement that has started may not be ready
     * @param evictsUnjudged whether pods are evicted although rules that can exclude nodes for them are not judged
     */
    public record Settings(int batch, Duration timeout, Duration readyTimeout, boolean evictsUnjudged) {}

    private final LiveCluster cluster;
    private final PodEvictions evictions;
    private final Plans plans;
    private final Settings settings;
    private final Consumer<EvictedBatch> shown;
    private final List<EvictedBatch> batches = new ArrayList<>();

    /** Whether pods may have been evicted since the last plan was made. */
    private boolean isPlanOld;

    /** @param shown receives each batch when its replacements are there, or when the run ends before that */
    public EvictionRun(
            LiveCluster cluster, PodEvictions evictions, Plans plans, Settings settings, Consumer<EvictedBatch> shown) {
        this.cluster = cluster;
        this.evictions = evictions;
        this.plans = plans;
        this.settings = settings;
        this.shown = shown;
    }

    /** Evicts pods until the last plan has no moves, or there is a reason to stop. */
    public EvictionOutcome run(RebalanceResponse first) throws InterruptedIOException {
        RebalanceResponse plan = first;
        int idle = 0;
        try {
            while (plan.getMovesCount() > 0) {
                isPlanOld = true;
                boolean isEvicted = evictFirst(plan);
                idle = isEvicted ? 0 : idle + 1;
                if (idle > MAX_IDLE) {
                    throw new StalledException(
                            "several plans in a row were old before a pod was evicted, because pods and disruption budgets"
                                    + " change too fast; run the command again");
                }
                RebalanceResponse next = nextPlan(plan);
                isPlanOld = false;
                RebalanceResponse before = plan;
                plan = next;
                if (isEvicted && !isBetter(next, before)) {
                    throw new StalledException(
                            "the excess has not fallen: it was " + before.getExcessBefore() + " with "
                                    + moves(before) + " left, and is " + next.getExcessBefore() + " with " + moves(next)
                                    + " left");
                }
            }
            return new EvictionOutcome(batches, plan, null, null);
        } catch (StalledException e) {
            return new EvictionOutcome(batches, lastPlan(plan), e.getMessage(), null);
        } catch (InterruptedIOException e) {
            throw e;
        } catch (IOException e) {
            return new EvictionOutcome(batches, lastPlan(plan), e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted");
        }
    }

    /** The excess is first, as in the plan: while domains have equal counts, it falls only with the last of them. */
    private static boolean isBetter(RebalanceResponse plan, RebalanceResponse before) {
        return plan.getExcessBefore() < before.getExcessBefore()
                || plan.getExcessBefore() == before.getExcessBefore() && plan.getMovesCount() < before.getMovesCount();
    }

    private static String moves(RebalanceResponse plan) {
        return plan.getMovesCount() + (plan.getMovesCount() == 1 ? " move" : " moves");
    }

    /**
     * Plans again; if the live state is not known, or the command was asked to stop, returns the known plan if not old.
     */
    private @Nullable RebalanceResponse lastPlan(RebalanceResponse known) {
        try {
            if (!cluster.isStopped() && cluster.awaitApplied(LOOK) == null && cluster.problem() == null) {
                return plans.next();
            }
        } catch (IOException e) {
            // The reason to stop is more important.
        }
        return isPlanOld ? null : known;
    }

    /**
     * A plan that knows the replacements. If it repairs less than the one before, it is made again for a while:
     * disruption budgets allow the next eviction a little after a replacement is ready, and pods that end still take
     * room.
     */
    private RebalanceResponse nextPlan(RebalanceResponse before) throws IOException, StalledException {
        long begun = System.nanoTime();
        while (true) {
            requireGoing();
            String problem = cluster.awaitApplied(settings.timeout());
            if (problem != null) {
                throw new StalledException(problem);
            }
            RebalanceResponse next = plans.next();
            if (next.getExcessAfter() <= before.getExcessAfter()
                    || System.nanoTime() - begun >= settings.timeout().toNanos()) {
                return next;
            }
            cluster.pause(FIRST_WAIT);
        }
    }

    private void requireGoing() throws StalledException {
        if (cluster.isStopped()) {
            throw new StalledException(INTERRUPTED);
        }
    }

    // ---- one batch

    /**
     * The possible moves of a plan before the first one of a pod that may not be evicted, or before its chain. There
     * must be some.
     */
    private List<PodMove> permitted(RebalanceResponse plan) throws StalledException {
        int possible = plan.getMovesCount() - (int) plan.getImpossibleMoveCount();
        if (possible == 0) {
            PodMove first = plan.getMoves(0);
            throw new StalledException("no moves that are possible lower the excess; the plan begins with pod "
                    + first.getPod().getNamespace() + "/" + first.getPod().getName() + " to node "
                    + plan.getNodes(first.getTo()));
        }
        List<PodMove> moves = plan.getMovesList().subList(0, possible);
        int chain = 0;
        for (int i = 0; i < possible && !settings.evictsUnjudged(); i++) {
            PodMove move = moves.get(i);
            if (move.getUnjudgedCount() > 0) {
                if (chain > 0) {
                    return moves.subList(0, chain);
                }
                throw new StalledException("pod " + move.getPod().getNamespace() + "/"
                        + move.getPod().getName() + " has rules that are not judged ("
                        + String.join(", ", UnjudgedRules.names(move.getUnjudgedList().stream()))
                        + "), so its replacement may stay pending; --evict-unjudged evicts such pods");
            }
            if (!move.getTogetherWithNext()) {
                chain = i + 1;
            }
        }
        return moves;
    }

    /** Evicts the first pods of a plan, and waits for their replacements. Returns whether any pod was evicted. */
    private boolean evictFirst(RebalanceResponse plan) throws IOException, InterruptedException, StalledException {
        Replacements replacements = new Replacements(cluster, settings.timeout(), settings.readyTimeout());
        try {
            List<List<PodMove>> chains = EvictionBatch.first(permitted(plan), settings.batch(), cluster);
            if (!areBudgetsReady(chains.get(0))) {
                return false;
            }
            for (List<PodMove> chain : chains) {
                if (!evict(chain, plan, replacements)) {
                    break;
                }
            }
            while (!replacements.isComplete()) {
                requireGoing();
                cluster.await(LOOK);
            }
        } catch (StalledException e) {
            // If the cluster is not followed, its state does not change, and that is the reason.
            String problem = cluster.problem();
            throw problem == null ? e : new StalledException(e.getMessage() + "; " + problem);
        } finally {
            if (replacements.count() > 0) {
                EvictedBatch batch = new EvictedBatch(batches.size() + 1, replacements.evictions());
                batches.add(batch);
                shown.accept(batch);
            }
        }
        return replacements.count() > 0;
    }

    /**
     * Whether the pods of a chain can all be evicted now. If not, waits until they can, or until one is gone; the plan
     * is old then. Whether a single pod can be evicted, the API server says.
     */
    private boolean areBudgetsReady(List<PodMove> chain) throws IOException, StalledException {
        long begun = System.nanoTime();
        boolean isReady = true;
        while (chain.size() > 1) {
            if (!isComplete(chain)) {
                return false;
            }
            String obstacle = EvictionBatch.budgetObstacle(chain, cluster);
            if (obstacle == null) {
                break;
            }
            if (System.nanoTime() - begun >= settings.timeout().toNanos()) {
                throw new StalledException(obstacle);
            }
            isReady = false;
            requireGoing();
            cluster.await(LOOK);
        }
        return isReady;
    }

    /**
     * Evicts the pods of a chain. Returns false if the batch must end, because a pod is gone or must wait, or because
     * the other pods of the plan may not have to move now after a wait.
     */
    private boolean evict(List<PodMove> chain, RebalanceResponse plan, Replacements replacements)
            throws IOException, InterruptedException, StalledException {
        if (!isComplete(chain)) {
            return false;
        }
        boolean isOld = false;
        for (int i = 0; i < chain.size(); i++) {
            requireGoing();
            PodMove move = chain.get(i);
            LivePod pod = cluster.pod(move.getPod().getUid());
            if (pod == null || !pod.isActive()) {
                return false;
            }
            replacements.expect(pod);
            boolean canWait = i == 0 && replacements.count() > 0;
            long begun = System.nanoTime();
            switch (evict(move, pod, canWait)) {
                case EVICTED -> replacements.add(pod, plan.getNodes(move.getTo()));
                case GONE -> {
                    replacements.addGone(pod);
                    return false;
                }
                case BUSY, UNKNOWN -> {
                    return false;
                }
            }
            isOld |= System.nanoTime() - begun >= FIRST_WAIT.toNanos();
        }
        return !isOld;
    }

    /** Whether no pod of a chain is gone or ending, so that none has to be evicted without the others. */
    private boolean isComplete(List<PodMove> chain) throws StalledException {
        for (PodMove move : chain) {
            LivePod pod = cluster.pod(move.getPod().getUid());
            if (pod == null || !pod.isActive()) {
                return false;
            }
            if (pod.ownerUid().isEmpty()) {
                throw new StalledException("pod " + pod.title() + " has no controller that would create it again");
            }
        }
        return true;
    }

    /**
     * Evicts a pod. Retries for a while if the API server rejects that, or if it is unknown whether the pod was
     * evicted.
     *
     * @param canWait whether the pod can wait for the next batch instead
     */
    private Result evict(PodMove move, LivePod pod, boolean canWait)
            throws IOException, InterruptedException, StalledException {
        long end = System.nanoTime() + settings.timeout().toNanos();
        Duration wait = FIRST_WAIT;
        boolean mayBeEvicted = false;
        while (true) {
            Answer answer;
            try {
                answer = evictions.evict(move.getPod());
            } catch (ClusterReadException e) {
                throw mayBeEvicted ? new IOException(unknown(pod, String.valueOf(e.getMessage())), e) : e;
            }
            mayBeEvicted |= answer.result() == Result.UNKNOWN;
            boolean isFinal = answer.result() == Result.EVICTED || answer.result() == Result.GONE;
            if (isFinal || canWait && !mayBeEvicted) {
                return answer.result() == Result.GONE && mayBeEvicted ? Result.EVICTED : answer.result();
            }
            Duration left = Duration.ofNanos(end - System.nanoTime());
            Duration next = answer.retryAfter().compareTo(wait) > 0 ? answer.retryAfter() : wait;
            if (left.isNegative() || left.isZero() || answer.retryAfter().compareTo(left) > 0) {
                throw new StalledException(
                        mayBeEvicted
                                ? unknown(pod, answer.message())
                                : "pod " + pod.title() + " could not be evicted within "
                                        + settings.timeout().toSeconds() + " s: " + answer.message());
            }
            cluster.pause(next.compareTo(left) > 0 ? left : next);
            LivePod now = cluster.pod(pod.uid());
            if (now == null || !now.isActive()) {
                return mayBeEvicted ? Result.EVICTED : Result.GONE;
            }
            if (mayBeEvicted && cluster.isStopped()) {
                throw new StalledException(INTERRUPTED + "; " + unknown(pod, answer.message()));
            }
            requireGoing();
            wait = wait.multipliedBy(2).compareTo(LONGEST_WAIT) > 0 ? LONGEST_WAIT : wait.multipliedBy(2);
        }
    }

    private static String unknown(LivePod pod, String why) {
        return "it is not known whether pod " + pod.title() + " was evicted: " + why;
    }
}
