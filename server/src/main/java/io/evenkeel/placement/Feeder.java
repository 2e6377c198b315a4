package io.evenkeel.placement;

import io.evenkeel.engine.PodRecord;
import io.evenkeel.engine.SpreadEngine;
import io.evenkeel.v1.ItemError;
import io.evenkeel.v1.ObjectMeta;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.Refusal;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.IntConsumer;

/**
 * Makes changes in order, a slice at a time, so that readers never wait long. Safe for use by several threads.
 */
final class Feeder {
    /** Changes made while readers wait: some hundred microseconds. */
    static final int SLICE = 256;

    /**
     * What became of a message.
     *
     * @param applied how many of its objects changed something
     */
    record Outcome(long revision, int applied, List<Refusal> refusals) {}

    private final SpreadEngine engine;
    private final Consumer<Pod> pendingPods;

    /** @param pendingPods told of pods that wait for a node and carry constraints; must not block */
    Feeder(SpreadEngine engine, Consumer<Pod> pendingPods) {
        this.engine = engine;
        this.pendingPods = pendingPods;
    }

    /**
     * @param guard run within each of the engine's writes, before it; throws where the changes left must not be made
     * @param done told within the last of the engine's writes how many changes changed something
     */
    Outcome apply(ChangeList changes, Runnable guard, IntConsumer done) {
        List<ObjectChange> accepted = changes.accepted();
        int applied = 0;
        for (int from = 0; ; from += SLICE) {
            int before = applied;
            boolean last = from + SLICE >= accepted.size();
            List<ObjectChange> slice = accepted.subList(from, last ? accepted.size() : from + SLICE);
            Outcome outcome = write(slice, guard, made -> {
                if (last) {
                    done.accept(before + made);
                }
            });
            applied += outcome.applied;
            if (last) {
                return new Outcome(outcome.revision, applied, changes.refusals());
            }
        }
    }

    private Outcome write(List<ObjectChange> slice, Runnable guard, IntConsumer done) {
        List<ObjectChange> applied = new ArrayList<>(slice.size());
        List<PodRecord> pods =
                slice.stream().map(ObjectChange::pod).filter(Objects::nonNull).toList();
        long revision = engine.write(writer -> {
            guard.run();
            writer.expect(pods);
            for (ObjectChange change : slice) {
                if (change.applyTo(writer)) {
                    applied.add(change);
                }
            }
            done.accept(applied.size());
        });
        for (ObjectChange change : applied) {
            Pod pod = change.pending();
            if (pod != null) {
                pendingPods.accept(pod);
            }
        }
        return new Outcome(revision, applied.size(), List.of());
    }

    static Refusal refusal(int position, ObjectMeta metadata, ItemError error) {
        String name = metadata.getName();
        return Refusal.newBuilder()
                .setPosition(position)
                .setObject(metadata.getNamespace().isEmpty() ? name : metadata.getNamespace() + "/" + name)
                .setError(error)
                .build();
    }
}
