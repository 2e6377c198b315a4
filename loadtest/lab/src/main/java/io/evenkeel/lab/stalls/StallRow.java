package io.evenkeel.lab.stalls;

/**
 * The measurements of an act, as written to JSON: the longest holds, the longest wait, and the longest wait of the idle
 * control. Holds have their least value in processor time, and their greatest by the wall clock.
 */
record StallRow(String act, Range writeHold, Range readHold, Range waiting, Range idleWaiting) {
    StallRow(String act) {
        this(act, new Range(), new Range(), new Range(), new Range());
    }

    /** The least and the greatest value of all repetitions. */
    static final class Range {
        private long least = Long.MAX_VALUE;
        private long most;

        private void add(long low, long high) {
            least = Math.min(least, low);
            most = Math.max(most, high);
        }

        public double getLeastMillis() {
            return least / 1e6;
        }

        public double getMostMillis() {
            return most / 1e6;
        }

        @Override
        public String toString() {
            return words(getLeastMillis()) + "-" + words(getMostMillis());
        }

        private static String words(double millis) {
            return (millis < 10 ? "%.2f" : "%.0f").formatted(millis);
        }
    }

    /** Adds a repetition. */
    void add(LockHoldTimes holds, long waited, long waitedIdle) {
        writeHold.add(holds.writeWork.get(), holds.writeWall.get());
        readHold.add(holds.readWork.get(), holds.readWall.get());
        waiting.add(waited, waited);
        idleWaiting.add(waitedIdle, waitedIdle);
    }

    /** The longest hold, for writing or for reading, in processor time, of the repetition in which it was shortest. */
    double holdMillis() {
        return Math.max(writeHold.getLeastMillis(), readHold.getLeastMillis());
    }
}
