package io.evenkeel.engine.cluster;

import java.util.Arrays;

/**
 * Which pods have changed while somebody looks pods up in several holds of the lock: who looks asks for a {@link Watch}
 * first, and afterwards whether what it has found still stands. Costs next to nothing while nobody watches. Noted by
 * the engine's one writer; watches begin, are read and end under the engine's lock for reading.
 */
public final class ChangedPods {
    private static final Watch[] NOBODY = {};

    private volatile Watch[] watches = NOBODY;

    /** The pods that have changed since it began, as often as they did. */
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

    /** A pod has come, goes or changes. */
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
