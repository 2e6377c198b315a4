package io.evenkeel.loadtest.load;

/** A manual clock. Sleeping advances it to the end of the sleep. For one thread. */
final class StalledClock implements Clock {
    private long now = 1_000;

    @Override
    public long nanos() {
        return now;
    }

    @Override
    public void sleepUntil(long nanos) {
        now = Math.max(now, nanos);
    }

    void pass(long nanos) {
        now += nanos;
    }
}
