package io.evenkeel.engine.lock;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

final class EngineLockTest {
    private static final Duration LIVENESS = Duration.ofSeconds(30);

    private final EngineLock lock = new EngineLock();
    private final List<String> order = Collections.synchronizedList(new ArrayList<>());
    private final List<FutureTask<?>> tasks = new ArrayList<>();
    private final AtomicBoolean stop = new AtomicBoolean();

    /** Each writer writes both fields. */
    private long first;

    private long second;

    @AfterEach
    void stopAll() throws InterruptedException, ExecutionException, TimeoutException {
        stop.set(true);
        for (FutureTask<?> task : tasks) {
            task.get(LIVENESS.toSeconds(), TimeUnit.SECONDS);
        }
    }

    @Test
    void readersSeeWholeWrites_andNoWriteIsLost_whenManyThreadsDoBoth() throws Exception {
        int writes = 5_000;
        List<FutureTask<?>> writers = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            startBeside(this::readUntilStopped);
            writers.add(start(() -> {
                for (int write = 0; write < writes; write++) {
                    write();
                    if (write % 16 == 0) {
                        checkRead();
                    }
                }
            }));
        }
        for (FutureTask<?> writer : writers) {
            writer.get(LIVENESS.toSeconds(), TimeUnit.SECONDS);
        }
        lock.lockWrite();
        assertEquals(3L * writes, first);
        assertEquals(first, second);
        lock.unlockWrite();
    }

    @Test
    void readersExcludeTheWriter_whenTheyShareStripes() throws Exception {
        List<FutureTask<?>> writers = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            // More threads than stripes. They sleep in between, so that threads that get the lock need not wait for a
            // processor.
            startBeside(() -> {
                while (!stop.get()) {
                    checkRead();
                    LockSupport.parkNanos(500_000);
                }
            });
        }
        for (int i = 0; i < 2; i++) {
            writers.add(start(() -> {
                for (int write = 0; write < 300; write++) {
                    write();
                }
            }));
        }
        for (FutureTask<?> writer : writers) {
            writer.get(LIVENESS.toSeconds(), TimeUnit.SECONDS);
        }
        assertEquals(600, lockedFirst());
    }

    @Test
    void severalReadersAreInAtOnce() throws Exception {
        CountDownLatch bothIn = new CountDownLatch(2);
        List<FutureTask<?>> readers = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            readers.add(start(() -> {
                long stamp = lock.lockRead();
                bothIn.countDown();
                awaitLatch(bothIn);
                lock.unlockRead(stamp);
            }));
        }
        for (FutureTask<?> reader : readers) {
            reader.get(LIVENESS.toSeconds(), TimeUnit.SECONDS);
        }
        assertEquals(0, bothIn.getCount());
    }

    @Test
    void waitingReaderGetsIn_beforeTheNextWriter_whenItMetAWriter() {
        lock.lockWrite();
        startAndAwaitSleep(() -> read("reader"));
        startAndAwaitSleep(() -> write("writer"));
        lock.unlockWrite();
        awaitOrder("reader", "writer");
    }

    @Test
    void waitingReadersGetIn_beforeTheNextWriter_whenItCameFirst() {
        lock.lockWrite();
        startAndAwaitSleep(() -> write("writer"));
        startAndAwaitSleep(() -> read("reader"));
        startAndAwaitSleep(() -> read("reader"));
        lock.unlockWrite();
        awaitOrder("reader", "reader", "writer");
    }

    @Test
    void readerThatComesLater_waitsForTheWriter_whenThatWaitsForReaders() {
        long stamp = lock.lockRead();
        startAndAwaitSleep(() -> write("writer"));
        startAndAwaitSleep(() -> read("reader"));
        order.add("first reader");
        lock.unlockRead(stamp);
        awaitOrder("first reader", "writer", "reader");
    }

    @Test
    void writersGoInTheOrderInWhichTheyCame() {
        lock.lockWrite();
        for (String name : List.of("1", "2", "3", "4")) {
            startAndAwaitSleep(() -> write(name));
        }
        lock.unlockWrite();
        awaitOrder("1", "2", "3", "4");
    }

    @Test
    void readersAreNotShutOut_whenWritersFollowEachOtherWithoutPause() throws Exception {
        for (int i = 0; i < 2; i++) {
            startBeside(() -> {
                while (!stop.get()) {
                    write();
                }
            });
        }
        AtomicLong reads = new AtomicLong();
        FutureTask<?> reader = start(() -> {
            while (reads.incrementAndGet() < 500) {
                checkRead();
            }
        });
        reader.get(LIVENESS.toSeconds(), TimeUnit.SECONDS);
        assertEquals(500, reads.get());
    }

    @Test
    void writerIsNotShutOut_whenReadersFollowEachOtherWithoutPause() throws Exception {
        for (int i = 0; i < 4; i++) {
            startBeside(this::readUntilStopped);
        }
        FutureTask<?> writer = start(() -> {
            for (int write = 0; write < 500; write++) {
                write();
            }
        });
        writer.get(LIVENESS.toSeconds(), TimeUnit.SECONDS);
        assertEquals(500, lockedFirst());
    }

    @Test
    void threadThatWrites_isRefused_whenItAsksAgain() {
        lock.lockWrite();
        assertTrue(refusalOf(lock::lockRead).contains("must not ask"));
        assertTrue(refusalOf(lock::lockWrite).contains("must not ask"));
        lock.unlockWrite();
        write("afterwards");
        read("afterwards");
    }

    @Test
    void writeIsNotEnded_byAThreadThatDoesNotWrite() {
        assertTrue(refusalOf(lock::unlockWrite).contains("by the thread"));
        long stamp = lock.lockRead();
        refusalOf(lock::unlockWrite);
        lock.unlockRead(stamp);
        write("afterwards");
    }

    @Test
    void interruptedThread_keepsWaiting_andStaysInterrupted() {
        lock.lockWrite();
        Thread reader = startAndAwaitSleep(() -> {
            read("reader");
            order.add(Thread.interrupted() ? "interrupted" : "not interrupted");
        });
        reader.interrupt();
        assertEquals(List.of(), order);
        order.add("writer");
        lock.unlockWrite();
        awaitOrder("writer", "reader", "interrupted");
    }

    @Test
    void interruptedWriter_keepsWaitingForReaders_andStaysInterrupted() {
        long stamp = lock.lockRead();
        Thread writer = startAndAwaitSleep(() -> {
            write("writer");
            order.add(Thread.interrupted() ? "interrupted" : "not interrupted");
        });
        writer.interrupt();
        order.add("reader");
        lock.unlockRead(stamp);
        awaitOrder("reader", "writer", "interrupted");
    }

    @Test
    void probeIsReportedOfHolds_fromWhenItIsGivenToWhenItIsTakenAway() {
        AtomicLong now = new AtomicLong(1);
        LockProbe probe = new LockProbe() {
            @Override
            public long now() {
                return now.get();
            }

            @Override
            public void held(boolean writing, long nanos) {
                order.add((writing ? "wrote " : "read ") + nanos);
            }
        };
        long before = lock.lockRead();
        lock.setProbe(probe);
        lock.unlockRead(before);
        long stamp = lock.lockRead();
        now.addAndGet(70);
        lock.unlockRead(stamp);
        lock.lockWrite();
        now.addAndGet(5);
        lock.unlockWrite();
        long last = lock.lockRead();
        lock.setProbe(null);
        lock.unlockRead(last);
        read("read unseen");
        assertEquals(List.of("read 70", "wrote 5", "read unseen"), order);
    }

    @Test
    void longestWriteIsKept_withoutAProbe() {
        assertEquals(0, lock.longestWrite());
        write("writer");
        long one = lock.longestWrite();
        assertTrue(one > 0);
        lock.lockWrite();
        long begin = System.nanoTime();
        while (System.nanoTime() - begin < 5_000_000) {
            Thread.onSpinWait();
        }
        lock.unlockWrite();
        write("writer");
        assertTrue(lock.longestWrite() >= Math.max(one, 5_000_000));
    }

    // ---- acts

    private void write() {
        lock.lockWrite();
        first++;
        second = first;
        lock.unlockWrite();
    }

    private void checkRead() {
        long stamp = lock.lockRead();
        long one = first;
        long other = second;
        lock.unlockRead(stamp);
        if (one != other) {
            throw new IllegalStateException("saw half a write: " + one + ", " + other);
        }
    }

    private void readUntilStopped() {
        while (!stop.get()) {
            checkRead();
        }
    }

    private long lockedFirst() {
        long stamp = lock.lockRead();
        try {
            return first;
        } finally {
            lock.unlockRead(stamp);
        }
    }

    private void read(String name) {
        long stamp = lock.lockRead();
        order.add(name);
        lock.unlockRead(stamp);
    }

    private void write(String name) {
        lock.lockWrite();
        order.add(name);
        lock.unlockWrite();
    }

    private static String refusalOf(Executable act) {
        return Objects.requireNonNull(
                assertThrows(IllegalStateException.class, act).getMessage());
    }

    private void startBeside(Runnable work) {
        tasks.add(start(work));
    }

    private FutureTask<?> start(Runnable work) {
        FutureTask<?> task = new FutureTask<>(work, null);
        new Thread(task).start();
        return task;
    }

    /** Starts a thread that must wait for the lock, and returns it once it sleeps. */
    private Thread startAndAwaitSleep(Runnable work) {
        FutureTask<?> task = new FutureTask<>(work, null);
        tasks.add(task);
        Thread thread = new Thread(task);
        thread.start();
        Instant end = Instant.now().plus(LIVENESS);
        while (thread.getState() != Thread.State.WAITING) {
            assertTrue(Instant.now().isBefore(end), "the thread must come to wait");
            Thread.onSpinWait();
        }
        return thread;
    }

    private void awaitOrder(String... names) {
        Instant end = Instant.now().plus(LIVENESS);
        while (order.size() < names.length && Instant.now().isBefore(end)) {
            Thread.onSpinWait();
        }
        assertEquals(List.of(names), order);
    }

    private static void awaitLatch(CountDownLatch latch) {
        try {
            assertTrue(latch.await(LIVENESS.toSeconds(), TimeUnit.SECONDS));
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
