package io.evenkeel.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import com.google.protobuf.DescriptorProtos.DescriptorProto;
import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import com.google.protobuf.Descriptors.FileDescriptor;
import io.evenkeel.v1.ApplyRequest;
import io.evenkeel.v1.FilterRequest;
import io.evenkeel.v1.ItemError;
import io.evenkeel.v1.Node;
import io.evenkeel.v1.NodeRun;
import io.evenkeel.v1.Revision;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * Checks without Go that the committed Go stubs match the protocol: each file contains the descriptor from which it was
 * generated.
 */
final class GoStubsTest {
    private static final List<FileDescriptor> FILES = List.of(
            Node.getDescriptor().getFile(),
            ItemError.getDescriptor().getFile(),
            Revision.getDescriptor().getFile(),
            NodeRun.getDescriptor().getFile(),
            FilterRequest.getDescriptor().getFile(),
            ApplyRequest.getDescriptor().getFile());

    @Test
    void stubs_areThoseOfTheProtocol() throws IOException {
        for (FileDescriptor file : FILES) {
            String name = file.getName().replace("evenkeel/v1/", "").replace(".proto", ".pb.go");
            FileDescriptorProto generatedFrom = descriptor(ProjectFiles.read("client/go/evenkeelv1/" + name));
            assertEquals(
                    withoutJsonNames(file.toProto()),
                    withoutJsonNames(generatedFrom),
                    name + " is out of date: run client/go/generate.sh");
        }
    }

    /** A scheduler uses the client together with k8s.io/kubernetes v1.36, whose go.mod has these versions. */
    @Test
    void module_asksForNothingNewer_thanKubernetes() {
        String module = ProjectFiles.read("client/go/go.mod");
        assertAtMost(List.of(1, 26, 0), module, "go ");
        assertAtMost(List.of(1, 79, 3), module, "google.golang.org/grpc v");
        // Kubernetes uses a commit before v1.36.12.
        assertAtMost(List.of(1, 36, 11), module, "google.golang.org/protobuf v");
    }

    private static void assertAtMost(List<Integer> most, String module, String before) {
        Matcher version = Pattern.compile(
                        "^\\s*" + Pattern.quote(before) + "(\\d+)\\.(\\d+)\\.(\\d+)$", Pattern.MULTILINE)
                .matcher(module);
        assertTrue(version.find(), module);
        int[] required = {
            Integer.parseInt(version.group(1)), Integer.parseInt(version.group(2)), Integer.parseInt(version.group(3))
        };
        assertTrue(
                Arrays.compare(
                                required,
                                most.stream().mapToInt(Integer::intValue).toArray())
                        <= 0,
                () -> before + " must be at most " + most + ", was "
                        + version.group().strip());
    }

    private static FileDescriptorProto descriptor(String goSource) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        goSource.lines()
                .dropWhile(line -> !line.contains("_rawDesc = "))
                .skip(1)
                .map(String::strip)
                .takeWhile(line -> line.startsWith("\""))
                .forEach(line -> unquote(line.substring(1, line.lastIndexOf('"')), bytes));
        return FileDescriptorProto.parseFrom(ByteString.copyFrom(bytes.toByteArray()));
    }

    /** Parses Go's interpreted string literals, as far as strconv.Quote writes them. */
    private static void unquote(String quoted, ByteArrayOutputStream bytes) {
        for (int i = 0; i < quoted.length(); i++) {
            if (quoted.charAt(i) != '\\') {
                int character = quoted.codePointAt(i);
                i += Character.charCount(character) - 1;
                bytes.writeBytes(Character.toString(character).getBytes(StandardCharsets.UTF_8));
                continue;
            }
            char escape = quoted.charAt(++i);
            int digits = switch (escape) {
                case 'x' -> 2;
                case 'u' -> 4;
                case 'U' -> 8;
                default -> 0;
            };
            if (digits > 0) {
                int value = Integer.parseInt(quoted.substring(i + 1, i + 1 + digits), 16);
                i += digits;
                if (escape == 'x') {
                    bytes.write(value);
                } else {
                    bytes.writeBytes(Character.toString(value).getBytes(StandardCharsets.UTF_8));
                }
            } else {
                int simple = "abfnrtv\\\"".indexOf(escape);
                bytes.write("\u0007\b\f\n\r\t\u000b\\\"".charAt(simple));
            }
        }
    }

    /** Java's generator omits JSON names that can be derived from the field names. The protocol has no others. */
    private static FileDescriptorProto withoutJsonNames(FileDescriptorProto file) {
        FileDescriptorProto.Builder copy = file.toBuilder();
        copy.getMessageTypeBuilderList().forEach(GoStubsTest::removeJsonNames);
        return copy.build();
    }

    private static void removeJsonNames(DescriptorProto.Builder message) {
        message.getFieldBuilderList().forEach(field -> field.clearJsonName());
        message.getNestedTypeBuilderList().forEach(GoStubsTest::removeJsonNames);
    }
}
