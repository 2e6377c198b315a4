package io.evenkeel.engine;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.google.protobuf.Message;
import com.google.protobuf.util.JsonFormat;
import io.evenkeel.engine.model.Change;
import io.evenkeel.engine.model.IncomingPod;
import io.evenkeel.engine.model.Overlay;
import io.evenkeel.engine.model.PodKey;
import io.evenkeel.engine.model.SpreadDefaults;
import io.evenkeel.engine.model.VerdictCode;
import io.evenkeel.engine.script.RecordedScenario;
import io.evenkeel.engine.script.ScriptedQuery;
import io.evenkeel.engine.script.Step;
import io.evenkeel.objects.DefaultConstraintsTranslator;
import io.evenkeel.objects.IncomingPodTranslator;
import io.evenkeel.objects.InvalidObjectException;
import io.evenkeel.objects.PodLimits;
import io.evenkeel.objects.PodScanner;
import io.evenkeel.objects.StoredObjectTranslator;
import io.evenkeel.v1.Node;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.ReplicaSet;
import io.evenkeel.v1.ReplicationController;
import io.evenkeel.v1.Service;
import io.evenkeel.v1.StatefulSet;
import java.io.IOException;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** Reads one line of the corpus. The Kubernetes objects in it take the same path as those of feeds. */
final class ScenarioReader {
    private static final JsonFactory JSON = new JsonFactory();
    private static final PodLimits LIMITS = new PodLimits(Integer.MAX_VALUE, Integer.MAX_VALUE);
    private static final IncomingPodTranslator INCOMING = new IncomingPodTranslator(LIMITS);

    private final JsonParser line;
    private final List<RecordedScenario.Item> items = new ArrayList<>();
    private String name = "";
    private SpreadDefaults defaults = SpreadDefaults.NONE;

    private ScenarioReader(JsonParser line) {
        this.line = line;
    }

    static RecordedScenario read(String text) throws IOException, InvalidObjectException {
        try (JsonParser line = JSON.createParser(text)) {
            line.nextToken();
            return new ScenarioReader(line).scenario();
        }
    }

    private RecordedScenario scenario() throws IOException, InvalidObjectException {
        while (line.nextToken() == JsonToken.FIELD_NAME) {
            String field = line.currentName();
            line.nextToken();
            switch (field) {
                case "name" -> name = line.getText();
                case "defaults" -> defaults = defaults();
                case "steps" -> steps();
                default -> throw unknown(field);
            }
        }
        return new RecordedScenario(name, items);
    }

    private SpreadDefaults defaults() throws IOException, InvalidObjectException {
        String type = "";
        Pod holder = Pod.getDefaultInstance();
        while (line.nextToken() == JsonToken.FIELD_NAME) {
            String field = line.currentName();
            line.nextToken();
            switch (field) {
                case "type" -> type = line.getText();
                case "constraints" -> holder = pod("{\"spec\":{\"topologySpreadConstraints\":" + copy() + "}}");
                default -> throw unknown(field);
            }
        }
        return type.equals("List")
                ? DefaultConstraintsTranslator.list(
                        holder.getSpec().getTopologySpreadConstraintsList(), "defaults", LIMITS)
                : SpreadDefaults.SYSTEM;
    }

    private void steps() throws IOException, InvalidObjectException {
        while (line.nextToken() == JsonToken.START_OBJECT) {
            while (line.nextToken() == JsonToken.FIELD_NAME) {
                String field = line.currentName();
                line.nextToken();
                switch (field) {
                    case "apply" -> events();
                    case "query" -> items.add(query());
                    case "whatIf" -> items.add(whatIf());
                    case "whole" -> items.add(whole());
                    case "ops" -> operations();
                    default -> throw unknown(field);
                }
            }
        }
    }

    private void events() throws IOException, InvalidObjectException {
        while (line.nextToken() == JsonToken.START_OBJECT) {
            Change change = null;
            Message object = null;
            while (line.nextToken() == JsonToken.FIELD_NAME) {
                String field = line.currentName();
                line.nextToken();
                switch (field) {
                    case "type" -> change = Change.valueOf(line.getText());
                    case "object" -> object = object(copy());
                    default -> throw unknown(field);
                }
            }
            items.add(new RecordedScenario.Applied(
                    step(Objects.requireNonNull(change, name), Objects.requireNonNull(object, name))));
        }
    }

