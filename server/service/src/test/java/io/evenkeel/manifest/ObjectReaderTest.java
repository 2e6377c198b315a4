package io.evenkeel.manifest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.DiscardUnknownFieldsParser;
import com.google.protobuf.Message;
import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.objects.KindMessages;
import io.evenkeel.v1.Node;
import io.evenkeel.v1.ObjectMeta;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.TopologySpreadConstraint;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

public final class ObjectReaderTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                // The output of kubectl: the list's kind follows its items.
                """
                {"apiVersion":"v1","items":[
                  {"apiVersion":"v1","kind":"Node","metadata":{"name":"a"}},
                  {"apiVersion":"v1","kind":"Pod","metadata":{"name":"b"}}],"kind":"List","metadata":{"resourceVersion":""}}
                """,
                // The kind before, between and after the other fields; apiVersion after the kind.
                """
                {"kind":"List","apiVersion":"v1","metadata":{},"items":[
                  {"metadata":{"name":"a"},"extra":{},"kind":"Node","status":null,"apiVersion":"v1"},
                  {"spec":null,"metadata":{"name":"b"},"apiVersion":"v1","kind":"Pod"}]}
                """,
                // One after another, with and without white space between.
                """
                {"apiVersion":"v1","kind":"Node","metadata":{"name":"a"}}{"apiVersion":"v1","kind":"Pod","metadata":{"name":"b"}}
                """,
                """

                \t{"apiVersion":"v1","kind":"Node","metadata":{"name":"a"}}

                {"apiVersion":"v1","kind":"PodList","items":[{"metadata":{"name":"b"}}]}
                """,
                // Lists of one kind, whose items do not name it.
                """
                {"kind":"NodeList","apiVersion":"v1","items":[{"metadata":{"name":"a"}}]}
                {"kind":"PodList","apiVersion":"v1","items":[{"metadata":{"name":"b"}}]}
                """,
                // Lists in lists, empty lists, null lists.
                """
                {"kind":"List","items":[
                  {"items":[{"kind":"Node","metadata":{"name":"a"}},{"kind":"List","items":[]}],"kind":"List"},
                  {"kind":"ServiceList","items":null},
                  {"kind":"PodList","items":[{"metadata":{"name":"b"}}]}]}
                """,
                """
                # kubectl get -o yaml
                apiVersion: v1
                items:
                - apiVersion: v1
                  kind: Node
                  metadata:
                    name: a
                - apiVersion: v1
                  kind: Pod
                  metadata:
                    name: b
                kind: List
                """,
                """
                ---
                # nothing here
                ---
                metadata: {name: a}
                apiVersion: v1
                kind: Node
                ---
                kind: PodList
                items: [{metadata: {name: "b"}}]
                ...
                ---
                """
            })
    void lists_documentsAndFieldOrders_giveTheSameObjects(String text) throws IOException {
        assertEquals(List.of(node("a"), pod("b")), read(text));
        assertEquals(List.of(node("a"), pod("b")), read("\ufeff" + text));
        assertEquals(
                List.of(node("a"), pod("b")), readAll(ObjectReader.of(new ByteArrayInputStream(gzip(text)), "x.gz")));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "node",
                "pod",
                "pod-terminating",
                "service",
                "replicationcontroller",
                "replicaset",
                "statefulset",
                "poddisruptionbudget"
            })
    void item_isOfTheKindOfItsList_whenItNamesNone(String sample) throws IOException {
        ObjectKind kind = RealCluster.kind(sample.replace("pod-terminating", "pod"));
        Message fromBytes = (Message) DiscardUnknownFieldsParser.wrap(
                        KindMessages.prototype(kind).newBuilderForType().build().getParserForType())
                .parseFrom(resource("/wire/" + sample + ".bin"));
        String json = new String(resource("/wire/" + sample + ".json"), StandardCharsets.UTF_8);
        List<Message> fromJson = read("{\"kind\":\"" + kind.kindName() + "List\",\"items\":[" + json + "]}");
        // Go writes an unset time as an empty message; JSON omits it.
        assertEquals(1, fromJson.size());
        assertEquals(withCreationTimestamp(fromBytes), withCreationTimestamp(fromJson.get(0)));
    }

    @Test
    void emptyList_givesNothing() throws IOException {
        assertEquals(List.of(), read("{\"kind\":\"List\",\"items\":[]}"));
        assertEquals(List.of(), read("kind: List\nitems:\n"));
        assertEquals(List.of(), read("kind: AllowList\nitems: {a: b}\n"));
    }

    @Test
    void otherKinds_areSkippedAndCounted_otherGroupsToo() throws IOException {
        String text = """
                {"kind":"List","items":[
                  {"apiVersion":"v1","kind":"ConfigMap","data":{"items":"x"}},
                  {"data":{"metadata":[1,2,{"kind":"Pod"}]},"metadata":{"name":"x"},"kind":"ConfigMap"},
                  {"apiVersion":"serving.knative.dev/v1","kind":"Service","metadata":{"name":"x"}},
                  {"kind":"Service","metadata":{"name":"x"},"apiVersion":"serving.knative.dev/v1"},
                  {"metadata":{"labels":{"a":null}},"kind":"Service","spec":{"selector":{}},"apiVersion":"other/v1"},
                  {"kind":"Pod","apiVersion":"v1","metadata":{"name":"b"}}]}
                {"kind":"DeploymentList","apiVersion":"apps/v1","items":[{"metadata":{}},{"metadata":{}}]}
                {"kind":"ServiceList","apiVersion":"other/v1","items":[{"metadata":{"name":"x"}}]}
                """;
        try (ObjectReader reader = ObjectReader.of(stream(text), "x")) {
            assertEquals(pod("b"), reader.next());
            assertNull(reader.next());
            assertEquals(
                    Map.of(
                            "ConfigMap", 2L,
                            "Service of serving.knative.dev/v1", 2L,
                            "Service of other/v1", 2L,
                            "Deployment", 2L),
                    reader.skippedKinds());
            assertEquals(1, reader.objectsRead());
        }
    }

    @Test
    void skippedKinds_areBounded_whateverTheInputNames() throws IOException {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < 1000; i++) {
            text.append("{\"kind\":\"K").append(i).append("\"}\n");
        }
        try (ObjectReader reader = ObjectReader.of(stream(text.toString()), "x")) {
            assertNull(reader.next());
            assertTrue(reader.skippedKinds().size() <= 201);
            assertEquals(
                    1000,
                    reader.skippedKinds().values().stream()
                            .mapToLong(Long::longValue)
                            .sum());
        }
    }

    @Test
    void pod_holdsWhatTheTextSays_whenFieldsAreNullEmptyOrRepeated() throws IOException {
        String text = """
                {"kind":"Pod","metadata":{"name":null,"labels":{"a":"","b":null,"c":"\\u00e9\\n"},"creationTimestamp":null,
                   "deletionTimestamp":"2026-03-04T05:06:07.5+01:00","ownerReferences":null},
                 "spec":{"nodeSelector":{"x":"1"},"nodeSelector":{"y":"2"},"tolerations":[{}],"tolerations":[],
                   "topologySpreadConstraints":[{"maxSkew":2147483647,"minDomains":0,"labelSelector":{}},{"minDomains":null}]},
                 "status":null}
                """;
        Pod pod = (Pod) read(text).get(0);
        assertEquals(
                Map.of("a", "", "b", "", "c", "\u00e9\n"), pod.getMetadata().getLabelsMap());
        assertFalse(pod.getMetadata().hasCreationTimestamp());
        assertEquals(500_000_000, pod.getMetadata().getDeletionTimestamp().getNanos());
        assertEquals(
                java.time.Instant.parse("2026-03-04T04:06:07Z").getEpochSecond(),
                pod.getMetadata().getDeletionTimestamp().getSeconds());
        assertEquals(Map.of("y", "2"), pod.getSpec().getNodeSelectorMap());
        assertEquals(0, pod.getSpec().getTolerationsCount());
        TopologySpreadConstraint first = pod.getSpec().getTopologySpreadConstraints(0);
        assertEquals(Integer.MAX_VALUE, first.getMaxSkew());
        assertTrue(first.hasMinDomains() && first.hasLabelSelector());
        TopologySpreadConstraint second = pod.getSpec().getTopologySpreadConstraints(1);
        assertFalse(second.hasMinDomains() || second.hasLabelSelector());
        assertFalse(pod.hasStatus());
    }

    @ParameterizedTest
    @CsvSource({
        "'\"5\"',5",
        "'''true''',true",
        "'!!str 5',5",
        "1.2.3,1.2.3",
        "2026-03-04T05:06:07Z,2026-03-04T05:06:07Z"
    })
    void yamlScalar_isAString_whenItIsQuotedOrLooksLikeNothingElse(String scalar, String value) throws IOException {
        Pod pod = (Pod) read("kind: Pod\nmetadata:\n  labels:\n    version: " + scalar + "\n    none:\n")
                .get(0);
        assertEquals(Map.of("version", value, "none", ""), pod.getMetadata().getLabelsMap());
    }

    /** The labels are those that sigs.k8s.io/yaml 1.6, which kubectl uses, reads from the same text. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{<<: *a, y: '2'}        | x=1 y=2",
                "{y: '2', <<: *a}        | x=1 y=1",
                "{<<: [*a, *b], w: '3'}  | w=3 x=1 y=1 z=2",
                "{<<: [*b, *a]}          | x=2 y=1 z=2",
                "{<<: *a, <<: *b}        | x=2 y=1 z=2",
                "{<<: {<<: *a, x: '4'}}  | x=4 y=1",
                "*b                      | x=2 z=2",
            })
    void yamlMergeKeys_areReplacedInTheirPlace(String labels, String expected) throws IOException {
        String text = "kind: Pod\nmetadata:\n  managedFields:\n  - &a {x: '1', y: '1'}\n  - &b {x: '2', z: '2'}\n"
                + "  labels: " + labels + "\n";
        Map<String, String> found =
                new TreeMap<>(((Pod) read(text).get(0)).getMetadata().getLabelsMap());
        assertEquals(
                expected,
                found.entrySet().stream()
                        .map(each -> each.getKey() + "=" + each.getValue())
                        .collect(Collectors.joining(" ")));
    }

    @Test
    void yamlAnchors_endWithTheirDocument_andAreReplacedByLaterOnes() throws IOException {
        String text = "kind: Pod\nmetadata: {name: &n a, namespace: *n, uid: &n b, generateName: *n}\n";
        Pod pod = (Pod) read(text).get(0);
        assertEquals("a", pod.getMetadata().getNamespace());
        assertEquals("b", pod.getMetadata().getGenerateName());
        assertThrows(ObjectFormatException.class, () -> read(text + "---\nkind: Pod\nmetadata: {name: *n}\n"));
    }

    @Test
    void names_areNotLost_whenManyOccurOnce() throws IOException {
        StringBuilder text = new StringBuilder("{\"kind\":\"List\",\"items\":[");
        for (int i = 0; i < 100_000; i++) {
            text.append(i == 0 ? "" : ",")
                    .append("{\"kind\":\"Node\",\"metadata\":{\"managedFields\":{\"k:{\\\"ip\\\":\\\"10.")
                    .append(i)
                    .append("\\\"}\":{}},\"labels\":{\"key-")
                    .append(i)
                    .append("\":\"v\"}}}");
        }
        int index = 0;
        try (ObjectReader reader = ObjectReader.of(stream(text.append("]}").toString()), "x")) {
            for (Message node = reader.next(); node != null; node = reader.next()) {
                assertEquals(
                        Map.of("key-" + index++, "v"),
                        ((Node) node).getMetadata().getLabelsMap());
            }
        }
        assertEquals(100_000, index);
    }

    static List<Message> read(String text) throws IOException {
        return readAll(ObjectReader.of(stream(text), "x"));
    }

    private static List<Message> readAll(ObjectReader reader) throws IOException {
        try (reader) {
            List<Message> objects = new ArrayList<>();
            for (Message object = reader.next(); object != null; object = reader.next()) {
                objects.add(object);
            }
            return objects;
        }
    }

    public static InputStream stream(String text) {
        return new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8));
    }

    static byte[] gzip(String text) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(bytes)) {
            gzip.write(text.getBytes(StandardCharsets.UTF_8));
        }
        return bytes.toByteArray();
    }

    private static Node node(String name) {
        return Node.newBuilder()
                .setMetadata(ObjectMeta.newBuilder().setName(name))
                .build();
    }

    private static Pod pod(String name) {
        return Pod.newBuilder()
                .setMetadata(ObjectMeta.newBuilder().setName(name))
                .build();
    }

    private static Message withCreationTimestamp(Message object) {
        var metadata = object.getDescriptorForType().findFieldByName("metadata");
        ObjectMeta.Builder meta = ((ObjectMeta) object.getField(metadata)).toBuilder();
        meta.getCreationTimestampBuilder();
        return object.toBuilder().setField(metadata, meta.build()).build();
    }

    private static byte[] resource(String name) throws IOException {
        try (InputStream in = Objects.requireNonNull(ObjectReaderTest.class.getResourceAsStream(name), name)) {
            return in.readAllBytes();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "2026-01-02T03:04:05Z",
                "2024-02-29T23:59:59Z",
                "0000-01-01T00:00:00Z",
                "9999-12-31T23:59:59Z",
                "2026-01-02T03:04:05+00:00",
                "2026-01-02t03:04:05z",
                "2026-02-29T00:00:00Z",
                "2026-01-02T24:00:00Z",
                "2026-01-02T03:04:60Z",
                "+026-01-02T03:04:05Z",
            })
    void times_areReadAsByTheJdk(String time) throws IOException {
        String json = "{\"kind\": \"Pod\", \"metadata\": {\"deletionTimestamp\": \"" + time + "\"}}";
        ObjectReader reader = ObjectReader.of(new ByteArrayInputStream(json.getBytes(StandardCharsets.UTF_8)), "x");
        OffsetDateTime expected;
        try {
            expected = OffsetDateTime.parse(time);
        } catch (DateTimeException e) {
            assertThrows(ObjectFormatException.class, reader::next);
            return;
        }
        Pod pod = (Pod) Objects.requireNonNull(reader.next());
        assertEquals(
                expected.toEpochSecond(),
                pod.getMetadata().getDeletionTimestamp().getSeconds());
    }
}
