package io.evenkeel.cli;

import com.google.protobuf.Message;
import io.evenkeel.engine.model.SpreadDefaults;
import io.evenkeel.manifest.BoundPods;
import io.evenkeel.manifest.FileStorage;
import io.evenkeel.manifest.ObjectFormatException;
import io.evenkeel.manifest.ObjectReader;
import io.evenkeel.manifest.PodSearch;
import io.evenkeel.manifest.Storage;
import io.evenkeel.placement.ClusterStateHandler;
import io.evenkeel.v1.GetStatusRequest;
import io.evenkeel.v1.GetStatusResponse;
import io.evenkeel.v1.ItemError;
import io.evenkeel.v1.Node;
import io.evenkeel.v1.ObjectMeta;
import io.evenkeel.v1.OwnerReference;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.Refusal;
import io.evenkeel.v1.ReplicaSet;
import io.evenkeel.v1.ReplicationController;
import io.evenkeel.v1.Service;
import io.evenkeel.v1.StatefulSet;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/** Reads the files of {@code --cluster} into an instance, and warns about missing objects. */
public final class ClusterInput {
    private static final Set<String> CONTROLLER_KINDS = Set.of("ReplicationController", "ReplicaSet", "StatefulSet");

    private static final int MAX_REFUSALS = 20;

    private static final String NEEDED =
            "nodes, pods, services, replicationcontrollers, replicasets or statefulsets, as `kubectl get -o yaml` writes them";

    private final ClusterOptions.Needs needs;
    private final Consumer<String> warnings;
    private final Consumer<String> summaries;
    private final BoundPods bound = new BoundPods();
    private long services;
    private final Set<String> controllers = new HashSet<>();
    private final FileStorage storage = new FileStorage();

    /**
     * @param needs what is asked about; files contain all namespaces
     * @param warnings receives a line for each object that was rejected or is missing
     * @param summaries receives a line for each file, with a summary of its content
     */
    ClusterInput(ClusterOptions.Needs needs, Consumer<String> warnings, Consumer<String> summaries) {
        this.needs = needs;
        this.warnings = warnings;
        this.summaries = summaries;
    }

    /** Whether the input can be read only once, as standard input and pipes can. */
    static boolean isReadOnce(String file) {
        Path path = Path.of(file);
        return file.equals("-") || Files.exists(path) && !Files.isRegularFile(path) && !Files.isDirectory(path);
    }

    /** Opens the file, or standard input for {@code -}. Closing the stream leaves standard input open. */
    public static InputStream open(String file) throws IOException {
        if (!file.equals("-")) {
            return Files.newInputStream(Path.of(file));
        }
        return new FilterInputStream(System.in) {
            @Override
            public void close() {}
        };
    }

    /**
     * The content of the file, or standard input for {@code -}.
     *
     * @throws IOException if it cannot be read; the message names it
     */
    public static byte[] bytes(String file) throws IOException {
        try (InputStream input = open(file)) {
            return input.readAllBytes();
        } catch (IOException e) {
            throw named(called(file), e);
        }
    }

    /** The name of the file in messages. */
    public static String called(String file) {
        return file.equals("-") ? "standard input" : file;
    }

    /**
     * The problem, with the name of the input in its message. Java omits it if the input is a directory, for instance.
     */
    public static IOException named(String name, IOException problem) {
        return problem instanceof CommandFailure
                        || problem instanceof ObjectFormatException
                        || problem instanceof FileSystemException
                ? problem
                : new CommandFailure(name + ": " + problem.getMessage());
    }

    /** The claims and volumes that were read. */
    Storage storage() {
        return storage;
    }

    /** Reads all files together as one snapshot. */
    void read(List<String> files, ClusterStateHandler clusterState) throws IOException {
        long loaded = 0;
        try (ClusterLoader loader = new ClusterLoader(clusterState)) {
            for (String file : files) {
                loaded += read(file, loader);
            }
            loader.end();
        }
        GetStatusResponse status = clusterState.getStatus(GetStatusRequest.getDefaultInstance());
        long replaced = loaded
                - status.getNodeCount()
                - status.getPodCount()
                - status.getOwnerCount()
                - status.getDisruptionBudgetCount();
        if (replaced > 0) {
            warnings.accept(replaced + (replaced == 1 ? " object was" : " objects were")
                    + " replaced by a later one with the same UID, or the same kind and name");
        }
        String lacking = bound.warning();
        if (lacking != null) {
            warnings.accept(lacking);
        }
    }

