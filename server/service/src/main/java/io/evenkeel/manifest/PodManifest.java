package io.evenkeel.manifest;

import io.evenkeel.objects.Quotes;
import io.evenkeel.v1.LabelSelector;
import io.evenkeel.v1.ObjectMeta;
import io.evenkeel.v1.Pod;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A pod to be placed, read from the manifest of a Pod or of an object with a pod template. JSON or YAML, plain or gzip.
 *
 * <p>A pod from a template is in the template's namespace or, if that is not set, in the object's. The object is its
 * controller if the object's kind controls pods. The pod has the labels that its controller will add: see
 * {@link #newLabels}.
 *
 * @param kind the kind of the object, such as {@code Deployment}
 * @param newLabels the labels of the pod whose values do not exist yet, such as the hash of a Deployment's next
 *     revision; the values here are placeholders
 * @param selector the object's selector, from which default constraints of its pods take theirs; null if the object has
 *     none, or if default constraints do not use selectors of its kind
 * @param rollout how the object replaces its pods; null unless it is a Deployment
 */
public record PodManifest(
        String kind,
        Pod pod,
        Map<String, String> newLabels,
        @Nullable LabelSelector selector,
        @Nullable RolloutStrategy rollout) {
    private static final int MAX_NAMED = 10;

    public PodManifest {
        newLabels = Map.copyOf(newLabels);
    }

    /** The manifest of an existing pod. */
    public static PodManifest of(Pod pod) {
        return new PodManifest("Pod", pod, Map.of(), null, null);
    }

    /** Whether the pod comes from a template. */
    public boolean isFromTemplate() {
        return !kind.equals("Pod");
    }

    /** The kind and name by which a caller chooses this workload, such as {@code Deployment/web}. */
    public String title() {
        ObjectMeta metadata = pod.getMetadata();
        String name =
                metadata.getName().isEmpty() ? metadata.getGenerateName().replaceFirst("-$", "") : metadata.getName();
        return kind + "/" + name;
    }

    /**
     * The selector that the pod's controller will have: the object's or, for a Deployment, that of the ReplicaSet of
     * its next revision, which does not exist yet. Null if default constraints do not use it.
     */
    public @Nullable LabelSelector controllerSelector() {
        return selector == null ? null : Workloads.controllerSelector(selector, newLabels);
    }

    /** The same pod, but in {@code namespace} if the manifest does not name one. */
    public PodManifest orIn(String namespace) {
        if (!pod.getMetadata().getNamespace().isEmpty()) {
            return this;
        }
        Pod.Builder moved = pod.toBuilder();
        moved.getMetadataBuilder().setNamespace(namespace);
        return new PodManifest(kind, moved.build(), newLabels, selector, rollout);
    }

    /** The same pod, with the UID of {@code known} if it has none and is on the same node. */
    public PodManifest identifiedBy(@Nullable Pod known) {
        if (known == null
                || !pod.getMetadata().getUid().isEmpty()
                || !pod.getSpec().getNodeName().equals(known.getSpec().getNodeName())) {
            return this;
        }
        Pod.Builder identified = pod.toBuilder();
        identified.getMetadataBuilder().setUid(known.getMetadata().getUid());
        return new PodManifest(kind, identified.build(), newLabels, selector, rollout);
    }

    /** The same pod, with placeholders in {@link #newLabels} that are not among {@code taken}. */
    public PodManifest withoutClashes(Set<String> taken) {
        Pod.Builder changed = pod.toBuilder();
        Map<String, String> values = newLabels.entrySet().stream()
                .collect(Collectors.toMap(Map.Entry::getKey, each -> unlike(each.getValue(), taken)));
        changed.getMetadataBuilder().putAllLabels(values);
        return new PodManifest(kind, changed.build(), values, selector, rollout);
    }

    private static String unlike(String value, Set<String> taken) {
        String unlike = value;
        for (int i = 2; taken.contains(unlike); i++) {
            unlike = value + "-" + i;
        }
        return unlike;
    }

    /**
     * Reads the only workload among the objects in {@code input}; see {@link #readAll}.
     *
     * @throws ObjectFormatException also if there are several
     */
    public static PodManifest read(InputStream input, String source) throws IOException {
        List<PodManifest> found = readAll(input, source, hint -> {});
        if (found.size() > 1) {
            throw new ObjectFormatException(
                    source + ": there must be only one workload, but there are " + names(found));
        }
        return found.get(0);
    }

    /**
     * Reads the workloads among the objects in {@code input}, at least one, and closes it. Objects can be in several
     * documents and in lists; other kinds are skipped.
     *
     * @param source the name of the input in error messages
     * @param warnings receives a line for each unknown field that a newer Kubernetes may have
     * @throws ObjectFormatException if it is malformed, contains no workload, or a workload has an unknown or duplicate
     *     field
     * @throws IOException if it cannot be read
     */
    public static List<PodManifest> readAll(InputStream input, String source, Consumer<String> warnings)
            throws IOException {
        try (TokenReader tokens = TokenReader.open(input, source)) {
            List<PodManifest> found = new ArrayList<>();
            ManifestReader reader = new ManifestReader(tokens, warnings, found::add, PodManifest::reject);
            reader.read();
            if (found.isEmpty()) {
                throw new ObjectFormatException(source + ": " + reader.whyNone());
            }
            return found;
        }
    }

    private static void reject(ObjectFormatException problem) throws ObjectFormatException {
        throw problem;
    }

    /**
     * Calls {@code found} with each workload among the objects in {@code input}, and closes it; see {@link #readAll}.
     *
     * @param broken receives the problem of each workload that is rejected
     */
    public static void forEach(
            InputStream input, String source, Consumer<PodManifest> found, Consumer<ObjectFormatException> broken)
            throws IOException {
        try (TokenReader tokens = TokenReader.open(input, source)) {
            new ManifestReader(tokens, hint -> {}, found, broken::accept).read();
        }
    }

    /** Calls {@code found} with each workload among the objects that an API server sent. */
    public static void forEachOfServer(InputStream input, String source, Consumer<PodManifest> found)
            throws IOException {
        try (TokenReader tokens = TokenReader.open(input, source)) {
            ManifestReader.ofServer(tokens, found, PodManifest::reject).read();
        }
    }

    /**
     * For a Deployment, the pod of its current revision if exactly one of the given ReplicaSets has the same template;
     * otherwise this.
     */
    public PodManifest inCurrentRevision(List<PodManifest> all) {
        List<PodManifest> current =
                all.stream().filter(set -> Workloads.isRevision(set, this)).toList();
        if (current.size() != 1) {
            return this;
        }
        PodManifest set = current.get(0);
        Pod.Builder changed = pod.toBuilder();
        changed.getMetadataBuilder()
                .clearOwnerReferences()
                .addAllOwnerReferences(set.pod.getMetadata().getOwnerReferencesList())
                .putAllLabels(set.pod.getMetadata().getLabelsMap());
        return new PodManifest(kind, changed.build(), Map.of(), set.selector, rollout);
    }

    /** The titles of some workloads and their namespaces, for a message. */
    public static String names(List<PodManifest> workloads) {
        String names = workloads.stream()
                .limit(MAX_NAMED)
                .map(each -> {
                    String namespace = each.pod.getMetadata().getNamespace();
                    return Quotes.shortened(each.title())
                            + (namespace.isEmpty() ? "" : " in " + Quotes.shortened(namespace));
                })
                .collect(Collectors.joining(", "));
        return workloads.size() > MAX_NAMED ? names + " and " + (workloads.size() - MAX_NAMED) + " more" : names;
    }
}
