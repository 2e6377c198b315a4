package io.evenkeel.cli;

import com.google.protobuf.ListValue;
import com.google.protobuf.Struct;
import com.google.protobuf.Value;
import com.google.protobuf.util.JsonFormat;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.zip.GZIPInputStream;

/** A real cluster in the output of kubectl, to be changed and written to files. */
final class RealClusterFile {
    private RealClusterFile() {}

    static byte[] read(String name) throws IOException {
        try (InputStream file = Objects.requireNonNull(RealClusterFile.class.getResourceAsStream("/real/" + name));
                InputStream content = name.endsWith(".gz") ? new GZIPInputStream(file) : file) {
            return content.readAllBytes();
        }
    }

    /** kube-scheduler's message for each pending pod, by namespace/name. */
    static Map<String, String> pending() throws IOException {
        Map<String, String> said = new TreeMap<>();
        parse(read("pending.json")).getFieldsMap().forEach((pod, message) -> said.put(pod, message.getStringValue()));
        return said;
    }

    /**
     * Writes the objects that match {@code kept}, each changed by {@code change}, to a file in the format of kubectl.
     */
    static Path write(Path directory, String name, Predicate<Struct> kept, UnaryOperator<Struct> change)
            throws IOException {
        Struct list = parse(read("cluster.json.gz"));
        ListValue.Builder items = ListValue.newBuilder();
        for (Value item : list.getFieldsOrThrow("items").getListValue().getValuesList()) {
            if (kept.test(item.getStructValue())) {
                items.addValues(Value.newBuilder().setStructValue(change.apply(item.getStructValue())));
            }
        }
        Struct written = list.toBuilder()
                .putFields("items", Value.newBuilder().setListValue(items).build())
                .build();
        // A Struct's numbers are doubles; those of Kubernetes are integers.
        String json = JsonFormat.printer().print(written).replaceAll("(: \\d+)\\.0(?=[,\n])", "$1");
        return Files.writeString(directory.resolve(name), json);
    }

    static String kind(Struct object) {
        return object.getFieldsOrThrow("kind").getStringValue();
    }

    /** The object without the conditions in its status. */
    static Struct withoutConditions(Struct object) {
        Value status = object.getFieldsOrDefault("status", Value.getDefaultInstance());
        Struct stripped =
                status.getStructValue().toBuilder().removeFields("conditions").build();
        return object.toBuilder()
                .putFields("status", Value.newBuilder().setStructValue(stripped).build())
                .build();
    }

    private static Struct parse(byte[] json) throws IOException {
        Struct.Builder parsed = Struct.newBuilder();
        JsonFormat.parser().merge(new String(json, StandardCharsets.UTF_8), parsed);
        return parsed.build();
    }
}
