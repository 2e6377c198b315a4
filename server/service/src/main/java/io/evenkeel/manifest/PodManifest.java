package io.evenkeel.manifest;

import io.evenkeel.objects.Quotes;
import io.evenkeel.v1.ClusterObject;
import io.evenkeel.v1.LabelSelector;
import io.evenkeel.v1.ObjectMeta;
import io.evenkeel.v1.Pod;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A pod to be placed as a manifest describes it: a Pod, or an object with a template that pods are made from. JSON or
 * YAML, plain or gzip.
 *
 * <p>A pod from a template is in the template's or else the object's namespace, and is controlled by the object where
 * pods that the object makes are. It has the labels that a controller will put on it: see {@link #newLabels}.
 *
 * @param kind that of the object, as {@code Deployment}
 * @param newLabels those of the pod's labels that name what does not exist yet, such as the hash of a Deployment's next
 *     revision: their values are stand-ins
 * @param selector the object's, which default constraints of its pods take theirs from; null where the object has none,
 *     or is of a kind whose selector they do not look at
 */
public record PodManifest(
        String kind,
        Pod pod,
        Map<String, String> newLabels,
        @Nullable LabelSelector selector) {
    private static final int MOST_NAMED = 10;

    public PodManifest {
        newLabels = Map.copyOf(newLabels);
    }

    /** That of a pod which is there already. */
    public static PodManifest of(Pod pod) {
        return new PodManifest("Pod", pod, Map.of(), null);
    }

    /**
     * Whether a label's value is a stand-in as those of {@link #newLabels}, so that a pod which has it must be told
     * apart by {@link #beside}.
     */
    public static boolean isStandIn(String value) {
        return Workloads.isStandIn(value);
    }

    /** Whether it is the pod of a template. */
    public boolean isFromTemplate() {
        return !kind.equals("Pod");
    }

    /** The kind and the name by which it is chosen among others, as {@code Deployment/web}. */
    public String title() {
        ObjectMeta metadata = pod.getMetadata();
        String name =
                metadata.getName().isEmpty() ? metadata.getGenerateName().replaceFirst("-$", "") : metadata.getName();
        return kind + "/" + name;
    }

    /**
     * The object that will be the pod's controller, as far as it is known: the workload itself, or the ReplicaSet of a
     * Deployment's next revision, which does not exist yet. Null where default constraints take nothing from it.
     */
    public @Nullable ClusterObject controller() {
        return selector == null ? null : Workloads.controller(pod.getMetadata(), selector, newLabels);
    }

    /** The same in {@code namespace}, where it names none of its own. */
    public PodManifest orIn(String namespace) {
        if (!pod.getMetadata().getNamespace().isEmpty()) {
            return this;
        }
        Pod.Builder moved = pod.toBuilder();
        moved.getMetadataBuilder().setNamespace(namespace);
        return new PodManifest(kind, moved.build(), newLabels, selector);
    }

    /** The same, with values of {@link #newLabels} that are not among {@code taken}. */
    public PodManifest beside(Set<String> taken) {
        Pod.Builder changed = pod.toBuilder();
        Map<String, String> values = newLabels.entrySet().stream()
                .collect(Collectors.toMap(Map.Entry::getKey, each -> unlike(each.getValue(), taken)));
        changed.getMetadataBuilder().putAllLabels(values);
        return new PodManifest(kind, changed.build(), values, selector);
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
     * @throws ObjectFormatException also where there are several
     */
    public static PodManifest read(InputStream input, String source) throws IOException {
        List<PodManifest> found = readAll(input, source, hint -> {});
        if (found.size() > 1) {
            throw new ObjectFormatException(
                    source + ": there must be one workload only, but there are " + names(found));
        }
        return found.get(0);
    }

    /**
     * Reads the workloads among the objects in {@code input}, at least one, and closes it. Objects may be in several
     * documents and in lists; those of other kinds are skipped.
     *
     * @param source what errors call the input
     * @param hints told of each field that is not known, but nearly so: a line each
     * @throws ObjectFormatException where it is malformed, or there is no workload
     * @throws IOException where it cannot be read
     */
    public static List<PodManifest> readAll(InputStream input, String source, Consumer<String> hints)
            throws IOException {
        try (TokenReader tokens = TokenReader.open(input, source)) {
            ManifestReader reader = new ManifestReader(tokens, hints);
            List<PodManifest> found = reader.read();
            if (found.isEmpty()) {
                throw new ObjectFormatException(source + ": " + reader.whyNone());
            }
            return found;
        }
    }

    /** The titles of some workloads and their namespaces, for a message. */
    public static String names(List<PodManifest> workloads) {
        String names = workloads.stream()
                .limit(MOST_NAMED)
                .map(each -> {
                    String namespace = each.pod.getMetadata().getNamespace();
                    return Quotes.shortened(each.title())
                            + (namespace.isEmpty() ? "" : " in " + Quotes.shortened(namespace));
                })
                .collect(Collectors.joining(", "));
        return workloads.size() > MOST_NAMED ? names + " and " + (workloads.size() - MOST_NAMED) + " more" : names;
    }
}
