package io.evenkeel.cli;

import io.evenkeel.manifest.PodManifest;
import io.evenkeel.v1.ObjectMeta;
import io.evenkeel.v1.Pod;
import java.util.ArrayList;
import java.util.List;

/**
 * The line that says which pod an answer is about.
 *
 * @param isCounted whether the pod counts on its node
 */
record PodTitle(PodManifest manifest, boolean isCounted) {
    /** {@code Pod shop/web-1 (Running on node-3)}. */
    @Override
    public String toString() {
        Pod pod = manifest.pod();
        ObjectMeta metadata = pod.getMetadata();
        String namespace = metadata.getNamespace().isEmpty() ? "default" : metadata.getNamespace();
        String name = metadata.getName().isEmpty() ? metadata.getGenerateName() + "*" : metadata.getName();
        List<String> notes = new ArrayList<>();
        if (manifest.isFromTemplate()) {
            notes.add("from the template of a " + manifest.kind());
            if (!manifest.newLabels().isEmpty()) {
                notes.add(manifest.kind().endsWith("Job") ? "of its next run" : "of its next revision");
            }
        }
        String phase = pod.getStatus().getPhase();
        String node = pod.getSpec().getNodeName();
        if (!node.isEmpty()) {
            notes.add((phase.isEmpty() ? "" : phase + " ") + "on " + node
                    + (isCounted ? "" : ", where it does not count"));
        } else if (!phase.isEmpty()) {
            notes.add(phase);
        }
        if (metadata.hasDeletionTimestamp()) {
            notes.add("terminating");
        }
        return Paragraphs.printable(
                "Pod " + namespace + "/" + name + (notes.isEmpty() ? "" : " (" + String.join(", ", notes) + ")"));
    }
}
