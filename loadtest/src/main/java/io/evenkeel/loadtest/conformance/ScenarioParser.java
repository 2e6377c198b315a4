package io.evenkeel.loadtest.conformance;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.protobuf.util.JsonFormat;
import io.evenkeel.v1.ClusterEvent;
import io.evenkeel.v1.ClusterObject;
import io.evenkeel.v1.Commit;
import io.evenkeel.v1.DefaultConstraints;
import io.evenkeel.v1.Fork;
import io.evenkeel.v1.NodeCode;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.PodReference;
import io.evenkeel.v1.Revert;
import io.evenkeel.v1.SessionOperation;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Parses a line of a corpus file into a scenario. Scenarios reuse UIDs for different objects, so each UID gets a
 * prefix. Otherwise a server would mistake an object for a deleted one of an earlier scenario.
 */
final class ScenarioParser {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final JsonFormat.Parser OBJECTS = JsonFormat.parser().ignoringUnknownFields();

    private final String uidPrefix;

    ScenarioParser(String uidPrefix) {
        this.uidPrefix = uidPrefix;
    }

    Scenario parse(String line) throws CorpusFormatException {
        String place = "the scenario";
        try {
            JsonNode json = JSON.readTree(line);
            String name = json.required("name").asText();
            DefaultConstraints defaults = defaults(json.path("defaults"));
            List<Scenario.Step> steps = new ArrayList<>();
            for (JsonNode step : json.required("steps")) {
                place = "steps[" + steps.size() + "]";
                steps.add(step(step));
            }
            return new Scenario(name, defaults, steps);
        } catch (JsonProcessingException malformed) {
            throw new CorpusFormatException("malformed JSON: " + malformed.getOriginalMessage());
        } catch (IllegalArgumentException | InvalidProtocolBufferException wrong) {
            throw new CorpusFormatException(place + " " + wrong.getMessage());
        }
    }

    private static DefaultConstraints defaults(JsonNode json) throws InvalidProtocolBufferException {
        DefaultConstraints.Builder defaults =
                DefaultConstraints.newBuilder().setType(DefaultConstraints.Type.TYPE_LIST);
        switch (json.path("type").asText("List")) {
            case "System" -> defaults.setType(DefaultConstraints.Type.TYPE_SYSTEM);
            case "List" -> {
                for (JsonNode constraint : json.path("constraints")) {
                    OBJECTS.merge(constraint.toString(), defaults.addConstraintsBuilder());
                }
            }
            default -> throw wrong("defaults.type", "must be System or List", json.get("type"));
        }
        return defaults.build();
    }

    private Scenario.Step step(JsonNode step) throws InvalidProtocolBufferException {
        if (step.has("apply")) {
            List<ClusterEvent> events = new ArrayList<>();
            for (JsonNode event : step.get("apply")) {
                events.add(event(event));
            }
            return new Scenario.Apply(events);
        }
        if (step.has("query")) {
            return query(step.get("query"));
        }
        if (step.has("whatIf")) {
            return alternative(step.get("whatIf"));
        }
        if (step.has("whole")) {
            return whole(step.get("whole"));
        }
        if (step.has("ops")) {
            List<Scenario.Operation> operations = new ArrayList<>();
            for (JsonNode operation : step.get("ops")) {
                operations.add(operation(operation, "ops[" + operations.size() + "]"));
            }
            return new Scenario.Operations(operations);
        }
        throw new IllegalArgumentException("must contain apply, query, whatIf, whole or ops");
    }

    private Scenario.Whole whole(JsonNode whole) throws InvalidProtocolBufferException {
        JsonNode expected = whole.required("expect");
        Map<String, Scenario.Exclusion> excluded = new LinkedHashMap<>();
        expected.required("nodes")
                .properties()
                .forEach(node -> excluded.put(
                        node.getKey(),
                        new Scenario.Exclusion(
                                code(node.getValue().required("code")),
                                strings(node.getValue().required("reasons")))));
        return new Scenario.Whole(
                pod(whole.required("pod")), excluded, expected.path("sentence").asText());
    }

