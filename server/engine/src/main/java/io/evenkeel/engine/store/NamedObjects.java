package io.evenkeel.engine.store;

import io.evenkeel.engine.model.ObjectKind;
import java.util.BitSet;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Records the objects that the snapshots under way have named so far. Records nothing of a kind without a snapshot.
 *
 * <pre>
 *   uids    kind → UIDs of its objects that were named; only kinds whose snapshot is under way, and never pods
 *   pods    the rows of the pods that were named, where their snapshot is under way
 * </pre>
 */
final class NamedObjects {
    private final Map<ObjectKind, Set<String>> uids = new EnumMap<>(ObjectKind.class);
    private boolean podsUnderWay;
    private BitSet pods = new BitSet();

    /** Begins a snapshot of a kind: no object of it is named yet. */
    void begin(ObjectKind kind) {
        end(kind);
        if (kind == ObjectKind.POD) {
            podsUnderWay = true;
        } else {
            uids.put(kind, new HashSet<>());
        }
    }

    /** Ends the snapshot of a kind, if any, and releases the memory. */
    void end(ObjectKind kind) {
        if (kind == ObjectKind.POD) {
            podsUnderWay = false;
            pods = new BitSet();
        } else {
            uids.remove(kind);
        }
    }

    boolean isUnderWay(ObjectKind kind) {
        return kind == ObjectKind.POD ? podsUnderWay : uids.containsKey(kind);
    }

    /** Names an object of any kind but pods. */
    void name(ObjectKind kind, String uid) {
        Set<String> named = uids.get(kind);
        if (named != null) {
            named.add(uid);
        }
    }

    void namePod(int row) {
        if (podsUnderWay) {
            pods.set(row);
        }
    }

    /** Called when the pod of a row was removed: the row may get another pod. */
    void forgetPod(int row) {
        if (podsUnderWay) {
            pods.clear(row);
        }
    }

    /** Whether the snapshot of this kind has named the object. */
    boolean has(ObjectKind kind, String uid) {
        Set<String> named = uids.get(kind);
        return named != null && named.contains(uid);
    }

    boolean hasPod(int row) {
        return pods.get(row);
    }
}
