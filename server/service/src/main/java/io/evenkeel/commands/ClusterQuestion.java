package io.evenkeel.commands;

import com.google.protobuf.Message;
import io.evenkeel.cli.AskedCluster;
import io.evenkeel.cli.ClusterOptions;
import io.evenkeel.cli.CommandFailure;
import io.evenkeel.cli.DefaultsOptions;
import io.evenkeel.cli.Paragraphs;
import io.evenkeel.cli.PodQuestion;
import io.evenkeel.v1.DefaultConstraints;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The options of the commands that ask about more than one pod. Opens the cluster that they name. */
final class ClusterQuestion {
    @Spec(Spec.Target.MIXEE)
    @SuppressWarnings("NullAway.Init") // Set by picocli.
    private CommandSpec spec;

    @Mixin
    private ClusterOptions cluster = new ClusterOptions();

    @Option(
            names = {"-n", "--namespace"},
            paramLabel = "NAMESPACE",
            description = "The namespace of pods that name none, and of those that are read from the cluster (default:"
                    + " default; with --kube, that of the context).")
    private @Nullable String namespace;

    @Option(
            names = {"-A", "--all-namespaces"},
            description = "Read the pods in question from all namespaces.")
    private boolean allNamespaces;

    @ArgGroup(multiplicity = "0..1")
    private DefaultsOptions defaults = new DefaultsOptions();

    @Option(
            names = {"-o", "--output"},
            paramLabel = "text|json",
            defaultValue = "text",
            description = "The output format: text for people, json for programs (default: ${DEFAULT-VALUE}).")
    private PodQuestion.Output output = PodQuestion.Output.text;

    @Option(
            names = "--rows",
            paramLabel = "N",
            defaultValue = "20",
            description = "Maximum number of rows in each table of the text output (default: ${DEFAULT-VALUE}).")
    private int rows;

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
     * @param listing the option that needs the pods of the cluster; null if none does
     */
    void check(@Nullable String file, @Nullable String listing) throws CommandFailure {
        if (cluster.timesStandardInput() + ("-".equals(file) ? 1 : 0) > 1) {
            throw wrongUsage("standard input can be read only once");
        }
        if (rows < 1) {
            throw wrongUsage("--rows must be at least 1, was " + rows);
        }
        if (listing != null && cluster.isServed()) {
            throw wrongUsage(listing + " needs --cluster or --kube: a server does not list its pods");
        }
        if (allNamespaces && (listing == null || namespace != null)) {
            throw wrongUsage("-A needs pods of the cluster, and cannot be combined with -n");
        }
        cluster.check(spec.commandLine());
    }

    /** The namespace that was given; null if there was none. */
    @Nullable
    String givenNamespace() {
        return namespace;
    }

    /** The namespace of pods that name none. */
    String namespace() {
        return Objects.requireNonNullElse(namespace, cluster.namespace());
    }

    /** Whether pods of a namespace that are in the cluster are asked about. */
    boolean isAbout(String other) {
        return allNamespaces || other.equals(namespace());
    }

    int rows() {
        return rows;
    }

    /** The default constraints for a request; null if the cluster is opened with them. */
    @Nullable
    DefaultConstraints defaults() {
        return cluster.defaults(defaults, spec.commandLine());
    }

    /**
     * Opens the cluster, uses it, and returns the exit code.
     *
     * @param objects called with each node and pod before; not by a server
     */
    int use(Consumer<Message> objects, Use use) throws IOException {
        try (Progress progress =
                new Progress(spec.qualifiedName(), spec.commandLine().getErr())) {
            progress.begin("reading the cluster");
            try (AskedCluster asked = cluster.open(allNamespaces ? null : namespace(), defaults, objects, this::warn)) {
                progress.begin("computing");
                return use.of(asked);
            }
        }
    }

    /** Prints an answer in the chosen format. */
    void print(Supplier<String> text, Supplier<String> json) {
        PrintWriter out = spec.commandLine().getOut();
        if (output == PodQuestion.Output.json) {
            out.println(json.get());
        } else {
            out.print(text.get());
        }
        out.flush();
    }

    ParameterException wrongUsage(String message) {
        return new ParameterException(spec.commandLine(), message);
    }

    void warn(String message) {
        PrintWriter err = spec.commandLine().getErr();
        err.println(spec.qualifiedName() + ": warning: " + Paragraphs.printable(message));
        err.flush();
    }
}
