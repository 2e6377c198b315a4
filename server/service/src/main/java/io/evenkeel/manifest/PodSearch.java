package io.evenkeel.manifest;

import io.evenkeel.objects.SimilarNames;
import io.evenkeel.v1.ObjectMeta;
import io.evenkeel.v1.Pod;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Looks at the pods of a cluster while they are read, to find the pod in question, similar names, and label values. It
 * keeps only a few names and distinct sets of labels, because there may be millions of pods.
 */
public final class PodSearch {
    private static final int MAX_SUGGESTIONS = 3;
    private static final Set<String> FINISHED = Set.of("Succeeded", "Failed");

    /** The pod to find; both null if there is none. */
    private final @Nullable String namespace;

    private final @Nullable String name;

    private final List<String> inOtherNamespaces = new ArrayList<>();
    private final List<String> mistyped = new ArrayList<>();
    private final List<String> ofWorkload = new ArrayList<>();
    private final Set<String> standIns = new HashSet<>();
    private final NamespaceCheck namespaces = new NamespaceCheck();
    private @Nullable Pod found;
    private long count;

    /** @param wanted the pod to find, as {@code namespace/name}; or null */
    public PodSearch(@Nullable String wanted) {
        int slash = wanted == null ? -1 : wanted.indexOf('/');
        namespace = wanted == null ? null : wanted.substring(0, slash);
        name = wanted == null ? null : wanted.substring(slash + 1);
    }

    public void look(Pod pod) {
        count++;
        ObjectMeta metadata = pod.getMetadata();
        if (name != null) {
            compare(name, pod, metadata.getNamespace(), metadata.getName());
        }
        if (counts(pod)) {
            namespaces.look(pod);
        }
        metadata.getLabelsMap().values().stream().filter(Workloads::isStandIn).forEach(standIns::add);
    }

    /** Whether a pod counts on its node: it is neither finished nor terminating. */
    public static boolean counts(Pod pod) {
        return !FINISHED.contains(pod.getStatus().getPhase())
                && !pod.getMetadata().hasDeletionTimestamp();
    }

    private void compare(String wanted, Pod pod, String otherNamespace, String other) {
        boolean isInNamespace = otherNamespace.equals(namespace);
        if (other.equals(wanted)) {
            if (isInNamespace) {
                found = pod;
            } else {
                suggest(inOtherNamespaces, otherNamespace, other);
            }
        } else if (isInNamespace && found == null) {
            if (SimilarNames.isNear(wanted, other)) {
                suggest(mistyped, otherNamespace, other);
            } else if (other.startsWith(wanted + "-")) {
                suggest(ofWorkload, otherNamespace, other);
            }
        }
    }

    private static void suggest(List<String> names, String namespace, String name) {
        String full = namespace + "/" + name;
        if (names.size() < MAX_SUGGESTIONS && !names.contains(full)) {
            names.add(full);
        }
    }

    public long count() {
        return count;
    }

    /** The pod in question, or null. If several have its name, the last one. */
    @Nullable
    public Pod found() {
        return found;
    }

    /** Pods that were probably meant if no pod has the wanted name; the likeliest first. */
    public List<String> nearNames() {
        return Stream.of(inOtherNamespaces, mistyped, ofWorkload)
                .flatMap(List::stream)
                .limit(MAX_SUGGESTIONS)
                .toList();
    }

    /** Knows whether other namespaces have pods that an answer does not count. */
    public NamespaceCheck namespaces() {
        return namespaces;
    }

    /** The label values of pods that {@link PodManifest} must not use as placeholders. */
    public Set<String> standIns() {
        return standIns;
    }
}
