package io.evenkeel.engine.lock;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The engine's lock: it admits several readers at once, or one writer. While no writer is present, a reader writes only
 * memory that no other thread's reader writes, so that two threads get twice the answers of one.
 *
 * <pre>
 *   cells    | – | stage | – | stripe 0 | – | stripe 1 | – | …      one in 128 bytes: neighbours would share a cache
 *                                                                   line
 *
 *   stage    FREE      no writer is present
 *            WRITING   a writer holds the lock, or waits until the stripes are 0
 *            PARKED    the same, and the writer sleeps: a reader that leaves its stripe wakes it
 *   stripe   the number of readers that entered by it and are inside; a thread's id selects its stripe
 *
 *   turn     the ticket of the writer whose turn it is; each writer draws a ticket as it arrives
 *   waiting  the number of readers that met a writer and wait until it is done
 *   inside   the number of readers that came in through the gate and have not left
 *   asleep   the number of threads that sleep at the gate and may need to be woken
 *   rounds   the number of writes that are done
 * </pre>
 *
 * A reader increments its stripe and then reads the stage. If the stage is FREE, the reader is inside. Otherwise it
 * decrements the stripe again and goes to the gate. A writer whose turn it is sets the stage, waits until
 * {@link #inside} is 0, and then waits until it has seen each stripe at 0 once. This is the readers' side of BRAVO
 * (Dice and Kogan, 2019), always biased towards readers.
 *
 * <p><b>Memory order.</b> Stage and stripes are read and written as volatile, so all threads see these accesses in one
 * order. A reader writes its stripe before it reads the stage; the writer writes the stage before it reads the stripes.
 * So either the writer sees that the stripe is not 0 and waits, or the reader sees the stage and turns back. With
 * anything weaker, each could miss the other, and both would be inside. A reader decrements its stripe after its last
 * read of the index, and the writer reads the 0 before its first write, so that the reader sees none of these writes.
 * The writer's last write comes before it sets the stage to FREE, and a reader reads the stage before anything else, so
 * that it sees all of these writes. It is enough to see each stripe at 0 once, one after another: a reader that
 * increments a stripe later sees the stage.
 *
 * <p><b>Fairness.</b> Readers and writers take turns. A writer that is done lets in all readers that wait at the gate,
 * and the next writer waits until they have left. So a constant sequence of writers does not shut readers out. Readers
 * that arrive after a writer has set the stage wait until the writer is done. So a constant sequence of readers does
 * not shut a writer out. Writers get the lock in the order in which they arrive.
 *
 * <p><b>Not reentrant.</b> A thread that holds the lock for writing and asks for it again gets an exception. A thread
 * that holds it for reading must not ask again, neither for reading nor for writing: if a writer has arrived meanwhile,
 * each of them would wait for the other.
 */
public final class EngineLock {
    private static final VarHandle CELL = MethodHandles.arrayElementVarHandle(long[].class);

    private static final int LONGS_A_CELL = 16;
    private static final int STAGE = LONGS_A_CELL;
    private static final long FREE = 0;
    private static final long WRITING = 1;
    private static final long PARKED = 2;

    /**
     * A stamp is [ 56 bits: the probe's time when the hold began, 0 if it is not timed | 8 bits: the stripe, or GATE ].
     */
    private static final int STRIPE_BITS = 8;

    private static final int GATE = (1 << STRIPE_BITS) - 1;
    private static final int STRIPES_A_PROCESSOR = 4;
    private static final int MIN_STRIPES = 16;
    private static final int MAX_STRIPES = 1 << STRIPE_BITS - 1;

    /**
     * How long a waiting thread spins before it sleeps. Sleeping and waking up take about ten microseconds, and a small
     * write takes less.
     */
    private static final long SPIN_NANOS = 20_000;

    private static final int PAUSES_A_LOOK = 16;

    private final int stripes;
    private final long[] cells;

    /**
     * Guards the fields below, and is the monitor that threads wait on. Spinning threads read the volatile fields
     * without it.
     */
    private final Object gate = new Object();

    private long tickets;
    private volatile long turn;
    private int waiting;
    private int asleep;
    private volatile int inside;
    private volatile long rounds;

    /** The thread whose turn it is to write. */
    private volatile @Nullable Thread writer;

    private volatile @Nullable LockProbe probe;
    private volatile long longestWrite;

    /** The probe of the write under way. Only the writer uses it. */
    private @Nullable LockProbe writersProbe;

    private long writeBegan;
    private long writeBeganForProbe;

    public EngineLock() {
        this(Runtime.getRuntime().availableProcessors() * STRIPES_A_PROCESSOR);
    }

    /** @param minStripes how many threads with consecutive ids must not share a stripe */
    EngineLock(int minStripes) {
        int wanted = Math.min(MAX_STRIPES, Math.max(MIN_STRIPES, minStripes));
        stripes = Integer.highestOneBit(wanted * 2 - 1);
        cells = new long[(stripes + 3) * LONGS_A_CELL];
    }

    /** Makes {@code newProbe} time each hold from now on; null ends this. */
    public void setProbe(@Nullable LockProbe newProbe) {
        probe = newProbe;
    }

    /** The longest time so far that a writer has held the lock, in nanoseconds. */
    public long longestWrite() {
        return longestWrite;
    }

    // ---- reading

    /** Waits until the thread may read; returns the stamp that {@link #unlockRead} needs. */
    public long lockRead() {
        int stripe = (int) Thread.currentThread().getId() & stripes - 1;
        int cell = cellOf(stripe);
        CELL.getAndAdd(cells, cell, 1L);
        if ((long) CELL.getVolatile(cells, STAGE) != FREE) {
            leave(cell);
            enterByGate();
            stripe = GATE;
        }
        LockProbe timing = probe;
        return timing == null || !timing.timesNextRead() ? stripe : timing.now() << STRIPE_BITS | stripe;
    }

    public void unlockRead(long stamp) {
        LockProbe timing = stamp >>> STRIPE_BITS == 0 ? null : probe;
        long end = timing == null ? 0 : timing.now();
        int stripe = (int) stamp & GATE;
        if (stripe == GATE) {
            leaveByGate();
        } else {
            leave(cellOf(stripe));
        }
        if (timing != null) {
            timing.held(false, end - (stamp >>> STRIPE_BITS));
        }
    }

    private static int cellOf(int stripe) {
        return STAGE + (stripe + 1) * LONGS_A_CELL;
    }

    /**
     * Decrements a stripe, and reads the stage only after that. The writer sets PARKED before it reads the stripes for
     * the last time, so one of the two sees the other.
     */
    private void leave(int cell) {
        CELL.getAndAdd(cells, cell, -1L);
        if ((long) CELL.getVolatile(cells, STAGE) == PARKED) {
            LockSupport.unpark(writer);
        }
    }

    private void enterByGate() {
        long round;
        synchronized (gate) {
            if (writer == Thread.currentThread()) {
                throw isWriter();
            }
            if ((long) CELL.getVolatile(cells, STAGE) == FREE) {
                inside++;
                return;
            }
            waiting++;
            round = rounds;
        }
        await(() -> rounds != round);
    }

    private void leaveByGate() {
        synchronized (gate) {
            if (--inside == 0) {
                wake();
            }
        }
    }

    // ---- writing

    public void lockWrite() {
        long ticket;
        synchronized (gate) {
            if (writer == Thread.currentThread()) {
                throw isWriter();
            }
            ticket = tickets++;
            if (turn == ticket) {
                beginTurn();
            }
        }
        if (writer != Thread.currentThread()) {
            await(() -> turn == ticket);
            synchronized (gate) {
                beginTurn();
            }
        }
        if (inside != 0) {
            await(() -> inside == 0);
        }
        awaitStripes();
        beginTiming();
    }

    public void unlockWrite() {
        if (writer != Thread.currentThread()) {
            throw new IllegalStateException("the lock must be released by the thread that holds it for writing");
        }
        LockProbe timing = writersProbe;
        long end = System.nanoTime();
        long nanos = timing == null ? 0 : timing.now() - writeBeganForProbe;
        if (end - writeBegan > longestWrite) {
            longestWrite = end - writeBegan;
        }
        synchronized (gate) {
            inside += waiting;
            waiting = 0;
            rounds++;
            writer = null;
            CELL.setVolatile(cells, STAGE, FREE);
            turn++;
            wake();
        }
        if (timing != null) {
            timing.held(true, nanos);
        }
    }

    /** From now on, readers that arrive go to the gate and wait there. */
    private void beginTurn() {
        writer = Thread.currentThread();
        CELL.setVolatile(cells, STAGE, WRITING);
    }

    private void awaitStripes() {
        for (int stripe = 0; stripe < stripes; stripe++) {
            int cell = cellOf(stripe);
            if (isUp(cell) && !spin(() -> !isUp(cell))) {
                CELL.setVolatile(cells, STAGE, PARKED);
                parkWhileUp(cell);
                CELL.setVolatile(cells, STAGE, WRITING);
            }
        }
    }

    private boolean isUp(int cell) {
        return (long) CELL.getVolatile(cells, cell) != 0;
    }

    private void parkWhileUp(int cell) {
        boolean interrupted = false;
        while (isUp(cell)) {
            LockSupport.park(this);
            // A thread with its interrupt flag set would not sleep.
            interrupted |= Thread.interrupted();
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void beginTiming() {
        LockProbe timing = probe;
        writersProbe = timing;
        writeBeganForProbe = timing == null ? 0 : timing.now();
        writeBegan = System.nanoTime();
    }

    private static IllegalStateException isWriter() {
        return new IllegalStateException("a thread that holds the lock for writing must not ask for it again");
    }

    // ---- waiting

    /**
     * Waits until {@code event} is true: first spins a little, then sleeps. Threads that make an event true notify the
     * gate.
     */
    private void await(BooleanSupplier event) {
        if (spin(event)) {
            return;
        }
        boolean interrupted = false;
        synchronized (gate) {
            asleep++;
            while (!event.getAsBoolean()) {
                try {
                    gate.wait();
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
            asleep--;
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Wakes all threads that sleep at the gate. The caller must hold the gate. */
    private void wake() {
        if (asleep > 0) {
            gate.notifyAll();
        }
    }

    /** Spins for a short time; returns whether the event became true. */
    private static boolean spin(BooleanSupplier event) {
        long began = System.nanoTime();
        do {
            for (int i = 0; i < PAUSES_A_LOOK; i++) {
                if (event.getAsBoolean()) {
                    return true;
                }
                Thread.onSpinWait();
            }
        } while (System.nanoTime() - began < SPIN_NANOS);
        return false;
    }
}
