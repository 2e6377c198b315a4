package io.evenkeel.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.code_intelligence.jazzer.junit.FuzzTest;
import com.google.protobuf.Message;
import io.evenkeel.engine.IndexValidator;
import io.evenkeel.manifest.ObjectFormatException;
import io.evenkeel.manifest.ObjectReader;
import io.evenkeel.manifest.PodManifest;
import io.evenkeel.manifest.SchedulerConfiguration;
import io.evenkeel.placement.Instance;
import io.evenkeel.placement.InstanceOptions;
import io.evenkeel.v1.Refusal;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;

/**
 * Fuzzes the files that commands read, as JSON and YAML: objects, workloads, and the scheduler's configuration. A
 * rejection must name the file, and an object that was read must be loaded, or be rejected by field.
 */
final class ClusterFileFuzz {
    private static final String SOURCE = "FILE";

    @FuzzTest
    void file_isReadOrRejected(byte[] data) throws IOException {
        List<Message> objects = new ArrayList<>();
        String rejection = read(new ByteArrayInputStream(data), reader -> addAll(reader, objects));
        if (!objects.isEmpty()) {
            List<Message> loaded = new ArrayList<>();
            assertEquals(rejection, load(new ByteArrayInputStream(data), loaded));
            assertEquals(objects.size(), loaded.size());
        }
        List<Message> again = new ArrayList<>();
        assertEquals(rejection, read(new OneByOne(data), reader -> addAll(reader, again)));
        assertEquals(objects, again);
        try {
            for (PodManifest workload :
                    PodManifest.readAll(new ByteArrayInputStream(data), SOURCE, ClusterFileFuzz::assertOneLine)) {
                assertFalse(workload.toString().isEmpty());
            }
        } catch (ObjectFormatException e) {
            assertNamed(e);
        }
        try {
            assertFalse(SchedulerConfiguration.read(new ByteArrayInputStream(data), SOURCE)
                    .isEmpty());
        } catch (ObjectFormatException e) {
            assertNamed(e);
        }
    }

    /** Loads the objects of a file. Returns why the file was rejected; empty if it was not. */
    private static String load(InputStream file, List<Message> objects) throws IOException {
        try (Instance instance = new Instance(InstanceOptions.standard());
                ClusterLoader loader = new ClusterLoader(instance.clusterState())) {
            String rejection =
                    read(file, reader -> loader.load(reader, objects::add, ClusterFileFuzz::assertNamesField));
            loader.end();
            IndexValidator.validate(instance.engine());
            return rejection;
        }
    }

    /** What is done with the objects of a file. */
    private interface Use {
        void of(ObjectReader reader) throws IOException;
    }

    private static String read(InputStream file, Use use) throws IOException {
        try (ObjectReader reader = ObjectReader.of(file, SOURCE)) {
            use.of(reader);
            reader.fieldProblems().forEach(ClusterFileFuzz::assertOneLine);
            return "";
        } catch (ObjectFormatException e) {
            assertNamed(e);
            return e.getMessage();
        }
    }

    private static void addAll(ObjectReader reader, List<Message> objects) throws IOException {
        for (Message object = reader.next(); object != null; object = reader.next()) {
            objects.add(object);
        }
    }

    private static void assertNamesField(Refusal refusal) {
        assertTrue(
                refusal.getError().getViolationsCount() > 0, refusal.getError().getMessage());
    }

    private static void assertNamed(ObjectFormatException rejected) {
        assertTrue(rejected.getMessage().startsWith(SOURCE), rejected.getMessage());
        assertOneLine(rejected.getMessage());
    }

    private static void assertOneLine(String message) {
        assertFalse(message.isBlank() || message.contains("\n") || message.length() > 2_000, message);
    }

    /** A stream that returns one byte at a time. */
    private static final class OneByOne extends ByteArrayInputStream {
        OneByOne(byte[] bytes) {
            super(bytes);
        }

        @Override
        public synchronized int read(byte[] target, int offset, int length) {
            return super.read(target, offset, Math.min(1, length));
        }
    }
}
