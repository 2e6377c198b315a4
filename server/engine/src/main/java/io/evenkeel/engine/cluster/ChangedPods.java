package io.evenkeel.engine.cluster;

import java.util.Arrays;

/**
 * Records which pods change while a reader looks up pods in several holds of the lock. The reader begins a
 * {@link Watch} first, and at the end checks what it has found against the pods in the watch. Without a watch,
 * recording costs almost nothing. Only the engine's one writer records; watches begin, are read and end under the
 * engine's lock for reading.
 */
public final class ChangedPods {
    private static final Watch[] NOBODY = {};

    private volatile Watch[] watches = NOBODY;

    /** The pods that have changed since the watch began. A pod is listed once for each of its changes. */
    public static final class Watch {
        private int[] pods = new int[16];
        private int count;

        private void add(int pod) {
            if (count == pods.length) {
                pods = Arrays.copyOf(pods, count * 2);
            }
            pods[count++] = pod;
        }

        public int count() {
            return count;
        }

        public int pod(int at) {
            return pods[at];
        }
    }

    /** Records that a pod was added, changes or is about to be removed. */
    public void note(int pod) {
        for (Watch watch : watches) {
            watch.add(pod);
        }
    }

    public synchronized Watch begin() {
        Watch watch = new Watch();
        Watch[] more = Arrays.copyOf(watches, watches.length + 1);
        more[watches.length] = watch;
        watches = more;
        return watch;
    }

    public synchronized void end(Watch watch) {
        watches = Arrays.stream(watches).filter(each -> each != watch).toArray(Watch[]::new);
    }
}