    private Message object(String text) throws IOException {
        try (JsonParser fields = JSON.createParser(text)) {
            fields.nextToken();
            while (fields.nextToken() == JsonToken.FIELD_NAME) {
                boolean isKind = fields.currentName().equals("kind");
                fields.nextToken();
                if (isKind) {
                    return parsed(text, prototype(fields.getText()));
                }
                fields.skipChildren();
            }
        }
        throw new IllegalArgumentException("no kind (" + name + ")");
    }

    private static Message prototype(String kind) {
        return switch (kind) {
            case "Node" -> Node.getDefaultInstance();
            case "Pod" -> Pod.getDefaultInstance();
            case "Service" -> Service.getDefaultInstance();
            case "ReplicationController" -> ReplicationController.getDefaultInstance();
            case "ReplicaSet" -> ReplicaSet.getDefaultInstance();
            case "StatefulSet" -> StatefulSet.getDefaultInstance();
            default -> throw new IllegalArgumentException(kind);
        };
    }

    private static Step step(Change change, Message object) throws InvalidObjectException {
        if (object instanceof Node node) {
            return new Step.NodeEvent(change, StoredObjectTranslator.node(node, change));
        } else if (object instanceof Pod pod) {
            return new Step.PodEvent(change, PodScanner.record(pod, change).toObject());
        } else if (object instanceof Service service) {
            return new Step.OwnerEvent(change, StoredObjectTranslator.service(service, change));
        } else if (object instanceof ReplicationController controller) {
            return new Step.OwnerEvent(change, StoredObjectTranslator.replicationController(controller, change));
        } else if (object instanceof ReplicaSet set) {
            return new Step.OwnerEvent(change, StoredObjectTranslator.replicaSet(set, change));
        } else if (object instanceof StatefulSet set) {
            return new Step.OwnerEvent(change, StoredObjectTranslator.statefulSet(set, change));
        }
        throw new IllegalArgumentException(object.toString());
    }

    private RecordedScenario.Item query() throws IOException, InvalidObjectException {
        IncomingPod pod = null;
        Set<String> candidates = null;
        Map<String, VerdictCode> codes = null;
        Map<String, Integer> scores = null;
        while (line.nextToken() == JsonToken.FIELD_NAME) {
            String field = line.currentName();
            line.nextToken();
            switch (field) {
                case "pod" -> pod = INCOMING.translate(pod(copy()));
                case "candidates" -> candidates = new TreeSet<>(strings());
                case "expect" -> {
                    while (line.nextToken() == JsonToken.FIELD_NAME) {
                        String expected = line.currentName();
                        line.nextToken();
                        switch (expected) {
                            case "filter" -> codes = codes();
                            case "scores" -> scores = scores();
                            default -> throw unknown(expected);
                        }
                    }
                }
                default -> throw unknown(field);
            }
        }
        ScriptedQuery.Placement query =
                new ScriptedQuery.Placement(Objects.requireNonNull(pod, name), defaults, candidates);
        return new RecordedScenario.Asked(query, codes, scores);
    }

    private RecordedScenario.Item whatIf() throws IOException, InvalidObjectException {
        IncomingPod pod = null;
        VerdictCode code = null;
        String node = "";
        List<PodKey> without = new ArrayList<>();
        List<Overlay.Added> added = new ArrayList<>();
        while (line.nextToken() == JsonToken.FIELD_NAME) {
            String field = line.currentName();
            line.nextToken();
            switch (field) {
                case "pod" -> pod = INCOMING.translate(pod(copy()));
                case "node" -> node = line.getText();
                case "remove" -> {
                    for (String removed : strings()) {
                        int slash = removed.indexOf('/');
                        without.add(
                                slash < 0
                                        ? PodKey.ofUid(removed)
                                        : PodKey.ofName(removed.substring(0, slash), removed.substring(slash + 1)));
                    }
                }
                case "add" -> {
                    while (line.nextToken() == JsonToken.START_OBJECT) {
                        added.add(new Overlay.InFull(
                                PodScanner.record(pod(copy()), Change.ADDED).toObject()));
                    }
                }
                case "expect" -> code = code();
                default -> throw unknown(field);
            }
        }
        ScriptedQuery.WhatIf query = new ScriptedQuery.WhatIf(
                Objects.requireNonNull(pod, name), defaults, node, new Overlay(without, added));
        return new RecordedScenario.AskedWhatIf(query, Objects.requireNonNull(code, name));
    }

