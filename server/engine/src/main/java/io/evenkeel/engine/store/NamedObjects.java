package io.evenkeel.engine.store;

import java.util.BitSet;
import java.util.HashSet;
import java.util.Set;

/**
 * Records the objects that the snapshot under way has named so far: nodes and owners by UID, pods by row. Records
 * nothing without a snapshot.
 */
final class NamedObjects {
    private boolean underWay;
    private Set<String> nodes = new HashSet<>();
    private Set<String> owners = new HashSet<>();
    private BitSet pods = new BitSet();

    /** Begins a snapshot: no object is named yet. */
    void begin() {
        end();
        underWay = true;
    }

    /** Ends the snapshot, and releases the memory. */
    void end() {
        underWay = false;
        nodes = new HashSet<>();
        owners = new HashSet<>();
        pods = new BitSet();
    }

    boolean isUnderWay() {
        return underWay;
    }

    void nameNode(String uid) {
        if (underWay) {
            nodes.add(uid);
        }
    }

    void nameOwner(String uid) {
        if (underWay) {
            owners.add(uid);
        }
    }

    void namePod(int row) {
        if (underWay) {
            pods.set(row);
        }
    }

    /** Called when the pod of a row was removed: the row may get another pod. */
    void forgetPod(int row) {
        if (underWay) {
            pods.clear(row);
        }
    }

    boolean hasNode(String uid) {
        return nodes.contains(uid);
    }

    boolean hasOwner(String uid) {
        return owners.contains(uid);
    }

    boolean hasPod(int row) {
        return pods.get(row);
    }
}
