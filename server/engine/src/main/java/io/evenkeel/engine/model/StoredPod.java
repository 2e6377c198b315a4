package io.evenkeel.engine.model;

import java.util.Collections;
import java.util.HashMap;
import java.util.Map;

/** A pod of the cluster, with everything that the engine stores for an answer about it. */
public final class StoredPod {
    private final PodKey key;
    private final String namespace;
    private final String name;
    private final Map<String, String> labels;
    private final Binding binding;
    private final byte[] template;

    /**
     * The node of the pod, and whether the pod counts there.
     *
     * @param nodeName the node that it is bound to or assumed on; empty if it is pending
     * @param assumed whether that is an assumption
     * @param terminating whether it has a deletionTimestamp
     * @param finished whether its phase is Succeeded or Failed
     */
    public record Binding(String nodeName, boolean assumed, boolean terminating, boolean finished) {}

    /**
     * @param key names it by its UID
     * @param template the bytes of its {@link PodTemplate}; they must not be changed
     */
    public StoredPod(
            PodKey key, String namespace, String name, Map<String, String> labels, Binding binding, byte[] template) {
        this.key = key;
        this.namespace = namespace;
        this.name = name;
        // Not Map.copyOf: its maps search one cell after another if keys have equal String.hashCode, and callers can
        // choose such keys.
        this.labels = Collections.unmodifiableMap(new HashMap<>(labels));
        this.binding = binding;
        this.template = template;
    }

    /** Names it by its UID. */
    public PodKey key() {
        return key;
    }

    public String namespace() {
        return namespace;
    }

    public String name() {
        return name;
    }

    public Map<String, String> labels() {
        return labels;
    }

    /** The node that it is bound to or assumed on; empty if it is pending. */
    public String nodeName() {
        return binding.nodeName();
    }

    public Binding binding() {
        return binding;
    }

    /** The bytes of its {@link PodTemplate}, which must not be changed. */
    public byte[] template() {
        return template;
    }
}
