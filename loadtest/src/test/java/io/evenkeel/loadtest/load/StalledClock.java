package io.evenkeel.loadtest.load;

/** A clock that stands still but for who moves it: sleeping moves it to the time slept until. Of one thread. */
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
