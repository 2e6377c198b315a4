package io.evenkeel.engine.cluster;

import java.util.List;
import java.util.Objects;
import org.agrona.collections.Int2ObjectHashMap;

/**
 * Pods that share their namespace and name with another pod. Each such name has a ring of pods. A pod whose name is
 * unique is in no ring. Joining and leaving take constant time.
 */
final class Namesakes {
    /** The neighbours of a pod in its ring. */
    private static final class Links {
        int next;
        int previous;

        Links(int next, int previous) {
            this.next = next;
            this.previous = previous;
        }
    }

    private final Int2ObjectHashMap<Links> rings = new Int2ObjectHashMap<>();

    Namesakes() {}

    /** A copy. */
    Namesakes(Namesakes other) {
        other.rings.forEachInt((pod, links) -> rings.put(pod, new Links(links.next, links.previous)));
    }

    /** Whether a pod is in a ring. */
    boolean has(int pod) {
        return !rings.isEmpty() && rings.containsKey(pod);
    }

    /** Adds {@code pod} to the ring of {@code other}, which has the same name. */
    void join(int other, int pod) {
        Links there = rings.get(other);
        if (there == null) {
            there = new Links(other, other);
            rings.put(other, there);
        }
        rings.put(pod, new Links(there.next, other));
        of(there.next).previous = pod;
        there.next = pod;
    }

    /** Removes a pod from its ring; returns another pod of the ring. */
    int leave(int pod) {
        Links left = Objects.requireNonNull(rings.remove(pod));
        if (left.next == left.previous) {
            rings.remove(left.next);
        } else {
            of(left.next).previous = left.previous;
            of(left.previous).next = left.next;
        }
        return left.next;
    }

    /** Adds a pod and all others with the same name to {@code found}. */
    void addAll(int pod, List<Integer> found) {
        found.add(pod);
        if (has(pod)) {
            for (int other = of(pod).next; other != pod; other = of(other).next) {
                found.add(other);
            }
        }
    }

    private Links of(int pod) {
        return Objects.requireNonNull(rings.get(pod));
    }
}
