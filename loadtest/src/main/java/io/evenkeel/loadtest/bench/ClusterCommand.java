package io.evenkeel.loadtest.bench;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.protobuf.util.JsonFormat;
import io.evenkeel.cli.CommandFailure;
import io.evenkeel.cli.ExitCodes;
import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.loadtest.cluster.ClusterGenerator;
import io.evenkeel.loadtest.cluster.ShapeOptions;
import io.evenkeel.loadtest.text.Numbers;
import io.evenkeel.objects.KindMessages;
import io.evenkeel.v1.ClusterObject;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * The command {@code evenkeel bench cluster}: writes a generated cluster to a file, as Kubernetes JSON with one object
 * per line.
 */
@Command(
        name = "cluster",
        description = "Write a generated cluster to a file for `evenkeel serve --cluster`.",
        mixinStandardHelpOptions = true,
        exitCodeList = {"0:the file was written", "2:bad usage, or the file cannot be written"})
public final class ClusterCommand implements Callable<Integer> {
    private static final JsonFormat.Printer PRINTER = JsonFormat.printer().omittingInsignificantWhitespace();

    @Mixin
    private ShapeOptions shape = new ShapeOptions();

    @Option(
            names = "--out",
            paramLabel = "FILE",
            required = true,
            description = "The file. It is compressed if its name ends with .gz.")
    @SuppressWarnings("NullAway.Init") // A required option.
    private Path out;

    @Spec
    private @Nullable CommandSpec spec;

    @Override
    public Integer call() throws IOException {
        CommandLine command = Objects.requireNonNull(spec).commandLine();
        ClusterGenerator cluster = shape.cluster();
        try {
            write(cluster, out);
        } catch (IOException problem) {
            throw new CommandFailure("cannot write " + out + ": " + problem);
        }
        command.getOut()
                .println("%s objects (%s nodes, %s pods) are in %s"
                        .formatted(
                                Numbers.grouped(cluster.objectCount()),
                                Numbers.grouped(cluster.shape().nodes()),
                                Numbers.grouped(cluster.shape().pods()),
                                out));
        return ExitCodes.OK;
    }

    private static void write(ClusterGenerator cluster, Path file) throws IOException {
        try (OutputStream bytes = Files.newOutputStream(file);
                OutputStream packed = file.toString().endsWith(".gz") ? new GZIPOutputStream(bytes) : bytes;
                BufferedWriter lines = new BufferedWriter(new OutputStreamWriter(packed, StandardCharsets.UTF_8))) {
            for (Iterator<ClusterObject> objects = cluster.objects(); objects.hasNext(); ) {
                lines.write(line(objects.next()));
                lines.write('\n');
            }
        }
    }

    private static String line(ClusterObject object) throws InvalidProtocolBufferException {
        ObjectKind kind = Objects.requireNonNull(KindMessages.kindOf(object), "the message contains no object");
        String content = PRINTER.print((Message) object.getField(KindMessages.field(kind)));
        // apiVersion and kind come first, as in all Kubernetes output. The object is never empty because it has
        // metadata.
        return "{\"apiVersion\":\"" + kind.apiVersion() + "\",\"kind\":\"" + kind.kindName() + "\","
                + content.substring(1);
    }
}
