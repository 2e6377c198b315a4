package io.evenkeel.placement.call;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTimeout;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.evenkeel.engine.Await;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
final class RecentQueriesTest {
    private static final long LONG = TimeUnit.HOURS.toNanos(1);

    private final AtomicLong now = new AtomicLong(Long.MAX_VALUE - 5);
    private final RecentQueries recent = new RecentQueries(now::get);
    private @Nullable Thread resting;

    @AfterEach
    void stop() throws InterruptedException {
        if (resting != null) {
            resting.interrupt();
            resting.join();
        }
    }

    /** Starts to rest in another thread, and returns once that thread waits. */
    private Thread rest(RecentQueries queries, long most) throws InterruptedException {
        Thread thread = new Thread(() -> {
            try {
                queries.await(most);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        resting = thread;
        thread.start();
        Await.until(() -> thread.getState() == Thread.State.TIMED_WAITING || !thread.isAlive());
        return thread;
    }

    @Test
    void noOneRests_ifPeopleAsk() throws Exception {
        assertTimeout(Duration.ofSeconds(30), () -> {
            recent.note();
            recent.await(LONG);
            now.addAndGet(RecentQueries.PERIOD_NANOS);
            recent.await(LONG);
            recent.note();
            now.addAndGet(RecentQueries.PERIOD_NANOS);
            recent.await(LONG);
        });
    }

    @Test
    void aQuery_endsARest_andKeepsOthersFromIt() throws Exception {
        Thread thread = rest(recent, LONG);
        assertTrue(thread.isAlive());
        recent.note();
        thread.join();
        recent.await(LONG);
    }

    @Test
    void whoeverAskedLongAgo_disturbsNoRest() throws Exception {
        recent.note();
        recent.await(LONG);
        now.addAndGet(RecentQueries.PERIOD_NANOS);
        recent.await(LONG);
        now.addAndGet(RecentQueries.PERIOD_NANOS);
        assertTrue(rest(recent, LONG).isAlive());
    }

    @Test
    void aRest_endsByItself() throws Exception {
        RecentQueries queries = new RecentQueries(System::nanoTime);
        long begin = System.nanoTime();
        long most = TimeUnit.MILLISECONDS.toNanos(30);
        Thread thread = rest(queries, most);
        thread.join();
        assertFalse(System.nanoTime() - begin < most);
    }
}
