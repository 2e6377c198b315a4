package io.evenkeel.engine.skew;

import io.evenkeel.engine.cluster.NodeSlots;
import io.evenkeel.engine.cluster.PodTable;
import io.evenkeel.engine.lock.StopSignal;
import io.evenkeel.engine.store.ClusterStore;
import java.util.Arrays;
import org.agrona.collections.Int2IntHashMap;
import org.agrona.collections.IntArrayList;

/**
 * The pods that are neither terminating nor finished, by label class. A place is the number of a class here.
 *
 * <pre>
 *   classes    by place: the class
 *   examples   by place: one of its pods
 *   begins     by place: where its pods begin in slots; the next place's begin is their end
 *   slots      for each pod, by place: the slot on which it counts, or NONE
 *   placeOf    class → place
 * </pre>
 */
public final class PodsByClass {
    static final int NONE = -1;
    private static final int PODS_A_CHECK = 1 << 12;

    private final IntArrayList classes = new IntArrayList();
    private final IntArrayList examples = new IntArrayList();
    private final int[] begins;
    private final int[] slots;
    private final Int2IntHashMap placeOf = new Int2IntHashMap(NONE);

    /** @param stop reports when to stop */
    public PodsByClass(ClusterStore store, StopSignal stop) {
        PodTable pods = store.pods;
        int[] places = places(pods, stop);
        begins = new int[classes.size() + 1];
        for (int place : places) {
            if (place != NONE) {
                begins[place + 1]++;
            }
        }
        for (int place = 0; place < classes.size(); place++) {
            begins[place + 1] += begins[place];
        }
        slots = new int[begins[classes.size()]];
        int[] next = begins.clone();
        for (int pod = 0; pod < places.length; pod++) {
            if (places[pod] != NONE) {
                slots[next[places[pod]]++] = store.slotCountedOn(pod);
            }
        }
    }

    /** The place of each pod's class; NONE if it is not considered. */
    private int[] places(PodTable pods, StopSignal stop) {
        int[] places = new int[pods.limit()];
        Arrays.fill(places, NONE);
        int lastClass = NONE;
        int place = NONE;
        for (int pod = 0; pod < places.length; pod++) {
            if (pod % PODS_A_CHECK == 0) {
                stop.check();
            }
            if (pods.isLive(pod) && pods.counts(pod)) {
                int labelClass = pods.labelClass(pod);
                // Pods of a class are often next to each other.
                if (labelClass != lastClass) {
                    lastClass = labelClass;
                    place = place(labelClass, pod);
                }
                places[pod] = place;
            }
        }
        return places;
    }

    /** The place of the class of a pod, which is its example if it is the first one. */
    private int place(int labelClass, int pod) {
        int place = placeOf.get(labelClass);
        if (place == NONE) {
            place = classes.size();
            placeOf.put(labelClass, place);
            classes.addInt(labelClass);
            examples.addInt(pod);
        }
        return place;
    }

    /** The place of a class, or NONE if it has no pods. */
    int place(int labelClass) {
        return placeOf.get(labelClass);
    }

    /** How many classes there are. */
    public int size() {
        return classes.size();
    }

    /** The class at a place. */
    public int labelClass(int place) {
        return classes.getInt(place);
    }

    /** One of the class's pods. */
    public int example(int place) {
        return examples.getInt(place);
    }

    /** How many pods the class has. */
    int pods(int place) {
        return begins[place + 1] - begins[place];
    }

    /** How many of them count on no node. */
    int pending(int place) {
        int pending = 0;
        for (int at = begins[place]; at < begins[place + 1]; at++) {
            pending += slots[at] == NodeSlots.NONE ? 1 : 0;
        }
        return pending;
    }

    /** The index in {@link #slots} at which the pods of a class begin. Those of the class before end there. */
    public int begin(int place) {
        return begins[place];
    }

    /** The slots on which pods count, or NONE. The array must not be changed. */
    public int[] slots() {
        return slots;
    }
}
