package io.evenkeel.manifest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.evenkeel.objects.RealFiles;
import java.io.ByteArrayInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that bad input causes an IOException that names the problem and its position, and never another exception. */
final class ObjectReaderErrorsTest {
    private static final String STRUCTURE = "{}[]\",:-&*<! \n#\\";

    static Stream<Arguments> badTexts() {
        return Stream.of(
                // Nothing, or something else.
                Arguments.of("", "x, line 1, column 1: the input is empty, after 0 objects"),
                Arguments.of(" \n\n", "the input is empty"),
                Arguments.of("# only a comment\n---\n", "the input is empty"),
                Arguments.of("[]", "the document must be an object, was a list"),
                Arguments.of(
                        "No resources found", "the document must be an object, was the string \"No resources found\""),
                Arguments.of("{}", "kind must not be missing, after 0 objects"),
                Arguments.of("{\"metadata\":{}}", "kind must not be missing"),
                Arguments.of("{\"kind\":\"\"}", "kind must not be missing"),
                Arguments.of("{\"kind\":7}", "x, line 1, column 9: kind must be a string, was the number 7"),
                // Lists.
                Arguments.of(
                        "{\"items\":[{\"metadata\":{}}],\"kind\":\"PodList\"}",
                        "kind must not be missing (items[0].kind)"),
                Arguments.of("{\"items\":[],\"kind\":\"Pod\"}", "kind must be the kind of a list, was \"Pod\""),
                Arguments.of(
                        "items:\n- kind: Pod\n", "kind must not be missing: is the input truncated?, after 1 object"),
                Arguments.of(
                        "{\"kind\":\"List\",\"items\":{\"a\":1}}",
                        "x, line 1, column 24: items must be a list, was an object, after 0 objects"),
                Arguments.of("items: x\nkind: PodList\n", "x, line 1, column 8: items must be a list"),
                Arguments.of(list("7"), "items[0] must be an object, was the number 7"),
                Arguments.of(list("{\"kind\":\"Pod\"}, null"), "items[1] must be an object, was null, after 1 object"),
                Arguments.of(
                        "{\"kind\":\"PodList\",\"items\":[{\"metadata\":{},\"kind\":\"Node\"}]}",
                        "kind must be Pod, was \"Node\" (items[0].kind)"),
                // Types.
                Arguments.of(
                        list("{\"kind\":\"Pod\",\"spec\":{\"nodeName\":5}}"),
                        "nodeName must be a string, was the number 5 (items[0].spec.nodeName)"),
                Arguments.of(
                        list("{\"kind\":\"Pod\"},{\"metadata\":{\"labels\":{\"a.b/c\":{}}},\"kind\":\"Pod\"}"),
                        "labels[a.b/c] must be a string, was an object (items[1].metadata.labels[a.b/c]), after 1 object"),
                Arguments.of(pod("\"spec\":[]"), "spec must be an object, was a list"),
                Arguments.of(pod("\"spec\":{\"tolerations\":{}}"), "tolerations must be a list, was an object"),
                Arguments.of(
                        pod("\"spec\":{\"tolerations\":[null]}"),
                        "tolerations[0] must be an object, was null (spec.tolerations[0])"),
                Arguments.of(
                        pod("\"spec\":{\"nodeSelector\":\"x\"}"),
                        "nodeSelector must be an object, was the string \"x\""),
                Arguments.of(
                        pod("\"spec\":{\"topologySpreadConstraints\":[{},{\"maxSkew\":\"1\"}]}"),
                        "maxSkew must be an integer, was the string \"1\" (spec.topologySpreadConstraints[1].maxSkew)"),
                Arguments.of(
                        pod("\"spec\":{\"topologySpreadConstraints\":[{\"maxSkew\":2147483648}]}"),
                        "maxSkew must be a 32-bit integer, was the number 2147483648"),
                Arguments.of(
                        pod("\"spec\":{\"topologySpreadConstraints\":[{\"maxSkew\":99999999999999999999}]}"),
                        "maxSkew must be a 64-bit integer"),
                Arguments.of(
                        pod("\"spec\":{\"topologySpreadConstraints\":[{\"maxSkew\":1.5}]}"),
                        "maxSkew must be an integer"),
                Arguments.of(
                        pod("\"metadata\":{\"ownerReferences\":[{\"controller\":\"true\"}]}"),
                        "controller must be true or false, was the string \"true\""),
                Arguments.of(
                        pod("\"metadata\":{\"deletionTimestamp\":\"yesterday\"}"),
                        "deletionTimestamp must be an RFC 3339 time, was the string \"yesterday\""),
                Arguments.of(pod("\"metadata\":{\"uid\":" + "[".repeat(2000)), "uid must be a string, was a list"),
                Arguments.of(pod("\"other\":" + "[".repeat(2000)), "malformed: Document nesting depth"),
                // YAML only.
                Arguments.of(
                        "kind: Pod\nmetadata:\n  labels:\n    version: 5\n",
                        "x, line 4, column 14: version must be a string, was the number 5 (metadata.labels.version)"),
                Arguments.of("kind: Pod\nmetadata:\n  labels: {on: yes}\n", "must be a string, was yes"),
                Arguments.of("kind: Pod\nmetadata: &m {name: *m}\n", "the value of the anchor m contains itself"),
                Arguments.of("kind: Pod\nmetadata: *m\n", "there is no anchor m"),
                Arguments.of("kind: Pod\nmetadata: {<<: a}\n", "<< needs a mapping or a list of mappings"),
                Arguments.of("kind: Pod\nmetadata: {<<: [{}, a]}\n", "<< needs a mapping or a list of mappings"),
                Arguments.of("kind: Pod\n? {a: b}\n: c\n", "the name of a field must be a plain text"),
                Arguments.of("kind: Pod\n\tmetadata: {}\n", "malformed: "),
                Arguments.of("kind: Pod\nmetadata: {\n", "malformed: "),
                Arguments.of("a: " + "[".repeat(1000), "malformed: "),
                // Truncated.
                Arguments.of(
                        "{\"kind\":\"List\",\"items\":[{\"kind\":\"Pod\"},{\"ki",
                        "the input is truncated, after 1 object"),
                Arguments.of("{\"kind\":\"Pod\",\"metadata\":{\"name\":\"a", "the input is truncated, after 0 objects"),
                Arguments.of("{\"kind\":\"Pod\"}{\"kind\":", "the input is truncated, after 1 object"),
                Arguments.of("{", "the input is truncated"),
                // Malformed.
                Arguments.of("{\"kind\":\"Pod\"},", "malformed: "),
                Arguments.of("{\"kind\":\"Pod\"}\n{\"kind\" \"Node\"}", "x, line 2, column 9: malformed: "),
                Arguments.of("{'kind':'Pod'}", "malformed: "),
                Arguments.of("{\"kind\":\"Pod\",}", "malformed: "),
                Arguments.of("{\"kind\":\"Po\u0001d\"}", "malformed: "));
    }

