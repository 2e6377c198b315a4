package io.evenkeel.placement.change;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.evenkeel.engine.model.ClusterWriter;
import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.engine.model.PodRecord;
import io.evenkeel.placement.call.Feeds;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tests how the changes of a message are divided into batches. */
final class ChangeBatchesTest {
    private final List<Integer> applied = new ArrayList<>();
    private final List<Integer> expected = new ArrayList<>();

    @Test
    void podEndsABatch_whenTimeIsUp() {
        assertEquals(List.of(1, 1, 1), batches(changes(3, true), true));
    }

    @Test
    void podsEndABatch_ifThoseEnd_thatWereFetched() {
        assertEquals(List.of(256, 256, 88), batches(changes(600, true), false));
        assertEquals(List.of(256, 256, 88), expected);
    }

    @Test
    void podsAreFetchedOnce_whenTheirBatchIsParted() {
        assertEquals(300, batches(changes(300, true), true).size());
        assertEquals(List.of(256, 44), expected);
    }

    @Test
    void nodeEndsABatch_whenTimeIsUp() {
        assertEquals(List.of(1, 1, 1), batches(changes(3, false), true));
    }

    @Test
    void nodesShareABatch_whenThereIsTime() {
        assertEquals(List.of(3), batches(changes(3, false), false));
    }

    @Test
    void messageWithoutChanges_isOneEmptyBatch() {
        assertEquals(List.of(0), batches(List.of(), false));
    }

    @Test
    void onlyChangesThatChangeSomethingAreCounted() {
        ChangeBatches changes = batches(List.of(change(true), change(false), change(true)));
        changes.advance(writer(false));
        assertTrue(changes.isDone());
        assertEquals(2, changes.count());
    }

    private static ChangeBatches batches(List<ObjectChange> changes) {
        return new ChangeBatches(changes, new Feeds(Duration.ofSeconds(30), System::nanoTime), null, false);
    }

    private static ObjectChange change(boolean changes) {
        return new ObjectChange() {
            @Override
            public boolean applyTo(ClusterWriter writer) {
                return changes;
            }

            @Override
            public ObjectKind kind() {
                return ObjectKind.NODE;
            }

            @Override
            public long version() {
                return 0;
            }
        };
    }

    private List<Integer> batches(List<ObjectChange> changes, boolean timeIsUp) {
        ChangeBatches progress = batches(changes);
        List<Integer> sizes = new ArrayList<>();
        do {
            int before = applied.size();
            progress.advance(writer(timeIsUp));
            sizes.add(applied.size() - before);
        } while (!progress.isDone());
        assertEquals(IntStream.range(0, changes.size()).boxed().toList(), applied);
        return sizes;
    }

    private List<ObjectChange> changes(int count, boolean pods) {
        PodRecord record = new PodRecord(new byte[0]);
        List<ObjectChange> changes = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            int number = i;
            changes.add(new ObjectChange() {
                @Override
                public ObjectKind kind() {
                    return ObjectKind.POD;
                }

                @Override
                public long version() {
                    return 0;
                }

                @Override
                public boolean applyTo(ClusterWriter writer) {
                    return applied.add(number);
                }

                @Override
                public @Nullable PodRecord pod() {
                    return pods ? record : null;
                }
            });
        }
        return changes;
    }

    private ClusterWriter writer(boolean timeIsUp) {
        return (ClusterWriter) Proxy.newProxyInstance(
                ClusterWriter.class.getClassLoader(), new Class<?>[] {ClusterWriter.class}, (proxy, method, of) -> {
                    if (method.getName().equals("expect")) {
                        expected.add(((List<?>) of[0]).size());
                        return null;
                    }
                    if (method.getName().equals("heldVersion")) {
                        return 0L;
                    }
                    return timeIsUp;
                });
    }
}
