package io.evenkeel.engine;

import java.util.Arrays;

/**
 * Doubly linked lists of pod ids, one for each owner (a host, a label class); a pod is in one list at most.
 *
 * <pre>
 *   heads[owner]          the first pod, NONE where the list is empty
 *   next[pod], prev[pod]  NONE at the ends
 * </pre>
 */
final class PodList {
    static final int NONE = -1;

    private int[] heads = {};
    private int[] sizes = {};
    private int[] next = {};
    private int[] prev = {};

    int first(int owner) {
        return owner < heads.length ? heads[owner] : NONE;
    }

    int next(int pod) {
        return next[pod];
    }

    int size(int owner) {
        return owner < sizes.length ? sizes[owner] : 0;
    }

    void add(int owner, int pod) {
        heads = grow(heads, owner);
        if (owner >= sizes.length) {
            sizes = Arrays.copyOf(sizes, heads.length);
        }
        next = grow(next, pod);
        prev = grow(prev, pod);
        sizes[owner]++;
        int head = heads[owner];
        next[pod] = head;
        prev[pod] = NONE;
        if (head != NONE) {
            prev[head] = pod;
        }
        heads[owner] = pod;
    }

    void remove(int owner, int pod) {
        int before = prev[pod];
        int after = next[pod];
        if (before == NONE) {
            heads[owner] = after;
        } else {
            next[before] = after;
        }
        if (after != NONE) {
            prev[after] = before;
        }
        sizes[owner]--;
    }

    private static int[] grow(int[] array, int index) {
        if (index < array.length) {
            return array;
        }
        int[] grown = Arrays.copyOf(array, Math.max(index + 1, array.length + (array.length >>> 1) + 16));
        Arrays.fill(grown, array.length, grown.length, NONE);
        return grown;
    }
}
