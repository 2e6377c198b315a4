package io.evenkeel.engine.lock;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The engine's lock: several readers at once, or one writer. Where no writer is about, readers write no memory that
 * other threads' readers write, so that two threads get twice the answers of one.
 *
 * <pre>
 *   cells    | – | stage | – | stripe 0 | – | stripe 1 | – | …      one in 128 bytes: neighbours would share a cache
 *                                                                   line
 *
 *   stage    FREE      nobody writes, nobody is about to
 *            WRITING   a writer holds the lock, or waits until the stripes are 0
 *            PARKED    the same, and the writer sleeps: who takes a stripe down wakes it
 *   stripe   the readers inside that came by it; a thread's number says which it takes
 *
 *   turn     the ticket of the writer whose turn it is; writers draw tickets as they come
 *   waiting  readers that met a writer and wait until it is done
 *   inside   readers that were let in through the gate and have not left
 *   rounds   the number of writes that are done
 * </pre>
 *
 * A reader takes its stripe up and then looks at the stage. Where that is FREE it is in. Else it takes the stripe down
 * again and goes to the gate. A writer whose turn it is sets the stage, waits for those {@link #inside}, then for each
 * stripe to be 0 once. This is the reader's side of BRAVO (Dice and Kogan, 2019), always biased.
 *
 * <p><b>Memory order.</b> Stage and stripes are read and written as volatile, so all threads see these accesses in one
 * order. A reader writes its stripe before it reads the stage; the writer writes the stage before it reads the stripes.
 * So either the writer sees the reader's stripe up and waits, or the reader sees the stage and turns back; with
 * anything weaker, both could miss each other and be inside together. A reader takes its stripe down after its last
 * read of the index, and the writer reads the 0 before its first write, so that no reader sees a write that came after
 * it. The writer's last write comes before the stage is FREE again, which a reader reads before anything else, so that
 * it sees all of it. It is enough to see each stripe at 0 once, one after another: who takes one up later sees the
 * stage.
 *
 * <p><b>Fairness.</b> Readers and writers take turns. A writer that is done lets in all readers that wait at the gate,
 * and the next writer waits until they have left, however soon it comes: writers that follow each other without pause
 * do not shut readers out. Readers that come once a writer has set the stage wait until it is done: readers without
 * pause do not shut a writer out. Writers go in the order in which they came.
 *
 * <p><b>Not reentrant.</b> A thread that writes and asks again gets an exception. A thread that reads must not ask
 * again, neither for writing nor for reading: a writer that has come meanwhile would wait for it, and it for the
 * writer.
 */
public final class EngineLock {
    private static final VarHandle CELL = MethodHandles.arrayElementVarHandle(long[].class);

    private static final int LONGS_A_CELL = 16;
    private static final int STAGE = LONGS_A_CELL;
    private static final long FREE = 0;
    private static final long WRITING = 1;
    private static final long PARKED = 2;

    /**
     * A stamp is [ 56 bits: the probe's time as the hold began, 0 where there was none | 8 bits: the stripe, or GATE ].
     */
    private static final int STRIPE_BITS = 8;

    private static final int GATE = (1 << STRIPE_BITS) - 1;
    private static final int STRIPES_A_PROCESSOR = 4;
    private static final int LEAST_STRIPES = 16;
    private static final int MOST_STRIPES = 1 << STRIPE_BITS - 1;

    /**
     * A thread that waits spins so long before it sleeps: to sleep and to be woken takes some ten microseconds, a small
     * write less.
     */
    private static final long SPIN_NANOS = 20_000;

    private static final int PAUSES_A_LOOK = 16;

    private final int stripes;
    private final long[] cells;

    /** Guards what follows, and is waited on. What is volatile is also read by threads that spin. */
    private final Object gate = new Object();

    private long tickets;
    private volatile long turn;
    private int waiting;
    private volatile int inside;
    private volatile long rounds;

    /** The thread that has its turn to write. */
    private volatile @Nullable Thread writer;

    private volatile @Nullable HoldProbe probe;
    private volatile long longestWrite;

    /** The writer's own. */
    private @Nullable HoldProbe writersProbe;

    private long writeBegan;
    private long writeBeganForProbe;

    public EngineLock() {
        this(Runtime.getRuntime().availableProcessors() * STRIPES_A_PROCESSOR);
    }

    /** @param leastStripes threads whose numbers follow each other, up to so many, share no stripe */
    EngineLock(int leastStripes) {
        int wanted = Math.min(MOST_STRIPES, Math.max(LEAST_STRIPES, leastStripes));
        stripes = Integer.highestOneBit(wanted * 2 - 1);
        cells = new long[(stripes + 3) * LONGS_A_CELL];
    }

    /** Times each hold from now on, until another probe is given; null for none. */
    public void setProbe(@Nullable HoldProbe newProbe) {
        probe = newProbe;
    }

    /** The longest that the lock has been held for writing so far, in nanoseconds. */
    public long longestWrite() {
        return longestWrite;
    }

    // ---- reading

    /** Answers the stamp that {@link #unlockRead} needs. */
    public long lockRead() {
        int stripe = (int) Thread.currentThread().getId() & stripes - 1;
        int cell = cellOf(stripe);
        CELL.getAndAdd(cells, cell, 1L);
        if ((long) CELL.getVolatile(cells, STAGE) != FREE) {
            leave(cell);
            enterByGate();
            stripe = GATE;
        }
        HoldProbe told = probe;
        return told == null ? stripe : told.now() << STRIPE_BITS | stripe;
    }

    public void unlockRead(long stamp) {
        HoldProbe told = stamp >>> STRIPE_BITS == 0 ? null : probe;
        long end = told == null ? 0 : told.now();
        int stripe = (int) stamp & GATE;
        if (stripe == GATE) {
            leaveByGate();
        } else {
            leave(cellOf(stripe));
        }
        if (told != null) {
            told.held(false, end - (stamp >>> STRIPE_BITS));
        }
    }

    private static int cellOf(int stripe) {
        return STAGE + (stripe + 1) * LONGS_A_CELL;
    }

    /**
     * Takes a stripe down. The stage is read after that: the writer sets PARKED before it looks at the stripes for the
     * last time, so that one of the two sees the other.
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
                gate.notifyAll();
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
            throw new IllegalStateException("the lock must be let go by the thread that holds it for writing");
        }
        HoldProbe told = writersProbe;
        long end = System.nanoTime();
        long nanos = told == null ? 0 : told.now() - writeBeganForProbe;
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
            gate.notifyAll();
        }
        if (told != null) {
            told.held(true, nanos);
        }
    }

    /** Readers that come from now on go to the gate, and wait there. */
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
            // Else a thread that was interrupted would not sleep.
            interrupted |= Thread.interrupted();
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void beginTiming() {
        HoldProbe told = probe;
        writersProbe = told;
        writeBeganForProbe = told == null ? 0 : told.now();
        writeBegan = System.nanoTime();
    }

    private static IllegalStateException isWriter() {
        return new IllegalStateException("a thread that holds the lock for writing must not ask for it again");
    }

    // ---- waiting

    /** Spins a little, then sleeps, until {@code event} has come, of which the gate's waiters are told. */
    private void await(BooleanSupplier event) {
        if (spin(event)) {
            return;
        }
        boolean interrupted = false;
        synchronized (gate) {
            while (!event.getAsBoolean()) {
                try {
                    gate.wait();
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Answers whether the event has come. */
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
