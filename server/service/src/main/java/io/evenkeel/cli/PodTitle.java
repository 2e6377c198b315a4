package io.evenkeel.cli;

import io.evenkeel.manifest.PodManifest;
import io.evenkeel.v1.ObjectMeta;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.ReferencedPod;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** The line that names the pod of an answer and its node. */
final class PodTitle {
    private static final Set<String> FINISHED = Set.of("Succeeded", "Failed");

    private final String pod;
    private final List<String> notes = new ArrayList<>();

    private PodTitle(String namespace, String name) {
        pod = "Pod " + (namespace.isEmpty() ? "default" : namespace) + "/" + name;
    }

    /**
     * A pod from a manifest.
     *
     * @param isCounted whether it counts on its node
     */
    static PodTitle of(PodManifest manifest, boolean isCounted) {
        Pod pod = manifest.pod();
        ObjectMeta metadata = pod.getMetadata();
        PodTitle title = new PodTitle(
                metadata.getNamespace(),
                metadata.getName().isEmpty() ? metadata.getGenerateName() + "*" : metadata.getName());
        if (manifest.isFromTemplate()) {
            title.notes.add("from the template of a " + manifest.kind());
            if (!manifest.newLabels().isEmpty()) {
                title.notes.add(manifest.kind().endsWith("Job") ? "of its next run" : "of its next revision");
            }
        }
        String phase = pod.getStatus().getPhase();
        title.note(
                pod.getSpec().getNodeName(),
                FINISHED.contains(phase),
                phase.isEmpty() ? "" : "Pending",
                "on ",
                isCounted,
                metadata.hasDeletionTimestamp());
        return title;
    }

    /**
     * A pod of the cluster.
     *
     * @param isCounted whether it counts on its node
     */
    static PodTitle of(ReferencedPod pod, boolean isCounted) {
        PodTitle title = new PodTitle(pod.getNamespace(), pod.getName());
        title.note(
                pod.getNode(),
                pod.getFinished(),
                "Pending",
                pod.getAssumed() ? "assumed on " : "on ",
                isCounted,
                pod.getTerminating());
        return title;
    }

    private void note(
            String node, boolean finished, String pending, String on, boolean isCounted, boolean terminating) {
        if (finished) {
            notes.add("finished");
        }
        if (!node.isEmpty()) {
            notes.add(on + node + (isCounted ? "" : " but not counted"));
        } else if (!finished && !pending.isEmpty()) {
            notes.add(pending);
        }
        if (terminating) {
            notes.add("terminating");
        }
    }

    /** {@code Pod shop/web-1 (on node-3)}. */
    @Override
    public String toString() {
        return Paragraphs.printable(pod + (notes.isEmpty() ? "" : " (" + String.join(", ", notes) + ")"));
    }
}
