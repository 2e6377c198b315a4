package io.evenkeel.placement.answer;

import io.evenkeel.placement.call.RequestException;
import java.util.concurrent.atomic.AtomicInteger;

/** Bounds how many pods are watched on all streams, and how many kinds of them. Thread-safe. */
final class WatchRoom {
    private final int maxPods;
    private final int maxKinds;
    private final AtomicInteger pods = new AtomicInteger();
    private final AtomicInteger kinds = new AtomicInteger();

    WatchRoom(int maxPods, int maxKinds) {
        this.maxPods = maxPods;
        this.maxKinds = maxKinds;
    }

    /**
     * Takes room for one more pod.
     *
     * @throws RequestException if there is none
     */
    void takePod() {
        if (!take(pods, maxPods)) {
            throw RequestException.overLimit(
                    "key",
                    "must not be added, because the server already watches its maximum of " + maxPods
                            + " pods on all streams; remove some first");
        }
    }

    void givePodsBack(int count) {
        pods.addAndGet(-count);
    }

    /**
     * Takes room for one more kind of pods.
     *
     * @throws RequestException if there is none
     */
    void takeKind() {
        if (!take(kinds, maxKinds)) {
            throw RequestException.overLimit(
                    "pod",
                    "must equal a pod that this stream already watches, because the server watches its maximum of "
                            + maxKinds + " kinds of pods on all streams; remove some first");
        }
    }

    void giveKindBack() {
        kinds.decrementAndGet();
    }

    /** How many pods are watched. */
    int pods() {
        return pods.get();
    }

    /** How many kinds of pods are watched. */
    int kinds() {
        return kinds.get();
    }

    private static boolean take(AtomicInteger taken, int most) {
        return taken.getAndUpdate(now -> now < most ? now + 1 : now) < most;
    }
}
