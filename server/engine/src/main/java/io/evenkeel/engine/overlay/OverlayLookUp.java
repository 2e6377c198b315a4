package io.evenkeel.engine.overlay;

import io.evenkeel.engine.cluster.ChangedPods;
import io.evenkeel.engine.model.PodKey;
import io.evenkeel.engine.store.ClusterView;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Looks up the pods of overlays in several short holds of the engine's lock. In the end all of them are as the cluster
 * has them at one revision. From the end of the first hold on, a watch records which pods change. In each later hold
 * the changed pods are compared with those found. If any of these or a node has changed, or if pods change faster than
 * they are compared, everything must start over.
 */
public final class OverlayLookUp implements AutoCloseable {
    private static final int LOOKS_A_HOLD = 1_024;

    /** The most changed pods that are compared with those found in one hold. */
    private static final int CHECKS_A_HOLD = 2_048;

    /**
     * The most holds in a row that may leave no fewer changed pods to compare. After these, everything must start over.
     */
    private static final int MAX_LOSSES = 8;

    /** Something that is looked up, a part at a time. */
    public interface Part {
        /**
         * Looks up at most {@code most} pods, under the lock; returns how many. It returns fewer if no more are left.
         */
        int lookUp(ClusterView cluster, int most);

        /** Adds the pods that were found, and the keys by which other pods may be found later. */
        void addTo(BitSet pods, Set<PodKey> keys);
    }

    enum State {
        /** A pod or a node has changed, or too many pods are changing: everything must start over. */
        STALE,
        /** Some pods are still to be looked up or compared. */
        MORE,
        /** Everything is looked up, and is as the cluster has it in this hold. */
        DONE
    }

    private final ClusterView cluster;
    private final List<? extends Part> parts;
    private final int looksAHold;
    private ChangedPods.@Nullable Watch watch;
    private long nodes;
    private int at;
    private int checked;

    /** The fewest changed pods left to compare at the end of a hold, since there were last none left. */
    private int fewestLeft = Integer.MAX_VALUE;

    private int losses;
    private @Nullable BitSet found;
    private final Set<PodKey> keys = new HashSet<>();

    /** @param inOneHold whether to look up everything in one hold, however long that takes */
    OverlayLookUp(ClusterView cluster, List<? extends Part> parts, boolean inOneHold) {
        this.cluster = cluster;
        this.parts = parts;
        this.looksAHold = inOneHold ? Integer.MAX_VALUE : LOOKS_A_HOLD;
    }

    /** Continues, under the lock. Call it first in each hold. */
    State advance() {
        if (watch != null && nodes != cluster.nodeMoves() || concernsAny() || fallsBehind()) {
            return State.STALE;
        }
        if (lookUp() && (watch == null || checked == watch.count())) {
            return State.DONE;
        }
        watch();
        return State.MORE;
    }

    /** Call it in every hold but the last, whatever {@link #advance} has returned. */
    void watch() {
        if (watch == null) {
            watch = cluster.watchPods();
            nodes = cluster.nodeMoves();
        }
    }

    /** Call it between two holds, without the lock. */
    void prepare() {
        if (at == parts.size() && found == null) {
            BitSet pods = new BitSet();
            parts.forEach(part -> part.addTo(pods, keys));
            found = pods;
        }
    }

    /** Looks up the next pods; returns whether all are looked up. */
    private boolean lookUp() {
        int left = looksAHold;
        while (at < parts.size() && left > 0) {
            int looked = parts.get(at).lookUp(cluster, left);
            if (looked < left) {
                at++;
            }
            // A part without pods counts as one look-up too.
            left -= Math.max(1, looked);
        }
        return at == parts.size();
    }

    /** Whether any of the changed pods was found before, or may now be found by a key. */
    private boolean concernsAny() {
        if (watch != null && found != null) {
            int to = Math.min(watch.count(), checked + CHECKS_A_HOLD);
            for (; checked < to; checked++) {
                if (concerns(watch.pod(checked), found)) {
                    return true;
                }
            }
        }
        return false;
    }

    /** Whether pods change faster than they are compared, so that the look-up would never end. */
    private boolean fallsBehind() {
        int left = watch == null || found == null ? 0 : watch.count() - checked;
        losses = left == 0 || left < fewestLeft ? 0 : losses + 1;
        fewestLeft = left == 0 ? Integer.MAX_VALUE : Math.min(fewestLeft, left);
        return losses == MAX_LOSSES;
    }

    private boolean concerns(int pod, BitSet pods) {
        return pods.get(pod)
                || !keys.isEmpty()
                        && cluster.isLive(pod)
                        && (keys.contains(cluster.uidKey(pod)) || keys.contains(cluster.nameKey(pod)));
    }

    /** Ends the watch. Needs no lock. */
    @Override
    public void close() {
        if (watch != null) {
            cluster.endWatch(watch);
        }
    }
}
