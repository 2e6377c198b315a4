package io.evenkeel.commands;

import io.evenkeel.cli.AskedCluster;
import io.evenkeel.cli.CommandFailure;
import io.evenkeel.cli.ExitCodes;
import io.evenkeel.cli.JsonText;
import io.evenkeel.eviction.LiveCluster;
import io.evenkeel.v1.ListSpreadRequest;
import io.evenkeel.v1.WorkloadReference;
import io.evenkeel.v1.WorkloadSpread;
import java.io.Console;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The command {@code evenkeel skew}: how evenly the pods of workloads are spread now. */
@Command(
        name = "skew",
        description = {
            "Show how evenly the pods of workloads are spread, the most uneven workloads first. Changes nothing.",
            "",
            "For each constraint, the counts of its domains are compared: MIN is the global minimum, MAX the highest count,"
                    + " and OVER says how many pods are above MIN + MAXSKEW. Workloads without constraints are judged by"
                    + " zone and hostname. For named workloads, all domains are shown.",
            "",
            "-o json prints the evenkeel.v1.WorkloadSpread messages; with -w, one document for each change.",
            ""
        },
        mixinStandardHelpOptions = true,
        sortOptions = false,
        usageHelpAutoWidth = true,
        exitCodeList = {
            "0:no hard constraint is violated",
            "1:a hard constraint is violated",
            "2:wrong usage, a file or a server that cannot be read, or a namespace or workload without pods"
        })
final class Skew implements Callable<Integer> {
    /** Moves a terminal's cursor to the upper left, and clears what is below. */
    private static final String CLEAR = "\033[H\033[J";

    /** Between two looks for changes. */
    private static final Duration PAUSE = Duration.ofSeconds(1);

    @Parameters(
            paramLabel = "KIND/NAME",
            arity = "0..*",
            description = "The workloads, such as Deployment/web (default: all of the namespace).")
    private List<String> names = new ArrayList<>();

    @Option(
            names = {"-n", "--namespace"},
            paramLabel = "NAMESPACE",
            description = "The namespace of the workloads (default: default; with --kube, that of the context).")
    private @Nullable String namespace;

    @Option(
            names = {"-A", "--all-namespaces"},
            description = "Show the workloads of all namespaces.")
    private boolean all;

    @Option(names = "--violated", description = "Show only workloads that violate a constraint.")
    private boolean violated;

    @Option(
            names = {"-w", "--watch"},
            description =
                    "With --server or --kube, show the answer again whenever it changes, at most once a second, until"
                            + " interrupted or until the output is closed. On a terminal, it replaces the one before.")
    private boolean watch;

    @Mixin
    private ClusterQuestion question = new ClusterQuestion();

    Skew() {}

    @Override
    public Integer call() throws IOException {
        question.check(null);
        question.requireDefaultsOfServer();
        if (all && (namespace != null || !names.isEmpty())) {
            throw question.wrongUsage("-A cannot be combined with -n or with names");
        }
        if (watch && !question.asksServer() && question.access() == null) {
            throw question.wrongUsage("-w needs --server or --kube: files are read once");
        }
        String there = all ? null : Objects.requireNonNullElse(namespace, question.defaultNamespace());
        return watch && question.access() != null
                ? question.follow(new LiveCluster(pod -> false, question::warn), cluster -> show(cluster, there))
                : question.use(there, object -> {}, cluster -> show(cluster, there));
    }

    private int show(AskedCluster cluster, @Nullable String there) throws IOException {
        List<WorkloadSpread> workloads = workloads(cluster, there);
        String clear = watch && isTerminal() ? CLEAR : "";
        print(workloads, clear);
        while (watch && !question.isClosed()) {
            sleep();
            List<WorkloadSpread> before = workloads;
            workloads = workloads(cluster, there);
            if (!workloads.equals(before)) {
                print(workloads, clear.isEmpty() ? "\n" : clear);
            }
        }
        return workloads.stream().anyMatch(WorkloadSpread::getHardViolated) ? ExitCodes.NOT_WELL : ExitCodes.OK;
    }

    private List<WorkloadSpread> workloads(AskedCluster cluster, @Nullable String there) throws CommandFailure {
        return names.isEmpty()
                ? NamedWorkloads.list(cluster, request(there))
                : named(cluster, Objects.requireNonNull(there));
    }

    /** @param before precedes the text, but not JSON */
    private void print(List<WorkloadSpread> workloads, String before) {
        SkewText text = new SkewText(question.rows());
        question.print(
                () -> before + (names.isEmpty() ? text.table(workloads) : text.domains(workloads)),
                () -> JsonText.of(Map.of("workloads", workloads)));
    }

    private static void sleep() throws InterruptedIOException {
        try {
            Thread.sleep(PAUSE.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted");
        }
    }

    /** Whether standard output is a terminal. */
    @SuppressWarnings("SystemConsoleNull") // Newer versions of Java are asked below.
    private static boolean isTerminal() {
        Console console = System.console();
        if (console == null) {
            return false;
        }
        try {
            // Since Java 22 there is a console also if it is no terminal, and this method distinguishes them.
            return Boolean.TRUE.equals(Console.class.getMethod("isTerminal").invoke(console));
        } catch (NoSuchMethodException olderJava) {
            return true;
        } catch (ReflectiveOperationException e) {
            return false;
        }
    }

    private ListSpreadRequest.Builder request(@Nullable String in) {
        ListSpreadRequest.Builder request = ListSpreadRequest.newBuilder().setViolatedOnly(violated);
        return in == null ? request : request.addNamespaces(in);
    }

    private List<WorkloadSpread> named(AskedCluster cluster, String in) throws CommandFailure {
        List<WorkloadReference> called = NamedWorkloads.find(cluster, names, in);
        return NamedWorkloads.list(cluster, request(in).setIncludeDomains(true).addAllWorkloads(called));
    }
}
