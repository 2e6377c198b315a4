package io.evenkeel.cli;

import io.evenkeel.kube.WorkloadClient;
import io.evenkeel.kube.client.ClusterAccess;
import io.evenkeel.manifest.ObjectFormatException;
import io.evenkeel.manifest.PodManifest;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Chooses which workload in a file of manifests the question is about.
 *
 * @param file the name of the file, {@code -} for standard input
 * @param workload the workload, as {@code KIND/NAME}; null if the file must contain exactly one
 * @param namespace the namespace for a workload that does not name one; workloads that name another are skipped; null
 *     if the option was not given
 */
public record ManifestChoice(
        String file, @Nullable String workload, @Nullable String namespace) {
    private static final int MAX_PROBLEMS = 20;

    /** Reads the file and returns the chosen workload, in the namespace. */
    public PodManifest read(Consumer<String> warnings) throws IOException {
        String name = ClusterInput.called(file);
        List<PodManifest> all;
        try {
            all = PodManifest.readAll(ClusterInput.open(file), name, warning -> warnings.accept(name + ": " + warning));
        } catch (ObjectFormatException e) {
            throw new CommandFailure(
                    Paragraphs.printable(e.getMessage()),
                    e.others().stream().map(Paragraphs::printable).toList());
        } catch (IOException e) {
            throw ClusterInput.named(name, e);
        }
        List<PodManifest> called = all.stream().filter(this::isCalled).toList();
        if (called.isEmpty()) {
            throw failure(name + " has no " + workload + "; it contains " + PodManifest.names(all));
        }
        List<PodManifest> meant = called.stream().filter(this::isInNamespace).toList();
        if (meant.isEmpty()) {
            throw failure(name + " has no workload in the namespace " + namespace + " (--namespace); it contains "
                    + PodManifest.names(called));
        }
        if (meant.size() > 1) {
            throw failure(name + " contains several workloads: " + PodManifest.names(meant)
                    + "; choose one, for instance with "
                    + (workload == null ? "--workload " + meant.get(0).title() : "--namespace"));
        }
        return namespace == null ? meant.get(0) : meant.get(0).orIn(namespace);
    }

    /**
     * The next pod of a workload among the objects of the files. If their current revision is known, it has that
     * revision. Workloads that are rejected count only if the one that is asked about is missing.
     *
     * @param workload the workload, as {@code KIND/NAME}
     */
    public static PodManifest next(List<String> files, String workload, String namespace) throws IOException {
        ManifestChoice choice = new ManifestChoice(String.join(", ", files), workload, namespace);
        List<PodManifest> kept = new ArrayList<>();
        List<ObjectFormatException> broken = new ArrayList<>();
        for (String file : files) {
            try {
                PodManifest.forEach(
                        ClusterInput.open(file), file, each -> choice.keep(each.orIn("default"), kept), broken::add);
            } catch (IOException e) {
                throw ClusterInput.named(file, e);
            }
        }
        return kept.stream()
                .filter(choice::isMeant)
                .findFirst()
                .orElseThrow(() -> choice.missing(broken))
                .inCurrentRevision(kept);
    }

    /**
     * The next pod of a workload behind an API server, in its current revision if that is known.
     *
     * @param kind a kind that {@link WorkloadClient#knows} accepts
     * @throws IOException if the API server cannot be read, or sends something else; the message says why
     */
    static PodManifest next(ClusterAccess access, String kind, String name, String namespace)
            throws IOException, InterruptedException {
        try (WorkloadClient client = new WorkloadClient(access)) {
            List<PodManifest> found = new ArrayList<>();
            read(client.workload(kind, namespace, name), access, found);
            if (found.isEmpty()) {
                throw new CommandFailure(access.server() + " sent no " + kind);
            }
            PodManifest workload = found.get(0);
            if (workload.kind().equals("Deployment")) {
                read(client.replicaSets(namespace), access, found);
            }
            return workload.inCurrentRevision(found);
        }
    }

    private static void read(byte[] json, ClusterAccess access, List<PodManifest> found) throws IOException {
        PodManifest.forEachOfServer(new ByteArrayInputStream(json), access.server(), found::add);
    }

    /** Keeps only what can be the workload or one of its revisions, because the files may have many pods. */
    private void keep(PodManifest each, List<PodManifest> kept) {
        if (isMeant(each) || each.kind().equals("ReplicaSet") && isInNamespace(each)) {
            kept.add(each);
        }
    }

    private boolean isMeant(PodManifest manifest) {
        return isCalled(manifest) && isInNamespace(manifest);
    }

    private CommandFailure missing(List<ObjectFormatException> broken) {
        String none = "there is no " + workload + (broken.isEmpty() ? "" : " without errors") + " in the namespace "
                + namespace + " of " + file;
        return new CommandFailure(
                Paragraphs.printable(none),
                broken.stream()
                        .flatMap(problem -> Stream.concat(Stream.of(problem.getMessage()), problem.others().stream()))
                        .limit(MAX_PROBLEMS)
                        .map(Paragraphs::printable)
                        .toList());
    }

    private boolean isCalled(PodManifest manifest) {
        if (workload == null) {
            return true;
        }
        int slash = workload.indexOf('/');
        return manifest.kind().equalsIgnoreCase(workload.substring(0, slash))
                && manifest.title().substring(manifest.kind().length()).equals(workload.substring(slash));
    }

    private boolean isInNamespace(PodManifest manifest) {
        String own = manifest.pod().getMetadata().getNamespace();
        return namespace == null || own.isEmpty() || own.equals(namespace);
    }

    private static CommandFailure failure(String message) {
        return new CommandFailure(Paragraphs.printable(message));
    }
}
