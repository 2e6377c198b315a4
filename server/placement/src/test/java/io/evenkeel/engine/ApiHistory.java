package io.evenkeel.engine;

import io.evenkeel.engine.model.Change;
import io.evenkeel.engine.model.NodeObject;
import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.engine.model.OwnerObject;
import io.evenkeel.engine.model.PodObject;
import io.evenkeel.engine.model.PodSelector;
import io.evenkeel.engine.naive.ModelSubject;
import io.evenkeel.engine.script.RandomChoices;
import io.evenkeel.engine.script.Step;
import io.evenkeel.placement.Messages;
import io.evenkeel.v1.ClusterEvent;
import io.evenkeel.v1.ClusterObject;
import io.evenkeel.v1.Node;
import io.evenkeel.v1.NodeSpec;
import io.evenkeel.v1.ObjectMeta;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.PodSpec;
import io.evenkeel.v1.Service;
import io.evenkeel.v1.ServiceSpec;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;

/**
 * A minimal API server: nodes, pods and services that change at random, each change with the next version, and all
 * former versions. It produces lists and events, and models of the cluster at any version.
 */
final class ApiHistory {
    static final List<ObjectKind> KINDS = List.of(ObjectKind.NODE, ObjectKind.POD, ObjectKind.SERVICE);

    private static final int NAMES = 7;
    private static final String NAMESPACE = "shop";

    /** An object as it was from a version on. */
    record Entry(long version, Change change, String name, String uid, Map<String, String> labels, String node) {
        ClusterEvent event(ObjectKind kind) {
            ClusterEvent.Type type = switch (change) {
                case ADDED -> ClusterEvent.Type.TYPE_ADDED;
                case MODIFIED -> ClusterEvent.Type.TYPE_MODIFIED;
                case DELETED -> ClusterEvent.Type.TYPE_DELETED;
                case LISTED -> throw new IllegalStateException("no event");
            };
            return Messages.event(type, object(kind));
        }

        /** The same entry at another version, or without one. */
        Entry at(long other) {
            return new Entry(other, change, name, uid, labels, node);
        }

        ClusterObject object(ObjectKind kind) {
            ObjectMeta.Builder metadata = ObjectMeta.newBuilder().setName(name).setUid(uid);
            if (version > 0) {
                metadata.setResourceVersion(Long.toString(version));
            }
            return switch (kind) {
                case NODE ->
                    Messages.object(Node.newBuilder()
                            .setMetadata(metadata.putAllLabels(labels))
                            .setSpec(NodeSpec.newBuilder().setUnschedulable(node.equals("cordoned")))
                            .build());
                case POD ->
                    Messages.object(Pod.newBuilder()
                            .setMetadata(metadata.setNamespace(NAMESPACE).putAllLabels(labels))
                            .setSpec(PodSpec.newBuilder().setNodeName(node))
                            .build());
                default ->
                    ClusterObject.newBuilder()
                            .setService(Service.newBuilder()
                                    .setMetadata(metadata.setNamespace(NAMESPACE))
                                    .setSpec(ServiceSpec.newBuilder().putAllSelector(labels)))
                            .build();
            };
        }

        Step step(ObjectKind kind) {
            return switch (kind) {
                case NODE ->
                    new Step.NodeEvent(
                            Change.LISTED,
                            new NodeObject(name, uid, version, labels, List.of(), node.equals("cordoned")));
                case POD ->
                    new Step.PodEvent(
                            Change.LISTED, new PodObject(NAMESPACE, name, uid, version, labels, node, false, false));
                default ->
                    new Step.OwnerEvent(
                            Change.LISTED,
                            new OwnerObject(
                                    ObjectKind.SERVICE, NAMESPACE, name, uid, version, PodSelector.ofLabels(labels)));
            };
        }
    }

    private final RandomChoices dice;
    private final Map<ObjectKind, List<Entry>> entries = new EnumMap<>(ObjectKind.class);
    private long version;

    ApiHistory(RandomChoices dice) {
        this.dice = dice;
        KINDS.forEach(kind -> entries.put(kind, new ArrayList<>()));
        version = dice.below(100);
        for (int i = 0; i < 5; i++) {
            KINDS.forEach(this::change);
        }
    }

    long version() {
        return version;
    }

    /** Changes a random object of a kind. */
    void change(ObjectKind kind) {
        Map<String, Entry> there = objectsAt(kind, version);
        String name = kind.name().toLowerCase(Locale.ROOT).charAt(0) + "-" + dice.below(NAMES);
        Entry old = there.get(name);
        version += dice.between(1, 3);
        if (old != null && dice.chance(0.3)) {
            add(kind, new Entry(version, Change.DELETED, name, old.uid, old.labels, old.node));
            return;
        }
        String uid = old == null ? name + "-" + version : old.uid;
        Change change = old == null ? Change.ADDED : Change.MODIFIED;
        add(kind, new Entry(version, change, name, uid, labels(kind, name), place(kind)));
    }

    private void add(ObjectKind kind, Entry entry) {
        of(kind).add(entry);
    }

    private List<Entry> of(ObjectKind kind) {
        return Objects.requireNonNull(entries.get(kind));
    }

    private Map<String, String> labels(ObjectKind kind, String name) {
        return switch (kind) {
            case NODE -> Map.of(Messages.ZONE, "z" + dice.below(3), Messages.HOSTNAME, name);
            case POD -> Map.of("app", dice.chance(0.8) ? "web" : "db");
            default -> Map.of("app", dice.chance(0.6) ? "web" : "db");
        };
    }

    private String place(ObjectKind kind) {
        return switch (kind) {
            case NODE -> dice.chance(0.2) ? "cordoned" : "";
            case POD -> dice.chance(0.2) ? "" : "n-" + dice.below(NAMES);
            default -> "";
        };
    }

    /** The objects of a kind by name, as they were at a version. */
    Map<String, Entry> objectsAt(ObjectKind kind, long at) {
        Map<String, Entry> objects = new LinkedHashMap<>();
        for (Entry entry : of(kind)) {
            if (entry.version <= at) {
                if (entry.change == Change.DELETED) {
                    objects.remove(entry.name);
                } else {
                    objects.put(entry.name, entry);
                }
            }
        }
        return objects;
    }

    /** The events of a kind after a version, in order. */
    List<Entry> after(ObjectKind kind, long after) {
        return of(kind).stream().filter(entry -> entry.version > after).toList();
    }

    /** The events of a kind up to a version, in order. */
    List<Entry> upTo(ObjectKind kind, long most) {
        return of(kind).stream().filter(entry -> entry.version <= most).toList();
    }

    /** The version of the last event of a kind up to a version; 0 if there is none. */
    long lastUpTo(ObjectKind kind, long most) {
        return of(kind).stream()
                .mapToLong(Entry::version)
                .filter(each -> each <= most)
                .max()
                .orElse(0);
    }

    /** The model of the cluster with each kind at the given version. */
    ModelSubject modelAt(Map<ObjectKind, Long> versions) {
        ModelSubject model = new ModelSubject();
        versions.forEach((kind, at) -> objectsAt(kind, at).values().forEach(entry -> model.apply(entry.step(kind))));
        return model;
    }
}
