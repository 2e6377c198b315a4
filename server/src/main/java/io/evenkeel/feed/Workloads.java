package io.evenkeel.feed;

import com.fasterxml.jackson.core.JsonToken;
import io.evenkeel.v1.ObjectMeta;
import io.evenkeel.v1.OwnerReference;
import io.evenkeel.v1.Pod;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.Consumer;

/** Makes the pod of a workload: a Pod as it is, or the pod that an object with a template would make. */
final class Workloads {
    /** Kinds with a template, and where it is. */
    private static final Map<String, List<String>> TEMPLATES = Map.of(
            "PodTemplate", List.of("template"),
            "Deployment", List.of("spec", "template"),
            "ReplicaSet", List.of("spec", "template"),
            "StatefulSet", List.of("spec", "template"),
            "ReplicationController", List.of("spec", "template"),
            "Job", List.of("spec", "template"),
            "CronJob", List.of("spec", "jobTemplate", "spec", "template"));

    /** Kinds whose pods have the object itself as their controller, whose selector goes into default constraints. */
    private static final List<String> CONTROLLERS = List.of("ReplicaSet", "StatefulSet", "ReplicationController");

    /** Labels by which a controller tells its revisions, or its runs, apart. Pods of a template get values that no pod has yet. */
    private static final Map<String, List<String>> NEW_LABELS = Map.of(
            "Deployment", List.of("pod-template-hash"),
            "StatefulSet", List.of("controller-revision-hash"),
            "Job", List.of("batch.kubernetes.io/controller-uid", "controller-uid"),
            "CronJob",
                    List.of(
                            "batch.kubernetes.io/controller-uid",
                            "controller-uid",
                            "batch.kubernetes.io/job-name",
                            "job-name"));

    private static final List<String> NAMES_OF_JOB = List.of("batch.kubernetes.io/job-name", "job-name");

    /** Like no hash or UID that Kubernetes makes, and readable in an explanation. */
    private static final String NEXT_REVISION = "next-revision";

    private static final String NEXT_RUN = "next-run";

    /** Whether a label's value is one of those that stand for what does not exist yet, or like them. */
    static boolean isStandIn(String value) {
        return value.startsWith(NEXT_REVISION) || value.startsWith(NEXT_RUN);
    }

    /** The kinds that pods are made from, Pod first. */
    static final List<String> KINDS = kinds();

    private Workloads() {}

    private static List<String> kinds() {
        List<String> kinds = new ArrayList<>(List.of("Pod"));
        kinds.addAll(new TreeSet<>(TEMPLATES.keySet()));
        return List.copyOf(kinds);
    }

    /**
     * Reads the content of a workload.
     *
     * @param fields within the object, before its first field
     */
    static PodManifest read(
            String kind, String apiVersion, TokenReader fields, FieldPath object, Consumer<String> hints)
            throws IOException {
        Pod.Builder pod = Pod.newBuilder();
        List<String> template = TEMPLATES.get(kind);
        if (template == null) {
            new MessageFiller(fields, hints).fill(pod);
            return PodManifest.of(pod.build());
        }
        ObjectMeta.Builder owner = ObjectMeta.newBuilder();
        boolean found = false;
        for (String name = fields.nextField(); name != null; name = fields.nextField()) {
            if (name.equals("metadata") && !fields.isAt(JsonToken.VALUE_NULL)) {
                fields.expectObject();
                new MessageFiller(fields, hints).fill(owner);
            } else if (name.equals(template.get(0))) {
                found = fillTemplate(fields, template.subList(1, template.size()), pod, hints);
            } else {
                fields.skipValue();
            }
        }
        if (!found) {
            FieldPath missing = object;
            for (String name : template) {
                missing = missing.field(name);
            }
            throw fields.problem(new Violation(missing.toString(), "must not be missing").message());
        }
        ObjectMeta.Builder metadata = pod.getMetadataBuilder();
        if (metadata.getNamespace().isEmpty()) {
            metadata.setNamespace(owner.getNamespace());
        }
        if (!owner.getName().isEmpty()) {
            metadata.setGenerateName(owner.getName() + "-");
        }
        if (CONTROLLERS.contains(kind) && !owner.getName().isEmpty()) {
            metadata.addOwnerReferences(OwnerReference.newBuilder()
                    .setApiVersion(apiVersion)
                    .setKind(kind)
                    .setName(owner.getName())
                    .setController(true));
        }
        Map<String, String> added = addLabels(kind, owner.getName(), metadata);
        return new PodManifest(kind, pod.build(), added);
    }

    /** Adds the labels that a controller will add, and returns those of them whose value is a stand-in. */
    private static Map<String, String> addLabels(String kind, String name, ObjectMeta.Builder metadata) {
        Map<String, String> added = new HashMap<>();
        // The labels of a Job that is there are in its template already.
        boolean keep = kind.equals("Job");
        for (String key : NEW_LABELS.getOrDefault(kind, List.of())) {
            if (!keep || !metadata.containsLabels(key)) {
                added.put(key, kind.endsWith("Job") ? NEXT_RUN : NEXT_REVISION);
            }
        }
        metadata.putAllLabels(added);
        if (kind.equals("Job") && !name.isEmpty()) {
            NAMES_OF_JOB.forEach(key -> metadata.putLabels(key, name));
        }
        return added;
    }

    /** Goes down {@code path} from the current value and fills the pod from what is there. */
    private static boolean fillTemplate(TokenReader fields, List<String> path, Pod.Builder pod, Consumer<String> hints)
            throws IOException {
        fields.expectObject();
        if (path.isEmpty()) {
            new MessageFiller(fields, hints).fill(pod);
            return true;
        }
        boolean found = false;
        for (String name = fields.nextField(); name != null; name = fields.nextField()) {
            if (name.equals(path.get(0))) {
                found = fillTemplate(fields, path.subList(1, path.size()), pod, hints);
            } else {
                if (NearNames.nearest(name, List.of(path.get(0))) != null) {
                    hints.accept(fields.path() + " is not read; did you mean " + path.get(0) + "?");
                }
                fields.skipValue();
            }
        }
        return found;
    }
}
