package io.evenkeel.feed;

import com.fasterxml.jackson.core.JsonToken;
import io.evenkeel.v1.ObjectMeta;
import io.evenkeel.v1.OwnerReference;
import io.evenkeel.v1.Pod;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;

/**
 * A pod to be placed as a manifest describes it: a Pod, or an object with a template that pods are made from. JSON or YAML, plain or gzip.
 *
 * <p>A pod from a template is in the template's or else the object's namespace, and is controlled by the object where pods that the object makes are. Labels that a
 * controller adds to each pod, such as {@code pod-template-hash}, are not there.
 *
 * @param kind that of the object, as {@code Deployment}
 */
public record PodManifest(String kind, Pod pod) {
    /** Kinds whose pods have the object itself as their controller and its selector for default constraints. */
    private static final List<String> CONTROLLERS = List.of("ReplicaSet", "StatefulSet", "ReplicationController");

    private static final String KINDS =
            "Pod, PodTemplate, Deployment, ReplicaSet, StatefulSet, ReplicationController, Job or CronJob";

    /** Whether it is the pod of a template. */
    public boolean isFromTemplate() {
        return !kind.equals("Pod");
    }

    /**
     * Reads the one object in {@code input}, and closes it.
     *
     * @param source what errors call the input
     * @throws ObjectFormatException where it is malformed, of another kind, or not alone
     * @throws IOException where it cannot be read
     */
    public static PodManifest read(InputStream input, String source) throws IOException {
        try (TokenReader tokens = TokenReader.open(input, source)) {
            return read(tokens);
        }
    }

    private static PodManifest read(TokenReader input) throws IOException {
        JsonToken token = input.next();
        while (!input.isAtEnd() && (token == null || token == JsonToken.VALUE_NULL)) {
            token = input.next();
        }
        if (token == null) {
            throw input.problem("there is nothing to read");
        }
        input.expectObject();
        String apiVersion = "";
        String kind = "";
        SetAside content = new SetAside(input, input.path());
        for (String name = input.nextField(); name != null; name = input.nextField()) {
            switch (name) {
                case "apiVersion" -> apiVersion = input.string();
                case "kind" -> kind = input.string();
                case "metadata", "spec", "status", "template" -> content.add(name);
                default -> input.skipValue();
            }
        }
        TokenReader fields = content.replay();
        PodManifest manifest = switch (kind) {
            case "Pod" -> {
                Pod.Builder pod = Pod.newBuilder();
                new MessageFiller(fields, false).fill(pod);
                yield new PodManifest(kind, pod.build());
            }
            case "PodTemplate" -> ofTemplate(fields, apiVersion, kind, List.of("template"));
            case "Deployment", "ReplicaSet", "StatefulSet", "ReplicationController", "Job" ->
                ofTemplate(fields, apiVersion, kind, List.of("spec", "template"));
            case "CronJob" -> ofTemplate(fields, apiVersion, kind, List.of("spec", "jobTemplate", "spec", "template"));
            default ->
                throw input.problem(new Violation(
                                "kind",
                                kind.isEmpty()
                                        ? "must not be missing"
                                        : "must be " + KINDS + ", was " + Quotes.quoted(kind))
                        .message());
        };
        while (!input.isAtEnd()) {
            JsonToken next = input.next();
            if (next != null && next != JsonToken.VALUE_NULL) {
                throw input.problem("there must be one object only");
            }
        }
        return manifest;
    }

    private static PodManifest ofTemplate(TokenReader fields, String apiVersion, String kind, List<String> path)
            throws IOException {
        ObjectMeta.Builder owner = ObjectMeta.newBuilder();
        Pod.Builder pod = Pod.newBuilder();
        boolean found = false;
        for (String name = fields.nextField(); name != null; name = fields.nextField()) {
            if (name.equals("metadata") && !fields.isAt(JsonToken.VALUE_NULL)) {
                fields.expectObject();
                new MessageFiller(fields, false).fill(owner);
            } else if (name.equals(path.get(0))) {
                found = fillTemplate(fields, path.subList(1, path.size()), pod);
            } else {
                fields.skipValue();
            }
        }
        if (!found) {
            throw fields.problem(new Violation(String.join(".", path), "must not be missing").message());
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
        return new PodManifest(kind, pod.build());
    }

    /** Goes down {@code path} from the current value and fills the pod from what is there. */
    private static boolean fillTemplate(TokenReader fields, List<String> path, Pod.Builder pod) throws IOException {
        fields.expectObject();
        if (path.isEmpty()) {
            new MessageFiller(fields, false).fill(pod);
            return true;
        }
        boolean found = false;
        for (String name = fields.nextField(); name != null; name = fields.nextField()) {
            if (name.equals(path.get(0))) {
                found = fillTemplate(fields, path.subList(1, path.size()), pod);
            } else {
                fields.skipValue();
            }
        }
        return found;
    }
}
