package io.evenkeel.loadtest.conformance;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import com.google.gson.JsonPrimitive;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.protobuf.util.JsonFormat;
import io.evenkeel.v1.ClusterEvent;
import io.evenkeel.v1.ClusterObject;
import io.evenkeel.v1.DefaultConstraints;
import io.evenkeel.v1.NodeCode;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.PodReference;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Parses a line of a corpus file into a scenario. Scenarios reuse UIDs for different objects, so each UID gets a
 * prefix. Otherwise a server would mistake an object for a deleted one of an earlier scenario.
 */
final class ScenarioParser {
    private static final JsonFormat.Parser OBJECTS = JsonFormat.parser().ignoringUnknownFields();

    private final String uidPrefix;

    ScenarioParser(String uidPrefix) {
        this.uidPrefix = uidPrefix;
    }

    Scenario parse(String line) throws CorpusFormatException {
        JsonFields json;
        try {
            json = JsonFields.of(JsonParser.parseString(line), "");
        } catch (JsonParseException malformed) {
            throw new CorpusFormatException("malformed JSON: " + malformed.getMessage());
        }
        List<Scenario.Step> steps = new ArrayList<>();
        for (JsonFields step : json.objects("steps")) {
            steps.add(step(step));
        }
        return new Scenario(json.string("name"), defaults(json), steps);
    }

    private static DefaultConstraints defaults(JsonFields json) throws CorpusFormatException {
        DefaultConstraints.Builder defaults =
                DefaultConstraints.newBuilder().setType(DefaultConstraints.Type.TYPE_LIST);
        if (!json.has("defaults")) {
            return defaults.build();
        }
        JsonFields fields = json.object("defaults");
        switch (fields.string("type")) {
            case "System" -> defaults.setType(DefaultConstraints.Type.TYPE_SYSTEM);
            case "List" -> {
                for (JsonFields constraint : fields.objects("constraints")) {
                    merge(constraint, defaults.addConstraintsBuilder());
                }
            }
            default -> throw wrong(fields, "type", "must be System or List");
        }
        return defaults.build();
    }

    private Scenario.Step step(JsonFields step) throws CorpusFormatException {
        if (step.has("apply")) {
            List<ClusterEvent> events = new ArrayList<>();
            for (JsonFields event : step.objects("apply")) {
                events.add(event(event));
            }
            return new Scenario.Apply(events);
        }
        if (step.has("query")) {
            return query(step.object("query"));
        }
        if (step.has("whatIf")) {
            return alternative(step.object("whatIf"));
        }
        throw new CorpusFormatException(step.path() + " must contain apply, query or whatIf");
    }

    private ClusterEvent event(JsonFields event) throws CorpusFormatException {
        ClusterEvent.Type type = switch (event.string("type")) {
            case "ADDED" -> ClusterEvent.Type.TYPE_ADDED;
            case "MODIFIED" -> ClusterEvent.Type.TYPE_MODIFIED;
            case "DELETED" -> ClusterEvent.Type.TYPE_DELETED;
            default -> throw wrong(event, "type", "must be ADDED, MODIFIED or DELETED");
        };
        JsonFields object = event.object("object");
        ClusterObject.Builder message = ClusterObject.newBuilder();
        switch (object.string("kind")) {
            case "Node" -> read(object, message.getNodeBuilder());
            case "Pod" -> read(object, message.getPodBuilder());
            case "Service" -> read(object, message.getServiceBuilder());
            case "ReplicationController" -> read(object, message.getReplicationControllerBuilder());
            case "ReplicaSet" -> read(object, message.getReplicaSetBuilder());
            case "StatefulSet" -> read(object, message.getStatefulSetBuilder());
            default -> throw wrong(object, "kind", "must be a kind that topology spread depends on");
        }
        return ClusterEvent.newBuilder().setType(type).setObject(message).build();
    }

    private Scenario.Query query(JsonFields query) throws CorpusFormatException {
        JsonFields expected = query.object("expect");
        Map<String, NodeCode> filter = new LinkedHashMap<>();
        JsonFields codes = expected.objectOrEmpty("filter");
        for (Map.Entry<String, JsonElement> node : codes.entries()) {
            filter.put(node.getKey(), code(codes, node.getKey()));
        }
        Map<String, Integer> scores = new LinkedHashMap<>();
        JsonFields numbers = expected.objectOrEmpty("scores");
        for (Map.Entry<String, JsonElement> node : numbers.entries()) {
            if (!(node.getValue() instanceof JsonPrimitive number) || !number.isNumber()) {
                throw wrong(numbers, node.getKey(), "must be a number");
            }
            scores.put(node.getKey(), number.getAsInt());
        }
        return new Scenario.Query(
                pod(query.object("pod")), query.has("candidates") ? query.strings("candidates") : null, filter, scores);
    }

    private Scenario.Alternative alternative(JsonFields whatIf) throws CorpusFormatException {
        List<PodReference> remove = new ArrayList<>();
        for (String name : whatIf.strings("remove")) {
            int slash = name.indexOf('/');
            if (slash < 0) {
                throw new CorpusFormatException(
                        whatIf.path("remove") + " must contain namespace/name, was \"" + name + "\"");
            }
            remove.add(PodReference.newBuilder()
                    .setNamespace(name.substring(0, slash))
                    .setName(name.substring(slash + 1))
                    .build());
        }
        List<Pod> add = new ArrayList<>();
        for (JsonFields pod : whatIf.objects("add")) {
            add.add(pod(pod));
        }
        return new Scenario.Alternative(
                pod(whatIf.object("pod")), whatIf.string("node"), remove, add, code(whatIf, "expect"));
    }

    private static NodeCode code(JsonFields fields, String field) throws CorpusFormatException {
        NodeCode code = CodeWords.code(fields.string(field));
        if (code == null) {
            throw wrong(fields, field, "must be Success, Unschedulable or UnschedulableAndUnresolvable");
        }
        return code;
    }

    private Pod pod(JsonFields json) throws CorpusFormatException {
        Pod.Builder pod = Pod.newBuilder();
        read(json, pod);
        return pod.build();
    }

    /** Reads a Kubernetes object. */
    private void read(JsonFields object, Message.Builder builder) throws CorpusFormatException {
        if (object.has("metadata")) {
            JsonObject metadata = object.object("metadata").json();
            if (metadata.has("uid")) {
                metadata.addProperty("uid", uidPrefix + metadata.get("uid").getAsString());
            }
        }
        merge(object, builder);
    }

    private static void merge(JsonFields json, Message.Builder builder) throws CorpusFormatException {
        try {
            OBJECTS.merge(json.json().toString(), builder);
        } catch (InvalidProtocolBufferException wrongType) {
            throw new CorpusFormatException(json.path() + ": " + wrongType.getMessage());
        }
    }

    private static CorpusFormatException wrong(JsonFields fields, String field, String rule) {
        return new CorpusFormatException(
                fields.path(field) + " " + rule + ", was " + fields.json().get(field));
    }
}
