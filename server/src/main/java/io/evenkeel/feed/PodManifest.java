package io.evenkeel.feed;

import com.fasterxml.jackson.core.JsonToken;
import io.evenkeel.v1.ObjectMeta;
import io.evenkeel.v1.OwnerReference;
import io.evenkeel.v1.Pod;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/**
 * A pod to be placed as a manifest describes it: a Pod, or an object with a template that pods are made from. JSON or YAML, plain or gzip.
 *
 * <p>A pod from a template is in the template's or else the object's namespace, and is controlled by the object where pods that the object makes are. Labels that a
 * controller adds to each pod, such as {@code pod-template-hash}, are not there.
 *
 * @param kind that of the object, as {@code Deployment}
 */
public record PodManifest(String kind, Pod pod) {
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
                case "kind" -> kind = kind(input);
                case "metadata", "spec", "status", "template" -> content.add(name);
                default -> input.skipValue();
            }
        }
        if (kind.isEmpty()) {
            throw input.problem(new Violation("kind", "must not be missing").message());
        }
        TokenReader fields = content.replay();
        List<String> template = TEMPLATES.get(kind);
        Pod.Builder pod = Pod.newBuilder();
        if (template == null) {
            new MessageFiller(fields, false).fill(pod);
        } else {
            fillFromTemplate(pod, fields, template, apiVersion, kind);
        }
        while (!input.isAtEnd()) {
            JsonToken next = input.next();
            if (next != null && next != JsonToken.VALUE_NULL) {
                throw input.problem("there must be one object only");
            }
        }
        return new PodManifest(kind, pod.build());
    }

    private static String kind(TokenReader input) throws IOException {
        String kind = input.string();
        if (!kind.equals("Pod") && !TEMPLATES.containsKey(kind)) {
            throw input.wrong("must be Pod, " + String.join(", ", new TreeSet<>(TEMPLATES.keySet())) + ", was "
                    + Quotes.quoted(kind));
        }
        return kind;
    }

    private static void fillFromTemplate(
            Pod.Builder pod, TokenReader fields, List<String> path, String apiVersion, String kind) throws IOException {
        ObjectMeta.Builder owner = ObjectMeta.newBuilder();
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