    private RecordedScenario.Item whole() throws IOException, InvalidObjectException {
        IncomingPod pod = null;
        Map<String, RecordedScenario.Excluded> excluded = new TreeMap<>();
        while (line.nextToken() == JsonToken.FIELD_NAME) {
            String field = line.currentName();
            line.nextToken();
            switch (field) {
                case "pod" -> pod = INCOMING.translate(pod(copy()));
                case "expect" -> {
                    while (line.nextToken() == JsonToken.FIELD_NAME) {
                        String expected = line.currentName();
                        line.nextToken();
                        switch (expected) {
                            case "nodes" -> {
                                while (line.nextToken() == JsonToken.FIELD_NAME) {
                                    String node = line.currentName();
                                    line.nextToken();
                                    excluded.put(node, excluded());
                                }
                            }
                            // It only counts the reasons of the nodes.
                            case "sentence" -> {}
                            default -> throw unknown(expected);
                        }
                    }
                }
                default -> throw unknown(field);
            }
        }
        return new RecordedScenario.AskedWhole(ofEveryNode(Objects.requireNonNull(pod, name)), excluded);
    }

    private RecordedScenario.Excluded excluded() throws IOException {
        VerdictCode code = null;
        List<String> reasons = List.of();
        while (line.nextToken() == JsonToken.FIELD_NAME) {
            String field = line.currentName();
            line.nextToken();
            switch (field) {
                // Its reasons name it.
                case "plugin" -> {}
                case "code" -> code = code();
                case "reasons" -> reasons = strings();
                default -> throw unknown(field);
            }
        }
        return new RecordedScenario.Excluded(Objects.requireNonNull(code, name), String.join(", ", reasons));
    }

    private void operations() throws IOException, InvalidObjectException {
        while (line.nextToken() == JsonToken.START_OBJECT) {
            Pod pod = null;
            String expected = "";
            while (line.nextToken() == JsonToken.FIELD_NAME) {
                String field = line.currentName();
                line.nextToken();
                switch (field) {
                    case "place" -> pod = pod(copy());
                    case "expect" -> expected = line.getText();
                    case "sentence" -> {}
                    default -> throw unknown(field);
                }
            }
            items.add(placed(Objects.requireNonNull(pod, name), expected));
        }
    }

    private static RecordedScenario.Item placed(Pod pod, String node) throws InvalidObjectException {
        Pod.Builder bound = pod.toBuilder();
        bound.getSpecBuilder().setNodeName(node);
        return new RecordedScenario.Placed(
                ofEveryNode(INCOMING.translate(pod)),
                node.isEmpty()
                        ? null
                        : PodScanner.record(bound.build(), Change.ADDED).toObject());
    }

    private static ScriptedQuery.Placement ofEveryNode(IncomingPod pod) {
        return new ScriptedQuery.Placement(pod, SpreadDefaults.NONE, null);
    }

    private Map<String, VerdictCode> codes() throws IOException {
        Map<String, VerdictCode> codes = new TreeMap<>();
        while (line.nextToken() == JsonToken.FIELD_NAME) {
            String node = line.currentName();
            line.nextToken();
            codes.put(node, code());
        }
        return codes;
    }

    private VerdictCode code() throws IOException {
        for (VerdictCode code : VerdictCode.values()) {
            if (code.text().equals(line.getText())) {
                return code;
            }
        }
        throw new IllegalArgumentException(line.getText());
    }

    private Map<String, Integer> scores() throws IOException {
        Map<String, Integer> scores = new TreeMap<>();
        while (line.nextToken() == JsonToken.FIELD_NAME) {
            String node = line.currentName();
            line.nextToken();
            scores.put(node, line.getIntValue());
        }
        return scores;
    }

    private List<String> strings() throws IOException {
        List<String> strings = new ArrayList<>();
        while (line.nextToken() == JsonToken.VALUE_STRING) {
            strings.add(line.getText());
        }
        return strings;
    }

    /** The text of the value that the reader is at. */
    private String copy() throws IOException {
        StringWriter text = new StringWriter();
        try (JsonGenerator copy = JSON.createGenerator(text)) {
            copy.copyCurrentStructure(line);
        }
        return text.toString();
    }

    private static Pod pod(String text) throws IOException {
        return (Pod) parsed(text, Pod.getDefaultInstance());
    }

    private static Message parsed(String text, Message kind) throws IOException {
        Message.Builder object = kind.newBuilderForType();
        JsonFormat.parser().ignoringUnknownFields().merge(text, object);
        return object.build();
    }

    private IllegalArgumentException unknown(String field) {
        return new IllegalArgumentException("unknown field " + field + " (" + name + ")");
    }
}
