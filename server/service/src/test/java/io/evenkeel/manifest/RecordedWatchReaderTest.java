package io.evenkeel.manifest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.evenkeel.engine.model.Change;
import io.evenkeel.objects.WatchedObject;
import io.evenkeel.v1.ObjectMeta;
import io.evenkeel.v1.Pod;
import java.io.IOException;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class RecordedWatchReaderTest {
    @ParameterizedTest
    @ValueSource(strings = {"""
                {"type":"ADDED","object":{"kind":"Pod","apiVersion":"v1","metadata":{"uid":"1"}}}
                {"type":"BOOKMARK","object":{"kind":"Pod","apiVersion":"v1","metadata":{"resourceVersion":"9"}}}
                {"type":"MODIFIED","object":{"kind":"ConfigMap","apiVersion":"v1","data":{}}}
                {"type":"DELETED","object":{"kind":"Pod","apiVersion":"v1","metadata":{"uid":"2"}}}
                """, """
                {"object":{"metadata":{"uid":"1"},"kind":"Pod"},"more":[],"type":"ADDED"}
                {"object":{"metadata":{"resourceVersion":"9"},"kind":"Pod"},"type":"BOOKMARK"}
                {"object":{"kind":"ConfigMap"},"type":"MODIFIED"}{"object":{"metadata":{"uid":"2"},"kind":"Pod"},"type":"DELETED"}
                """, """
                ---
                object: {kind: Pod, metadata: {uid: "1"}}
                type: ADDED
                ---
                type: ADDED
                object:
                  apiVersion: v1
                  kind: ConfigMap
                ---
                type: DELETED
                object:
                  kind: Pod
                  metadata:
                    uid: "2"
                """})
    void events_areReadInOrder_withoutBookmarksAndOtherKinds(String text) throws IOException {
        try (RecordedWatchReader reader = RecordedWatchReader.of(ObjectReaderTest.stream(text), "x")) {
            assertEquals(new WatchedObject(Change.ADDED, pod("1")), reader.next());
            assertEquals(new WatchedObject(Change.DELETED, pod("2")), reader.next());
            assertNull(reader.next());
            assertEquals(Map.of("ConfigMap", 1L), reader.skippedKinds());
        }
    }

    @Test
    void watch_mayEndWithoutAnyEvent() throws IOException {
        try (RecordedWatchReader reader = RecordedWatchReader.of(ObjectReaderTest.stream("\n"), "x")) {
            assertNull(reader.next());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"""
                {"type":"ERROR","object":{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure",
                 "message":"too old resource version: 1 (806)","reason":"Expired","code":410}}
                """, """
                {"object":{"code":410,"reason":"Expired","message":"too old resource version: 1 (806)"},"type":"ERROR"}
                """})
    void errorEvent_endsTheWatch_withItsCodeAndReason(String text) throws IOException {
        try (RecordedWatchReader reader = RecordedWatchReader.of(ObjectReaderTest.stream(text), "x")) {
            WatchErrorException error = assertThrows(WatchErrorException.class, reader::next);
            assertEquals(410, error.code());
            assertEquals("Expired", error.reason());
            assertEquals(
                    "the watch ended with an error: too old resource version: 1 (806) (Expired, code 410)",
                    error.getMessage());
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{\"type\":\"ADDED\",\"object\":7} | object must be an object, was the number 7, after 0 objects",
                "{\"type\":\"CHANGED\",\"object\":{}} | type must be ADDED, MODIFIED, DELETED, BOOKMARK or ERROR, was \"CHANGED\"",
                "{\"object\":{\"kind\":\"Pod\"}} | type must not be missing",
                "{\"type\":\"ADDED\"} | object must not be missing",
                "{\"type\":5} | type must be a string, was the number 5",
                "{\"type\":\"ADDED\",\"object\":{}} | kind must not be missing (object.kind)",
                "{\"type\":\"ADDED\",\"object\":{\"kind\":\"Pod\",\"spec\":{\"nodeName\":1}}} | nodeName must be a string, was the number 1 (object.spec.nodeName)",
                "{\"object\":{\"spec\":{\"nodeName\":1},\"kind\":\"Pod\"},\"type\":\"ADDED\"} | nodeName must be a string, was the number 1 (object.spec.nodeName)",
                "[] | the document must be an object, was a list",
                "{\"type\":\"ADDED\",\"object\":{\"kind\":\"Pod\" | the input is truncated",
                "{\"type\":\"ERROR\",\"object\":{\"code\":\"x\"}} | code must be an integer",
            })
    void badEvent_saysWhatIsWrongAndWhere(String text, String message) throws IOException {
        try (RecordedWatchReader reader = RecordedWatchReader.of(ObjectReaderTest.stream(text), "x")) {
            String said =
                    assertThrows(ObjectFormatException.class, reader::next).getMessage();
            assertTrue(said.startsWith("x, line 1, column ") && said.contains(message), said);
        }
    }

    @Test
    @Timeout(60)
    void event_isHandedOut_beforeTheNextOneIsWritten() throws IOException {
        try (PipedOutputStream server = new PipedOutputStream();
                PipedInputStream client = new PipedInputStream(server, 1 << 16)) {
            server.write("{\"type\":\"ADDED\",\"object\":{\"kind\":\"Pod\",\"metadata\":{\"uid\":\"0\"}}}\n"
                    .getBytes(StandardCharsets.UTF_8));
            RecordedWatchReader reader = RecordedWatchReader.of(client, "x");
            // The same thread writes and reads, so a reader that waited for more would never return.
            for (int i = 1; i < 100; i++) {
                assertEquals(new WatchedObject(Change.ADDED, pod(Integer.toString(i - 1))), reader.next());
                server.write(
                        ("{\"type\":\"ADDED\",\"object\":{\"kind\":\"Pod\",\"metadata\":{\"uid\":\"" + i + "\"}}}\n")
                                .getBytes(StandardCharsets.UTF_8));
            }
        }
    }

    @Test
    void typesOfRealWatches_areAllKnown() throws IOException {
        assertEquals(
                List.of(Change.MODIFIED, Change.MODIFIED, Change.MODIFIED, Change.DELETED),
                RealCluster.events("watch.nodes.jsonl.gz").stream()
                        .map(WatchedObject::change)
                        .sorted()
                        .toList());
    }

    private static Pod pod(String uid) {
        return Pod.newBuilder().setMetadata(ObjectMeta.newBuilder().setUid(uid)).build();
    }
}
