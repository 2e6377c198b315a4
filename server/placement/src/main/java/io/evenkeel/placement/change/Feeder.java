package io.evenkeel.placement.change;

import io.evenkeel.engine.SpreadEngine;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.Refusal;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.IntConsumer;

/**
 * Writes the changes of messages to the engine, in writes so short that readers never wait long. Safe for use by
 * several threads.
 */
public final class Feeder {
    /** How many changes are made in one write at most: some hundred microseconds, for which readers wait. */
    public static final int SLICE = ChangeBatches.SLICE;

    /**
     * The result of applying a message.
     *
     * @param applied how many of its objects changed something
     */
    public record Outcome(long revision, int applied, List<Refusal> refusals) {}

    private final SpreadEngine engine;
    private final Consumer<Pod> pendingPods;

    /** @param pendingPods called with pending pods that have constraints; must not block */
    public Feeder(SpreadEngine engine, Consumer<Pod> pendingPods) {
        this.engine = engine;
        this.pendingPods = pendingPods;
    }

    /**
     * Applies the changes, and returns when all are applied.
     *
     * @param guard run at the begin of each write; it throws where the remaining changes must not be made
     * @param done called within the last write with how many of the changes changed something
     */
    public Outcome apply(ChangeList changes, Runnable guard, IntConsumer done) {
        ChangeBatches applied = new ChangeBatches(changes.accepted());
        long revision;
        do {
            revision = engine.write(writer -> {
                guard.run();
                applied.advance(writer);
                if (applied.isDone()) {
                    done.accept(applied.count());
                }
            });
            applied.takePending().forEach(pendingPods);
        } while (!applied.isDone());
        changes.refuse(applied.refused());
        return new Outcome(revision, applied.count(), changes.refusals());
    }
}
