package io.evenkeel.placement;

import io.evenkeel.engine.Change;
import io.evenkeel.engine.SpreadEngine;
import io.evenkeel.feed.InvalidObjectException;
import io.evenkeel.v1.ClusterEvent;
import io.evenkeel.v1.ClusterObject;
import io.evenkeel.v1.ItemError;
import io.evenkeel.v1.ObjectMeta;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.Refusal;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Applies objects and events in order, a slice at a time, so that readers never wait long. What is refused is named by its position, and the rest applied. Safe for use by
 * several threads.
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

    /** @param guard told, within the engine's write, how many changes come next; throws where they and the rest must not be made */
    Outcome events(List<ClusterEvent> events, IntConsumer guard) {
        Run run = new Run(guard);
        for (int i = 0; i < events.size(); i++) {
            ClusterEvent event = events.get(i);
            Change change = change(event.getType());
            if (change == null) {
                run.refuse(
                        i,
                        event.getObject(),
                        ItemErrors.invalid("type", "must be ADDED, MODIFIED or DELETED, was " + event.getTypeValue()));
            } else {
                run.add(i, event.getObject(), change, "object.");
            }
        }
        return run.end();
    }

    /** The objects of a snapshot; otherwise as {@link #events}. */
    Outcome objects(List<ClusterObject> objects, IntConsumer guard) {
        Run run = new Run(guard);
        for (int i = 0; i < objects.size(); i++) {
            run.add(i, objects.get(i), Change.LISTED, "");
        }
        return run.end();
    }

    private static @Nullable Change change(ClusterEvent.Type type) {
        return switch (type) {
            case ADDED -> Change.ADDED;
            case MODIFIED -> Change.MODIFIED;
            case DELETED -> Change.DELETED;
            case TYPE_UNSPECIFIED, UNRECOGNIZED -> null;
        };
    }

    static Refusal refusal(int position, ObjectMeta metadata, ItemError error) {
        String name = metadata.getName();
        return Refusal.newBuilder()
                .setPosition(position)
                .setObject(metadata.getNamespace().isEmpty() ? name : metadata.getNamespace() + "/" + name)
                .setError(error)
                .build();
    }

    /** One message on its way. */
    private final class Run {
        private final IntConsumer guard;
        private final List<ObjectChange> slice = new ArrayList<>(SLICE);
        private final List<Refusal> refusals = new ArrayList<>();
        private long revision;
        private int applied;

        Run(IntConsumer guard) {
            this.guard = guard;
        }

        void add(int position, ClusterObject object, Change change, String path) {
            if (object.getObjectCase() == ClusterObject.ObjectCase.OBJECT_NOT_SET) {
                refuse(position, object, ItemErrors.invalid(path + "object", "must be one of the kinds"));
                return;
            }
            try {
                slice.add(ObjectChange.of(object, change));
            } catch (InvalidObjectException e) {
                refuse(position, object, ItemErrors.invalid(e, path + ObjectChange.fieldOf(object)));
            }
            if (slice.size() == SLICE) {
                write();
            }
        }

        void refuse(int position, ClusterObject object, ItemError error) {
            refusals.add(refusal(position, ObjectChange.metadataOf(object), error));
        }

        Outcome end() {
            write();
            return new Outcome(revision, applied, refusals);
        }

        private void write() {
            List<Pod> pending = new ArrayList<>();
            revision = engine.write(writer -> {
                guard.accept(slice.size());
                for (ObjectChange change : slice) {
                    if (change.applyTo(writer)) {
                        applied++;
                        Pod pod = change.pending();
                        if (pod != null) {
                            pending.add(pod);
                        }
                    }
                }
            });
            slice.clear();
            pending.forEach(pendingPods);
        }
    }
}
