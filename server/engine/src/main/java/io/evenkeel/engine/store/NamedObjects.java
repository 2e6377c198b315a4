package io.evenkeel.engine.store;

import io.evenkeel.engine.model.ObjectKind;
import java.util.BitSet;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;

/**
 * Records the objects that snapshots in progress have named so far. Records nothing about a kind without a snapshot.
 *
 * <pre>
 *   uids     kind → UID → mention; only kinds whose snapshot is in progress, and never pods
 *   pods     the rows of the pods that certainly exist, while their snapshot is in progress
 *   newer    the rows of those that stay only if they are newer than the list
 * </pre>
 *
 * <p>A change from the feed of a kind belongs to the kind's snapshot, unless it is older than the stored object.
 * Changes from elsewhere are not ordered relative to the snapshot's list: if one of them is not newer than the list,
 * the list prevails.
 */
final class NamedObjects {
    private final Map<ObjectKind, Map<String, SweepVerdict>> uids = new EnumMap<>(ObjectKind.class);
    private boolean podsInProgress;
    private BitSet pods = new BitSet();
    private BitSet newer = new BitSet();
    private boolean fromElsewhere;

    /** Begins a snapshot of a kind: no object of it is named yet. */
    void begin(ObjectKind kind) {
        end(kind);
        if (kind == ObjectKind.POD) {
            podsInProgress = true;
        } else {
            uids.put(kind, new HashMap<>());
        }
    }

    /** Ends the snapshot of a kind, if any, and releases the memory. */
    void end(ObjectKind kind) {
        if (kind == ObjectKind.POD) {
            podsInProgress = false;
            pods = new BitSet();
            newer = new BitSet();
        } else {
            uids.remove(kind);
        }
    }

    boolean isInProgress(ObjectKind kind) {
        return kind == ObjectKind.POD ? podsInProgress : uids.containsKey(kind);
    }

    /** Sets whether the next changes come from a source other than their kind's feed. */
    void setFromElsewhere(boolean elsewhere) {
        fromElsewhere = elsewhere;
    }

    /**
     * Whether an object, which is not a pod, keeps its name against the next change unless that is newer. It does if
     * the list has the object, because an older object cannot have the name at the same time.
     */
    boolean keepsName(ObjectKind kind, String uid) {
        return fromElsewhere && of(kind, uid) == SweepVerdict.SURE;
    }

    /** Records an accepted change of an object, which is not a pod. */
    void take(ObjectKind kind, String uid) {
        if (isInProgress(kind)) {
            name(kind, uid, ofTaken());
        }
    }

    /** Records a change of an object, which is not a pod. The change is not newer than the stored version. */
    void takeStale(ObjectKind kind, String uid, long stored, long version) {
        name(kind, uid, ofStale(stored, version));
    }

    /** Records an accepted change of a pod. */
    void takePod(int row) {
        if (podsInProgress) {
            namePod(row, ofTaken());
        }
    }

    /** Records a change of a pod that is not newer than the stored version. */
    void takeStalePod(int row, long stored, long version) {
        namePod(row, ofStale(stored, version));
    }

    private SweepVerdict ofTaken() {
        return fromElsewhere ? SweepVerdict.IF_NEWER : SweepVerdict.SURE;
    }

    /**
     * From elsewhere, a version that is already stored is not news. A feed that is behind the stored version has the
     * object.
     */
    private SweepVerdict ofStale(long stored, long version) {
        if (fromElsewhere) {
            return SweepVerdict.NONE;
        }
        return stored == version ? SweepVerdict.SURE : SweepVerdict.IF_NEWER;
    }

    private void name(ObjectKind kind, String uid, SweepVerdict mention) {
        Map<String, SweepVerdict> named = uids.get(kind);
        if (named != null && mention != SweepVerdict.NONE) {
            named.merge(uid, mention, (one, other) -> one.compareTo(other) >= 0 ? one : other);
        }
    }

    private void namePod(int row, SweepVerdict mention) {
        if (!podsInProgress) {
            return;
        }
        switch (mention) {
            case SURE -> pods.set(row);
            case IF_NEWER -> newer.set(row);
            case NONE -> {}
        }
    }

    /** Called when the pod of a row was removed: the row may get another pod. */
    void forgetPod(int row) {
        if (podsInProgress) {
            pods.clear(row);
            newer.clear(row);
        }
    }

    /** What the snapshot of this kind has learned about the object. Not for pods. */
    SweepVerdict of(ObjectKind kind, String uid) {
        Map<String, SweepVerdict> named = uids.get(kind);
        return named == null ? SweepVerdict.NONE : named.getOrDefault(uid, SweepVerdict.NONE);
    }

    SweepVerdict ofPod(int row) {
        if (pods.get(row)) {
            return SweepVerdict.SURE;
        }
        return newer.get(row) ? SweepVerdict.IF_NEWER : SweepVerdict.NONE;
    }
}
