package io.evenkeel.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
final class StateLockTest {
    private final StateLock lock = new StateLock();

    @Test
    void readersShareIt() throws Exception {
        CountDownLatch both = new CountDownLatch(2);
        List<Thread> readers = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            readers.add(started(() -> {
                long stamp = lock.readLock();
                both.countDown();
                await(both);
                lock.unlock(stamp);
            }));
        }
        assertTrue(both.await(30, TimeUnit.SECONDS), "one reader waits for the other");
        join(readers);
    }

    @Test
    void nobodyElseIsIn_whileSomebodyWrites() throws Exception {
        AtomicInteger writers = new AtomicInteger();
        AtomicInteger readers = new AtomicInteger();
        AtomicInteger met = new AtomicInteger();
        List<Thread> threads = new ArrayList<>();
        for (int t = 0; t < 4; t++) {
            boolean writes = t % 2 == 0;
            threads.add(started(() -> {
                for (int i = 0; i < 20_000; i++) {
                    long stamp = writes ? lock.writeLock() : lock.readLock();
                    (writes ? writers : readers).incrementAndGet();
                    if (writers.get() > (writes ? 1 : 0) || writes && readers.get() > 0) {
                        met.incrementAndGet();
                    }
                    (writes ? writers : readers).decrementAndGet();
                    lock.unlock(stamp);
                }
            }));
        }
        join(threads);
        assertEquals(0, met.get());
    }

    @Test
    void readerThatWaits_getsInBetweenTheSlicesOfAWriterThatNeverPauses() throws Exception {
        AtomicBoolean over = new AtomicBoolean();
        CountDownLatch writing = new CountDownLatch(1);
        Thread writer = started(() -> {
            while (!over.get()) {
                long stamp = lock.writeLock();
                writing.countDown();
                lock.unlock(stamp);
            }
        });
        await(writing);
        for (int i = 0; i < 1_000; i++) {
            lock.unlock(lock.readLock());
        }
        over.set(true);
        join(List.of(writer));
    }

    private static Thread started(Runnable work) {
        Thread thread = new Thread(work);
        thread.start();
        return thread;
    }

    private static void await(CountDownLatch latch) {
        try {
            assertTrue(latch.await(30, TimeUnit.SECONDS));
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private static void join(List<Thread> threads) throws InterruptedException {
        for (Thread thread : threads) {
            thread.join();
        }
    }
}