    private Scenario.Operation operation(JsonNode operation, String place) throws InvalidProtocolBufferException {
        SessionOperation.Builder change = SessionOperation.newBuilder();
        Scenario.Place placed = null;
        if (operation.has("place")) {
            placed = new Scenario.Place(
                    pod(operation.get("place")),
                    operation.required("expect").asText(),
                    operation.path("sentence").asText());
            if (!placed.node().isEmpty()) {
                change.getPlacePodBuilder().setPod(placed.pod()).setNode(placed.node());
            }
        } else if (operation.has("addNode")) {
            read(operation.get("addNode"), change.getAddNodesBuilder().getTemplateBuilder());
        } else if (operation.has("removeNode")) {
            change.getRemoveNodeBuilder().setNode(operation.get("removeNode").asText());
        } else if (operation.has("evict")) {
            change.getRemovePodsBuilder().addPods(reference(operation.get("evict"), "evict"));
        } else if (operation.has("fork")) {
            change.setFork(Fork.getDefaultInstance());
        } else if (operation.has("revert")) {
            change.setRevert(Revert.getDefaultInstance());
        } else if (operation.has("commit")) {
            change.setCommit(Commit.getDefaultInstance());
        } else {
            throw new IllegalArgumentException(
                    place + " must contain place, addNode, removeNode, evict, fork, revert or commit");
        }
        return new Scenario.Operation(change.build(), placed);
    }

    private ClusterEvent event(JsonNode event) throws InvalidProtocolBufferException {
        JsonNode object = event.required("object");
        ClusterObject.Builder message = ClusterObject.newBuilder();
        switch (object.required("kind").asText()) {
            case "Node" -> read(object, message.getNodeBuilder());
            case "Pod" -> read(object, message.getPodBuilder());
            case "Service" -> read(object, message.getServiceBuilder());
            case "ReplicationController" -> read(object, message.getReplicationControllerBuilder());
            case "ReplicaSet" -> read(object, message.getReplicaSetBuilder());
            case "StatefulSet" -> read(object, message.getStatefulSetBuilder());
            default -> throw wrong("kind", "must be a kind that topology spread depends on", object.get("kind"));
        }
        return ClusterEvent.newBuilder()
                .setType(ClusterEvent.Type.valueOf(
                        "TYPE_" + event.required("type").asText()))
                .setObject(message)
                .build();
    }

    private Scenario.Query query(JsonNode query) throws InvalidProtocolBufferException {
        JsonNode expected = query.required("expect");
        Map<String, NodeCode> filter = new LinkedHashMap<>();
        expected.path("filter").properties().forEach(node -> filter.put(node.getKey(), code(node.getValue())));
        Map<String, Integer> scores = new LinkedHashMap<>();
        expected.path("scores")
                .properties()
                .forEach(node -> scores.put(node.getKey(), node.getValue().asInt()));
        JsonNode candidates = query.get("candidates");
        return new Scenario.Query(
                pod(query.required("pod")), candidates == null ? null : strings(candidates), filter, scores);
    }

    private Scenario.Alternative alternative(JsonNode whatIf) throws InvalidProtocolBufferException {
        List<PodReference> remove = new ArrayList<>();
        for (JsonNode name : whatIf.path("remove")) {
            remove.add(reference(name, "remove"));
        }
        List<Pod> add = new ArrayList<>();
        for (JsonNode pod : whatIf.path("add")) {
            add.add(pod(pod));
        }
        return new Scenario.Alternative(
                pod(whatIf.required("pod")),
                whatIf.required("node").asText(),
                remove,
                add,
                code(whatIf.required("expect")));
    }

    private static PodReference reference(JsonNode json, String field) {
        String name = json.asText();
        int slash = name.indexOf('/');
        if (slash < 0) {
            throw wrong(field, "must contain namespace/name", json);
        }
        return PodReference.newBuilder()
                .setNamespace(name.substring(0, slash))
                .setName(name.substring(slash + 1))
                .build();
    }

    private static NodeCode code(JsonNode words) {
        NodeCode code = CodeWords.code(words.asText());
        if (code == null) {
            throw wrong("a code", "must be Success, Unschedulable or UnschedulableAndUnresolvable", words);
        }
        return code;
    }

    private static List<String> strings(JsonNode list) {
        List<String> strings = new ArrayList<>();
        list.forEach(text -> strings.add(text.asText()));
        return strings;
    }

    private Pod pod(JsonNode json) throws InvalidProtocolBufferException {
        Pod.Builder pod = Pod.newBuilder();
        read(json, pod);
        return pod.build();
    }

    /** Reads a Kubernetes object. */
    private void read(JsonNode object, Message.Builder builder) throws InvalidProtocolBufferException {
        if (object.path("metadata") instanceof ObjectNode metadata && metadata.has("uid")) {
            metadata.put("uid", uidPrefix + metadata.get("uid").asText());
        }
        OBJECTS.merge(object.toString(), builder);
    }

    private static IllegalArgumentException wrong(String field, String rule, JsonNode value) {
        return new IllegalArgumentException(field + " " + rule + ", was " + value);
    }
}
