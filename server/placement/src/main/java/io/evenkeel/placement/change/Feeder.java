package io.evenkeel.placement.change;

import io.evenkeel.engine.SpreadEngine;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.Refusal;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.IntConsumer;

/** Makes changes in order, a slice at a time, so that readers never wait long. Safe for use by several threads. */
public final class Feeder {
    /** The most changes made while readers wait: some hundred microseconds. */
    public static final int SLICE = AppliedChanges.SLICE;

    /**
     * What became of a message.
     *
     * @param applied how many of its objects changed something
     */
    public record Outcome(long revision, int applied, List<Refusal> refusals) {}

    private final SpreadEngine engine;
    private final Consumer<Pod> pendingPods;

    /** @param pendingPods told of pods that wait for a node and carry constraints; must not block */
    public Feeder(SpreadEngine engine, Consumer<Pod> pendingPods) {
        this.engine = engine;
        this.pendingPods = pendingPods;
    }

    /**
     * Makes changes, and waits until they are made.
     *
     * @param guard run within each of the engine's writes, before it; throws where the changes left must not be made
     * @param done told within the last of the engine's writes how many changes changed something
     */
    public Outcome apply(ChangeList changes, Runnable guard, IntConsumer done) {
        AppliedChanges applied = new AppliedChanges(changes.accepted());
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