    @ParameterizedTest
    @MethodSource("badTexts")
    void badText_saysWhatIsWrongAndWhere(String text, String message) {
        String said = assertThrows(ObjectFormatException.class, () -> ObjectReaderTest.read(text))
                .getMessage();
        assertTrue(said.contains(message), said);
        assertTrue(said.startsWith("x, line ") && !said.contains("\n") && said.length() < 600, said);
    }

    @Test
    void textInAnotherEncoding_saysSo() {
        assertTrue(said("{\"kind\":\"P\u00f6d\"}".getBytes(StandardCharsets.ISO_8859_1))
                .contains("malformed: Invalid UTF-8"));
        assertTrue(
                said("kind: P\u00f6d\n".getBytes(StandardCharsets.ISO_8859_1)).contains("malformed: "));
    }

    @Test
    void gzip_saysThatItIsCutOrBroken() throws IOException {
        byte[] gzip = RealFiles.open("cluster.json.gz").readAllBytes();
        assertTrue(said(Arrays.copyOf(gzip, gzip.length / 2)).contains("the input is truncated, after "));
        assertEquals("x: the input is truncated", said(Arrays.copyOf(gzip, 5)));
        byte[] yaml = RealFiles.open("cluster.yaml.gz").readAllBytes();
        assertTrue(said(Arrays.copyOf(yaml, yaml.length / 2)).contains("the input is truncated, after "));
        gzip[2] = 99;
        assertEquals("x: Unsupported compression method", said(gzip));
    }

