package io.evenkeel.commands;

import com.google.protobuf.Message;
import io.evenkeel.cli.AskedCluster;
import io.evenkeel.cli.ClusterOptions;
import io.evenkeel.cli.CommandFailure;
import io.evenkeel.cli.DefaultsOptions;
import io.evenkeel.cli.OutputOptions;
import io.evenkeel.eviction.LiveCluster;
import io.evenkeel.kube.client.ClusterAccess;
import io.evenkeel.v1.DefaultConstraints;
import java.io.IOException;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The options of the commands that ask about more than one pod. Opens the cluster that they name. */
final class ClusterQuestion {
    @Spec(Spec.Target.MIXEE)
    @SuppressWarnings("NullAway.Init") // Set by picocli.
    private CommandSpec spec;

    @Mixin
    private ClusterOptions cluster = new ClusterOptions();

    @ArgGroup(multiplicity = "0..1")
    private DefaultsOptions defaults = new DefaultsOptions();

    @Mixin
    private OutputOptions output = new OutputOptions();

    private @Nullable Progress progress;

    ClusterQuestion() {}

    /** What a command does with the cluster. */
    interface Use {
        /** Returns the exit code. */
        int of(AskedCluster cluster) throws IOException;
    }

    /**
     * Rejects options that cannot be combined.
     *
     * @param file the command's other input, which may be {@code -}
     */
    void check(@Nullable String file) throws CommandFailure {
        cluster.requireOneStandardInput(file, spec.commandLine());
        output.check(spec.commandLine());
        cluster.check(spec.commandLine());
    }

    /** Rejects defaults for a server, whose own apply to requests that cannot have any. */
    void requireDefaultsOfServer() {
        cluster.requireDefaultsOfServer(defaults, spec.commandLine());
    }

    /** Whether the cluster is that of a running server, which does not list its pods. */
    boolean asksServer() {
        return cluster.isServed();
    }

    /** The API server of {@code --kube}; null for another source. */
    @Nullable
    ClusterAccess access() {
        return cluster.access();
    }

    /** The namespace of pods if none is given. */
    String defaultNamespace() {
        return cluster.namespace();
    }

    int rows() {
        return output.rows();
    }

    /** The default constraints for a request; null if the cluster is opened with them. */
    @Nullable
    DefaultConstraints defaults() {
        return cluster.defaults(defaults, spec.commandLine());
    }

    /**
     * Opens the cluster, uses it, and returns the exit code.
     *
     * @param namespace the namespace whose services and controllers are needed; null for all
     * @param objects called with each node and pod before; not by a server
     */
    int use(@Nullable String namespace, Consumer<Message> objects, Use use) throws IOException {
        return use(() -> cluster.open(ClusterOptions.Needs.everyPod(namespace, objects), defaults, this::warn), use);
    }

    /** Follows the API server, uses the cluster while it changes, and returns the exit code. */
    int follow(LiveCluster live, Use use) throws IOException {
        return use(() -> cluster.follow(defaults, this::warn, live::follow), asked -> {
            begin("reading the cluster");
            live.awaitReady();
            begin("computing");
            return use.of(asked);
        });
    }

    private interface Opening {
        AskedCluster open() throws IOException;
    }

    private int use(Opening opening, Use use) throws IOException {
        try (Progress shown =
                new Progress(spec.qualifiedName(), spec.commandLine().getErr())) {
            progress = shown;
            shown.begin("reading the cluster");
            try (AskedCluster asked = opening.open()) {
                shown.begin("computing");
                return use.of(asked);
            }
        }
    }

    /** Names what is done next on standard error, if it takes long. */
    void begin(String step) {
        Progress shown = progress;
        if (shown != null) {
            shown.begin(step);
        }
    }

    /** Prints an answer in the chosen format, which ends the computing. */
    void print(Supplier<String> text, Supplier<String> json) {
        Progress shown = progress;
        if (shown != null) {
            shown.end();
        }
        output.print(spec.commandLine(), text, json);
    }

    /** Prints a part of an answer that has several, unless the format is one document. */
    void printText(Supplier<String> text) {
        Progress shown = progress;
        if (shown != null) {
            shown.end();
        }
        output.printText(spec.commandLine(), text);
    }

    /** Whether no one can read what is printed anymore. */
    boolean isClosed() {
        return spec.commandLine().getOut().checkError();
    }

    ParameterException wrongUsage(String message) {
        return new ParameterException(spec.commandLine(), message);
    }

    void warn(String message) {
        OutputOptions.warn(spec.commandLine(), message);
    }
}
