package io.evenkeel.placement.explain;

import io.evenkeel.engine.memory.KeyedHash;
import io.evenkeel.engine.model.IncomingPod;
import io.evenkeel.engine.model.PodTemplate;
import io.evenkeel.engine.model.StoredPod;
import io.evenkeel.engine.skew.WorkloadName;
import io.evenkeel.engine.skew.WorkloadReader;
import io.evenkeel.objects.IncomingPodTranslator;
import io.evenkeel.objects.InvalidObjectException;
import io.evenkeel.objects.TemplateReader;
import io.evenkeel.placement.query.RequestReader;
import io.evenkeel.v1.OwnerReference;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.PodSpec;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * Reads the workload, the constraints and the default constraints of stored pods. It keeps what it has read for the
 * next reader, because most templates stay the same. Not thread-safe.
 */
public final class StoredPodReader implements WorkloadReader {
    private static final Set<String> KEYS = PodOwner.labelKeys();

    private final IncomingPodTranslator translator;
    private final RequestReader requests;
    private final Readings before;
    private final Map<String, Map<Key, Reading>> readings = new HashMap<>();

    /** What a reading in a namespace depends on. */
    private record Key(Map<String, String> labels, PodTemplate template) {
        /** Keyed, because callers choose these values and maps use them as keys. */
        @Override
        public int hashCode() {
            return KeyedHash.ofAll(labels, template);
        }
    }

    /** What was read, by namespace. Immutable. */
    public static final class Readings {
        public static final Readings NONE = new Readings(Map.of());

        private final Map<String, Map<Key, Reading>> in;

        private Readings(Map<String, Map<Key, Reading>> in) {
            this.in = in;
        }
    }

    /** @param before the readings of another reader */
    public StoredPodReader(IncomingPodTranslator translator, RequestReader requests, Readings before) {
        this.translator = translator;
        this.requests = requests;
        this.before = before;
    }

    /** What was read in these namespaces: by the reader before, if it was not necessary to read there again. */
    Readings readings(Set<String> namespaces) {
        Map<String, Map<Key, Reading>> kept = new HashMap<>(before.in);
        kept.putAll(readings);
        kept.keySet().retainAll(namespaces);
        return new Readings(kept);
    }

    @Override
    public Set<String> keys() {
        return KEYS;
    }

    @Override
    public Reading read(StoredPod stored) {
        Key key = new Key(stored.labels(), PodTemplate.of(stored.template(), 0, stored.template().length));
        Reading known = before.in.getOrDefault(stored.namespace(), Map.of()).get(key);
        Reading reading = known == null ? parse(stored) : known;
        readings.computeIfAbsent(stored.namespace(), namespace -> new HashMap<>())
                .put(key, reading);
        return reading;
    }

    private Reading parse(StoredPod stored) {
        // The labels were checked when the pod was stored, and constraints do not depend on containers.
        Pod.Builder builder = TemplateReader.unlabelled(stored);
        PodSpec.Builder spec = builder.getSpecBuilder().clearContainers();
        if (TemplateReader.namesItsNode(stored)) {
            // Then the required affinity is for that node only.
            spec.getAffinityBuilder().getNodeAffinityBuilder().clearRequiredDuringSchedulingIgnoredDuringExecution();
        }
        Pod pod = builder.build();
        PodOwner owner = PodOwner.of(pod.getMetadata(), stored.labels());
        OwnerReference reference = PodOwner.controller(pod.getMetadata());
        WorkloadName controller = reference == null
                ? null
                : new WorkloadName(stored.namespace(), reference.getKind(), reference.getName());
        String error = "";
        IncomingPod incoming = null;
        try {
            incoming = incoming(pod, stored);
        } catch (InvalidObjectException e) {
            error = e.getMessage();
        }
        return new Reading(
                owner.workload(stored.namespace()),
                controller,
                owner.revision(),
                incoming,
                requests.profileDefaults(pod),
                error);
    }

    private IncomingPod incoming(Pod pod, StoredPod stored) throws InvalidObjectException {
        IncomingPod translated = translator.translate(pod);
        return new IncomingPod(
                stored.namespace(),
                stored.labels(),
                translated.nodeSelector(),
                translated.affinityTerms(),
                translated.tolerations(),
                translated.constraints(),
                translated.controller());
    }
}
