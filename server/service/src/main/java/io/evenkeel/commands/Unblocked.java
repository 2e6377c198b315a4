package io.evenkeel.commands;

import io.evenkeel.cli.AskedCluster;
import io.evenkeel.cli.CommandFailure;
import io.evenkeel.cli.Durations;
import io.evenkeel.cli.ExitCodes;
import io.evenkeel.cli.JsonText;
import io.evenkeel.cli.ManifestChoice;
import io.evenkeel.cli.Paragraphs;
import io.evenkeel.client.PlacementException;
import io.evenkeel.client.PodWatch;
import io.evenkeel.client.UnblockedPods;
import io.evenkeel.v1.DefaultConstraints;
import io.evenkeel.v1.PendingPod;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.WatchUnblockedRequest;
import io.evenkeel.v1.WatchUnblockedResponse;
import io.evenkeel.v1.WatchedPod;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The command {@code evenkeel unblocked}: waits until nodes begin to accept pending pods. */
@Command(
        name = "unblocked",
        description = {
            "Wait until a node accepts each of the given pods, and print each when an event unblocks it. Needs --server.",
            "",
            "-o json prints an evenkeel.v1.WatchUnblockedResponse for the pods at the beginning, and for each event that"
                    + " unblocks some.",
            ""
        },
        mixinStandardHelpOptions = true,
        sortOptions = false,
        usageHelpAutoWidth = true,
        exitCodeList = {
            "0:a node accepts each pod",
            "1:the timeout passed first",
            "2:wrong usage, a file or a server that cannot be read, or a pod that is invalid"
        })
final class Unblocked implements Callable<Integer> {
    /** Between two looks at whether anyone still reads. */
    private static final Duration PAUSE = Duration.ofSeconds(1);

    @Option(
            names = "--pod",
            required = true,
            paramLabel = "FILE",
            description = "A pod: the manifest of a Pod or of a workload. - is standard input. Can be repeated.")
    private List<String> files = new ArrayList<>();

    @Option(
            names = {"-n", "--namespace"},
            paramLabel = "NAMESPACE",
            description = "The namespace of the pods whose manifests give none (default: default).")
    private @Nullable String namespace;

    @Option(
            names = {"-w", "--watch"},
            description = "Continue after a node accepts each pod, until interrupted or until the output is closed.")
    private boolean watch;

    @Option(
            names = "--timeout",
            paramLabel = "DURATION",
            converter = Durations.class,
            description = "How long to wait at most (default: until a node accepts each pod).")
    private @Nullable Duration timeout;

    @Mixin
    private ClusterQuestion question = new ClusterQuestion();

    Unblocked() {}

    @Override
    public Integer call() throws IOException {
        if (!question.asksServer()) {
            throw question.wrongUsage("unblocked needs --server: files and --kube are read once");
        }
        question.check(files.get(0));
        question.requireDefaultsOfServer();
        WatchUnblockedRequest.Builder request = WatchUnblockedRequest.newBuilder();
        for (String file : files) {
            Pod pod = new ManifestChoice(file, null, namespace)
                    .read(question::warn)
                    .orIn(Objects.requireNonNullElse(namespace, question.defaultNamespace()))
                    .pod();
            String name = pod.getMetadata().getName();
            request.addAdd(PendingPod.newBuilder()
                    .setKey(name.isEmpty() ? file : pod.getMetadata().getNamespace() + "/" + name)
                    .setPod(pod));
        }
        DefaultConstraints defaults = question.defaults();
        if (defaults != null) {
            request.setDefaults(defaults);
        }
        return question.use(null, object -> {}, cluster -> watch(cluster, request.build()));
    }

    private int watch(AskedCluster cluster, WatchUnblockedRequest request) throws IOException {
        long end = System.nanoTime()
                + Objects.requireNonNullElse(timeout, Duration.ZERO).toNanos();
        try (PodWatch pods = cluster.client().watchUnblocked()) {
            Set<String> blocked = begin(pods.send(request).join());
            while ((watch || !blocked.isEmpty()) && !question.isClosed()) {
                long left = timeout == null ? PAUSE.toNanos() : end - System.nanoTime();
                if (left <= 0) {
                    break;
                }
                Optional<UnblockedPods> found = pods.await(Duration.ofNanos(Math.min(left, PAUSE.toNanos())));
                if (found.isPresent()) {
                    print(found.get());
                    blocked.removeAll(found.get().keys());
                }
            }
            return blocked.isEmpty() ? ExitCodes.OK : ExitCodes.NOT_WELL;
        } catch (CompletionException e) {
            if (e.getCause() instanceof PlacementException failed) {
                throw cluster.failure(failed);
            }
            throw e;
        } catch (PlacementException e) {
            throw cluster.failure(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted");
        }
    }

    /** Prints the pods at the beginning; returns those that no node accepts. */
    private Set<String> begin(List<WatchedPod> results) throws CommandFailure {
        Set<String> blocked = new LinkedHashSet<>();
        StringBuilder text = new StringBuilder();
        for (WatchedPod each : results) {
            if (each.hasError()) {
                throw new CommandFailure(Paragraphs.printable(
                        each.getKey() + ": " + each.getError().getMessage()));
            }
            int passed = each.getState().getPassedCount();
            // A pod replaces an earlier one with the same key.
            blocked.remove(each.getKey());
            if (passed == 0) {
                blocked.add(each.getKey());
            }
            text.append(each.getKey()).append(": ").append(accepting(passed)).append(" it\n");
            UnplacedCauses.appendUnjudged(text, 0, each.getState().getUnjudgedList());
        }
        WatchUnblockedResponse message =
                WatchUnblockedResponse.newBuilder().addAllAdded(results).build();
        question.print(text::toString, () -> JsonText.of(message));
        return blocked;
    }

    private static String accepting(int nodes) {
        return switch (nodes) {
            case 0 -> "no node accepts";
            case 1 -> "1 node accepts";
            default -> nodes + " nodes accept";
        };
    }

    private void print(UnblockedPods found) {
        StringBuilder text = new StringBuilder();
        found.keys()
                .forEach(key -> text.append(key)
                        .append(": unblocked at revision ")
                        .append(found.revision().getCounter())
                        .append('\n'));
        WatchUnblockedResponse message = WatchUnblockedResponse.newBuilder()
                .setRevision(found.revision())
                .addAllUnblocked(found.keys())
                .build();
        question.print(text::toString, () -> JsonText.of(message));
    }
}
