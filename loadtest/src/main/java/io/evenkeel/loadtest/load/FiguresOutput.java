package io.evenkeel.loadtest.load;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/**
 * What all commands that measure have in common: their output, which is standard output, and a file if requested; their
 * help; and their exit codes.
 */
@Command(
        mixinStandardHelpOptions = true,
        exitCodeList = {
            "0:every bound holds",
            "1:some bounds do not hold; the last lines list them",
            "2:bad usage, or the measurement failed"
        })
public final class FiguresOutput {
    @Option(
            names = "--json",
            paramLabel = "FILE",
            converter = WritableFile.class,
            description = "Also write the figures to this file, as JSON.")
    private @Nullable Path json;

    @Spec(Spec.Target.MIXEE)
    private @Nullable CommandSpec command;

    /** Checks before anything is measured that the file can be written. */
    private static final class WritableFile implements ITypeConverter<Path> {
        @Override
        public Path convert(String name) {
            Path file = Path.of(name);
            Path checked = Files.exists(file) ? file : file.toAbsolutePath().getParent();
            if (Files.isDirectory(file) || checked == null || !Files.isWritable(checked)) {
                throw new TypeConversionException("must be a file that can be written, was '" + name + "'");
            }
            return file;
        }
    }

    /** The command, as picocli runs it. */
    public CommandLine command() {
        return Objects.requireNonNull(command).commandLine();
    }

    /** Standard output. */
    public PrintWriter out() {
        return command().getOut();
    }

    /** An exception that reports wrong usage of the command. */
    public ParameterException wrongUsage(String why) {
        return new ParameterException(command(), why);
    }

    /** The figures, with the Java and the processors that they were measured with. */
    public static Map<String, Object> ofThisMachine(Map<String, Object> figures) {
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("java", Runtime.version().toString());
        all.put("processors", Runtime.getRuntime().availableProcessors());
        all.putAll(figures);
        return all;
    }

    /** Writes the figures to the file, if one was requested. */
    public void write(Object figures) throws IOException {
        if (json != null) {
            new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT).writeValue(json.toFile(), figures);
        }
    }
}
