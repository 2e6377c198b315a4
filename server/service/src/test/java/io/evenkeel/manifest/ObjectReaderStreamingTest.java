package io.evenkeel.manifest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.Message;
import io.evenkeel.v1.Pod;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.function.IntFunction;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Tests that a long input is not kept in memory: each object is returned when at most one buffer of text after it has
 * been read.
 */
final class ObjectReaderStreamingTest {
    private static final int PODS = 5_000;
    private static final int READ_AHEAD_BYTES = 1 << 17;

    /** Text with about 4 KB for each pod, in all forms that can be long. */
    enum Form {
        KUBECTL_JSON_LIST("{\"apiVersion\":\"v1\",\"items\":[", ",", "],\"kind\":\"List\"}"),
        API_JSON_LIST("{\"kind\":\"PodList\",\"items\":[", ",", "]}"),
        JSON_LINES("", "\n", ""),
        YAML_LIST("apiVersion: v1\nitems:\n", "", "kind: List\n"),
        YAML_DOCUMENTS("", "---\n", "");

        private final String head;
        private final String between;
        private final String tail;

        Form(String head, String between, String tail) {
            this.head = head;
            this.between = between;
            this.tail = tail;
        }

        String text(int index) {
            if (index > PODS) {
                return "";
            }
            return (index == 0 ? head : index == PODS ? tail : between) + (index == PODS ? "" : pod(index));
        }

        private String pod(int index) {
            String image = "registry.example/" + "x".repeat(3_000);
            if (this == YAML_LIST || this == YAML_DOCUMENTS) {
                String indent = this == YAML_LIST ? "  " : "";
                return (this == YAML_LIST ? "- " : "") + "kind: Pod\n" + indent + "metadata: {name: pod-" + index
                        + "}\n" + indent + "spec:\n" + indent + "  containers:\n" + indent + "  - image: " + image
                        + "\n";
            }
            return "{\"metadata\":{\"name\":\"pod-" + index + "\",\"managedFields\":[{\"fieldsV1\":{\"f:" + index
                    + "\":{\"f:metadata\":{\".\":{},\"f:labels\":[1,2.5,true,null]}}}}]},\"kind\":\"Pod\","
                    + "\"spec\":{\"containers\":[{\"image\":\"" + image + "\"}]}}";
        }
    }

    @ParameterizedTest
    @EnumSource(Form.class)
    void objects_areHandedOut_whileTheTextIsRead(Form form) throws IOException {
        CountingText text = new CountingText(form::text);
        try (ObjectReader reader = ObjectReader.of(text, form.name())) {
            for (int index = 0; index < PODS; index++) {
                Message pod = reader.next();
                assertEquals(
                        "pod-" + index, pod instanceof Pod p ? p.getMetadata().getName() : null);
                assertTrue(text.read <= text.endOf(index) + READ_AHEAD_BYTES, () -> text.read + " bytes were read");
            }
            assertEquals(null, reader.next());
        }
        assertTrue(text.read > 15_000_000, () -> "only " + text.read + " bytes");
    }

    /** A text that is generated while it is read and never complete in memory. */
    private static final class CountingText extends InputStream {
        private final IntFunction<String> pieces;
        private final long[] ends = new long[PODS + 1];
        private byte[] piece = new byte[0];
        private int next;
        private int position;
        private long read;

        CountingText(IntFunction<String> pieces) {
            this.pieces = pieces;
        }

        long endOf(int index) {
            return ends[index];
        }

        @Override
        public int read() {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
        }

        @Override
        public int read(byte[] target, int offset, int length) {
            while (position == piece.length) {
                if (next > PODS) {
                    return -1;
                }
                piece = pieces.apply(next).getBytes(StandardCharsets.UTF_8);
                ends[next] = (next == 0 ? 0 : ends[next - 1]) + piece.length;
                next++;
                position = 0;
            }
            int count = Math.min(length, piece.length - position);
            System.arraycopy(piece, position, target, offset, count);
            position += count;
            read += count;
            return count;
        }
    }
}