    /** Returns how many objects were loaded. */
    private long read(String file, ClusterLoader loader) throws IOException {
        String name = called(file);
        long[] refused = new long[1];
        try (ObjectReader reader = ObjectReader.of(open(file), name, storage::look)) {
            loader.load(reader, this::note, refusal -> {
                if (++refused[0] <= MAX_REFUSALS) {
                    warnings.accept(name + ": " + text(refusal));
                }
            });
            reader.fieldProblems().forEach(problem -> warnings.accept(name + ": " + problem));
            String summary = summary(name, reader, refused[0]);
            // A file may have nothing that counts if a workload was found by name in it.
            boolean anyUsed = needs.holdsWorkload() || reader.objectsRead() > refused[0];
            if (!anyUsed && (refused[0] > 0 || !reader.skippedKinds().isEmpty())) {
                throw new CommandFailure(summary + ": give " + NEEDED);
            }
            summaries.accept(summary);
            if (refused[0] > MAX_REFUSALS) {
                warnings.accept(name + ": " + (refused[0] - MAX_REFUSALS) + " more objects were skipped");
            }
            return reader.objectsRead() - refused[0];
        } catch (IOException e) {
            throw named(name, e);
        }
    }

    private static String summary(String name, ObjectReader reader, long leftOut) {
        String text = name + ": loaded " + (reader.objectsRead() - leftOut) + " objects";
        if (leftOut > 0) {
            text += ", skipped " + leftOut;
        }
        Map<String, Long> skipped = reader.skippedKinds();
        if (!skipped.isEmpty()) {
            text += ", ignored "
                    + skipped.entrySet().stream()
                            .map(kind -> kind.getValue() + " " + Paragraphs.printable(kind.getKey()))
                            .collect(Collectors.joining(", "));
        }
        return text;
    }

    static String text(Refusal refusal) {
        ItemError error = refusal.getError();
        String name = refusal.getObject().isEmpty() ? "" : " (" + refusal.getObject() + ")";
        String why = error.getViolationsList().stream()
                .map(violation -> violation.getField() + " " + violation.getDescription())
                .collect(Collectors.joining("; "));
        return Paragraphs.printable("object " + (refusal.getPosition() + 1) + name + " was skipped: "
                + (why.isEmpty() ? error.getMessage() : why));
    }

    private void note(Message object) {
        if (object instanceof Pod pod) {
            needs.pods().look(pod);
            needs.objects().accept(pod);
            if (PodSearch.counts(pod)) {
                bound.look(pod);
            }
        } else if (object instanceof Node node) {
            bound.look(node);
            needs.objects().accept(node);
        } else if (object instanceof Service) {
            services++;
        } else if (object instanceof ReplicationController controller) {
            noteController("ReplicationController", controller.getMetadata());
        } else if (object instanceof ReplicaSet set) {
            noteController("ReplicaSet", set.getMetadata());
        } else if (object instanceof StatefulSet set) {
            noteController("StatefulSet", set.getMetadata());
        }
    }

    private void noteController(String kind, ObjectMeta metadata) {
        controllers.add(kind + " " + metadata.getNamespace() + "/" + metadata.getName());
    }

    /**
     * Warns about objects that the answer for the pod needs and the input lacks.
     *
     * @param ofController whether the selector of the pod's controller is known
     */
    void warnOfGaps(Pod pod, boolean ofController, SpreadDefaults defaults) {
        if (bound.nodes() == 0) {
            warnings.accept("the input has no nodes");
        } else if (needs.pods().count() == 0) {
            warnings.accept("the input has no pods: every count is 0");
        }
        if (pod.getSpec().getTopologySpreadConstraintsCount() > 0
                || defaults.constraints().isEmpty()) {
            return;
        }
        String namespace = pod.getMetadata().getNamespace();
        String controller = pod.getMetadata().getOwnerReferencesList().stream()
                .filter(OwnerReference::getController)
                .filter(owner -> CONTROLLER_KINDS.contains(owner.getKind()))
                .map(owner -> owner.getKind() + " " + namespace + "/" + owner.getName())
                .filter(owner -> !controllers.contains(owner))
                .findFirst()
                .orElse(null);
        if (services == 0 && controllers.isEmpty() && !ofController) {
            warnings.accept(
                    "the input has no services, replicationcontrollers, replicasets or statefulsets, but the pod has no"
                            + " constraints, and the cluster-level defaults take their selector from these");
        } else if (services == 0) {
            warnings.accept(
                    "the input has no services, but the pod has no constraints, and the cluster-level defaults take their"
                            + " selector from services too");
        } else if (controller != null && !ofController) {
            warnings.accept("the input lacks " + controller
                    + ", the pod's controller; the cluster-level defaults take their selector from it too");
        }
    }
}
