package io.evenkeel.kube;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.evenkeel.engine.IndexValidator;
import io.evenkeel.engine.model.Change;
import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.kube.client.ApiStatus;
import io.evenkeel.kube.client.BodyReader;
import io.evenkeel.placement.Instance;
import io.evenkeel.placement.InstanceOptions;
import io.evenkeel.v1.GetStatusRequest;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Fuzzes the lists and watches of an API server. They must be read alike in chunks of any size, and the index must be
 * what a recount says.
 */
final class BodyFuzz {
    private static final int LIST = 0x80;
    private static final int MAX_BATCH = 3;
    private static final List<ObjectKind> KINDS = List.copyOf(ObjectKind.ALL);

    /** The first byte chooses between list and watch, and a kind; the second is the length of chunks. */
    static Stream<byte[]> seeds() {
        List<byte[]> seeds = new ArrayList<>();
        for (ObjectKind kind : KINDS) {
            byte[] first = KubeWorld.object(kind, 1, 1, 5);
            byte[] second = KubeWorld.object(kind, 2, 2, 6);
            String name = kind.kindName();
            seeds.add(body(KINDS.indexOf(kind) | LIST, Frames.list(name + "List", 7, "", List.of(first, second))));
            seeds.add(body(
                    KINDS.indexOf(kind),
                    Frames.frame("ADDED", name, first),
                    Frames.frame("MODIFIED", name, KubeWorld.object(kind, 1, 2, 8)),
                    Frames.frame("BOOKMARK", name, Frames.bookmark(9, true)),
                    Frames.frame("DELETED", name, second),
                    Frames.frame("ERROR", "Status", Frames.status(410, "Expired", "too old"))));
        }
        return seeds.stream();
    }

    private static byte[] body(int first, byte[]... parts) {
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        body.write(first);
        body.write(50);
        for (byte[] part : parts) {
            body.writeBytes(part);
        }
        return body.toByteArray();
    }

    @MethodSource("seeds")
    @FuzzTest
    void body_isReadAlike_inChunksOfAnySize(byte[] data) {
        if (data.length > 2) {
            assertEquals(read(data, data.length), read(data, 1 + Byte.toUnsignedInt(data[1])));
        }
    }

    /** What was read, and what it did to an instance. */
    private static List<String> read(byte[] data, int chunk) {
        ObjectKind kind = KINDS.get((data[0] & LIST - 1) % KINDS.size());
        List<String> log = new ArrayList<>();
        List<String> refusals = new ArrayList<>();
        try (Instance instance = new Instance(InstanceOptions.standard());
                KindWriter writer = new KindWriter(
                        kind,
                        instance.clusterState(),
                        "fuzzed",
                        MAX_BATCH,
                        refusal -> refusals.add(refusal.getObject() + refusal.getError()),
                        FedObjects.NOBODY)) {
            writer.beginSnapshot();
            try {
                if ((data[0] & LIST) != 0) {
                    ListReader list = new ListReader((bytes, from, to) -> {
                        log.add(text(bytes, from, to));
                        writer.object(bytes, from, to);
                    });
                    feed(list, data, chunk);
                    log.add(list.resourceVersion() + " " + list.continuation());
                    writer.endSnapshot(1);
                } else {
                    writer.endSnapshot(1);
                    feed(new WatchReader(new Watched(writer, log)), data, chunk);
                }
            } catch (IOException e) {
                log.add(e.toString());
            }
            writer.send();
            log.add(instance.clusterState()
                            .getStatus(GetStatusRequest.getDefaultInstance())
                            .getPodCount() + " pods");
            IndexValidator.validate(instance.engine());
        }
        // When they are reported depends on the chunks.
        refusals.stream().sorted().forEach(log::add);
        return log;
    }

    private static void feed(BodyReader reader, byte[] data, int chunk) throws IOException {
        for (int from = 2; from < data.length; from += chunk) {
            reader.read(data, from, Math.min(data.length, from + chunk));
        }
        reader.end();
    }

    private static String text(byte[] bytes, int from, int to) {
        return HexFormat.of().formatHex(bytes, from, to);
    }

    /** Applies events as a feed does. */
    private record Watched(KindWriter writer, List<String> log) implements WatchReader.Events {
        @Override
        public void event(EventType type, byte[] bytes, int from, int to) throws IOException {
            log.add(type + " " + text(bytes, from, to));
            switch (type) {
                case ADDED -> log.add("version " + writer.event(Change.ADDED, bytes, from, to));
                case MODIFIED -> log.add("version " + writer.event(Change.MODIFIED, bytes, from, to));
                case DELETED -> log.add("version " + writer.event(Change.DELETED, bytes, from, to));
                case BOOKMARK -> {
                    log.add(ObjectVersion.of(bytes, from, to).toString());
                    writer.bookmark(ObjectVersion.versionOf(bytes, from, to));
                }
                case ERROR -> throw ApiStatus.ofObject(bytes, from, to);
            }
        }

        @Override
        public void pause() {
            writer.send();
        }
    }
}
