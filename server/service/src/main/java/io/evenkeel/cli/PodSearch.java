package io.evenkeel.cli;

import io.evenkeel.manifest.PodManifest;
import io.evenkeel.v1.ObjectMeta;
import io.evenkeel.v1.Pod;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Looks at the pods of a cluster while they are read, to find the pod in question, similar names, and label values. */
final class PodSearch {
    private final @Nullable String wanted;
    private final @Nullable SimilarPods near;
    private final Set<String> standIns = new HashSet<>();
    private @Nullable Pod found;
    private long count;

    /** @param wanted the pod to find, as {@code namespace/name}; or null */
    PodSearch(@Nullable String wanted) {
        this.wanted = wanted;
        near = wanted == null ? null : new SimilarPods(wanted);
    }

    void look(Pod pod) {
        count++;
        ObjectMeta metadata = pod.getMetadata();
        if (wanted != null && wanted.equals(metadata.getNamespace() + "/" + metadata.getName())) {
            found = pod;
        } else if (near != null && found == null) {
            near.look(metadata.getNamespace(), metadata.getName());
        }
        metadata.getLabelsMap().values().stream().filter(PodManifest::isStandIn).forEach(standIns::add);
    }

    long count() {
        return count;
    }

    /** The pod in question, or null. If several have its name, the last one. */
    @Nullable
    Pod found() {
        return found;
    }

    /** Pods that were probably meant if no pod has the wanted name; the likeliest first. */
    List<String> nearNames() {
        return near == null ? List.of() : near.names();
    }

    /** The label values of pods that {@link PodManifest} must not use as placeholders. */
    Set<String> standIns() {
        return standIns;
    }
}
