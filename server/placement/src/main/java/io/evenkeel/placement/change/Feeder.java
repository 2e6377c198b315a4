package io.evenkeel.placement.change;

import io.evenkeel.placement.call.EngineAccess;
import io.evenkeel.placement.call.FeedStream;
import io.evenkeel.placement.call.RequestException;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.Refusal;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import java.util.stream.Collectors;

/** Applies the changes of messages to the engine, in writes short enough that readers never wait long. Thread-safe. */
public final class Feeder {
    /** The maximum number of changes in one write. Readers wait for it, for a few hundred microseconds. */
    public static final int SLICE = ChangeBatches.SLICE;

    /**
     * The result of applying a message.
     *
     * @param applied how many of its objects changed the state
     */
    public record Outcome(long revision, int applied, List<Refusal> refusals) {}

    private final EngineAccess access;
    private final Consumer<Pod> pendingPods;

    /** @param pendingPods called with pending pods that have constraints; must not block */
    public Feeder(EngineAccess access, Consumer<Pod> pendingPods) {
        this.access = access;
        this.pendingPods = pendingPods;
    }

    /** Applies events that do not come from a stream, and returns when all are applied. */
    public Outcome apply(ChangeList events) {
        return apply(events, new ChangeBatches(events.accepted(), access.feeds(), null, false), () -> {}, applied -> {
            if (applied > 0) {
                access.feeds()
                        .apply(events.accepted().stream()
                                .map(ObjectChange::kind)
                                .collect(Collectors.toSet()));
            }
        });
    }

    /**
     * Applies changes from a stream, and returns when all are applied.
     *
     * @param listed whether they are the objects of a snapshot
     * @throws RequestException if another stream takes over one of the stream's kinds; the remaining changes are not
     *     applied
     */
    Outcome apply(ChangeList changes, FeedStream stream, boolean listed) {
        ChangeBatches batches = new ChangeBatches(changes.accepted(), access.feeds(), stream, listed);
        return apply(changes, batches, stream::move, applied -> {});
    }

    /**
     * Applies the changes.
     *
     * @param guard runs at the start of each write, and throws if the remaining changes must not be applied
     * @param done called within the last write with the number of changes that changed the state
     */
    private Outcome apply(ChangeList changes, ChangeBatches applied, Runnable guard, IntConsumer done) {
        long revision;
        do {
            revision = access.engine().write(writer -> {
                guard.run();
                applied.advance(writer);
                if (applied.isDone()) {
                    done.accept(applied.count());
                }
            });
            applied.takePending().forEach(pendingPods);
        } while (!applied.isDone());
        changes.refuse(applied.refused());
        changes.refusedByKind()
                .forEach((kind, objects) -> access.feeds().of(kind).countRefused(objects));
        return new Outcome(revision, applied.count(), changes.refusals());
    }
}