    @Test
    void problemsOfReading_areNotCalledFormat(@TempDir Path directory) {
        assertFalse(
                assertThrows(IOException.class, () -> readAll(ObjectReader.of(Files.newInputStream(directory), "x")))
                        instanceof ObjectFormatException);
        InputStream broken = new FilterInputStream(InputStream.nullInputStream()) {
            @Override
            public int read(byte[] target, int offset, int length) throws IOException {
                throw new IOException("the disk is on fire");
            }
        };
        assertEquals(
                "the disk is on fire",
                assertThrows(IOException.class, () -> ObjectReader.of(broken, "x"))
                        .getMessage());
    }

    @Test
    void jsonCutAnywhere_saysSo_unlessOnlyWhiteSpaceIsLost() throws IOException {
        byte[] whole = RealFiles.read("cluster.json.gz");
        int end = new String(whole, StandardCharsets.UTF_8).stripTrailing().length();
        Random random = new Random(7);
        for (int i = 0; i < 300; i++) {
            int length = 1 + random.nextInt(end - 1);
            String said = said(Arrays.copyOf(whole, length));
            assertTrue(
                    said.contains("the input is truncated") || said.contains("Unrecognized token"),
                    () -> "cut at " + length + ": " + said);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"cluster.json.gz", "cluster.yaml.gz"})
    void brokenText_givesObjectsOrAFormatError_neverAnythingElse(String file) throws IOException {
        String whole = new String(RealFiles.read(file), StandardCharsets.UTF_8);
        String itemStart = file.contains("json") ? "\n        {\n" : "\n- apiVersion";
        int lastItems = whole.lastIndexOf(itemStart, whole.length() - 6000);
        byte[] text = ((file.contains("json") ? "{\"items\":[" : "items:") + whole.substring(lastItems))
                .getBytes(StandardCharsets.UTF_8);
        readAll(ObjectReader.of(new ByteArrayInputStream(text), "x"));
        for (int seed = 0; seed < 400; seed++) {
            Random random = new Random(seed);
            byte[] broken = text.clone();
            for (int i = 0; i <= random.nextInt(3); i++) {
                int value =
                        random.nextBoolean() ? random.nextInt() : STRUCTURE.charAt(random.nextInt(STRUCTURE.length()));
                broken[random.nextInt(broken.length)] = (byte) value;
            }
            try {
                readAll(ObjectReader.of(new ByteArrayInputStream(broken), "x"));
            } catch (ObjectFormatException expected) {
                assertTrue(expected.getMessage().startsWith("x"));
            } catch (RuntimeException | StackOverflowError problem) {
                throw new AssertionError("seed " + seed, problem);
            }
        }
    }

    private static String said(byte[] text) {
        return String.valueOf(assertThrows(
                        ObjectFormatException.class,
                        () -> readAll(ObjectReader.of(new ByteArrayInputStream(text), "x")))
                .getMessage());
    }

    private static void readAll(ObjectReader reader) throws IOException {
        try (reader) {
            while (reader.next() != null) {
                assertTrue(reader.objectsRead() > 0);
            }
        }
    }

    private static String list(String items) {
        return "{\"kind\":\"List\",\"apiVersion\":\"v1\",\"items\":[" + items + "]}";
    }

    private static String pod(String fields) {
        return "{\"kind\":\"Pod\"," + fields + "}";
    }
}
