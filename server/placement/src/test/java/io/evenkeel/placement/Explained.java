package io.evenkeel.placement;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.google.protobuf.util.JsonFormat;
import io.evenkeel.engine.SpreadEngine;
import io.evenkeel.engine.cluster.NodeSubset;
import io.evenkeel.engine.lock.StopSignal;
import io.evenkeel.engine.model.Change;
import io.evenkeel.engine.model.EngineOptions;
import io.evenkeel.engine.model.EntryRules;
import io.evenkeel.engine.model.NodeAllocatable;
import io.evenkeel.engine.model.NodeObject;
import io.evenkeel.engine.model.NodeTaint;
import io.evenkeel.engine.model.Overlay;
import io.evenkeel.engine.model.OwnerObject;
import io.evenkeel.engine.model.PodKey;
import io.evenkeel.engine.model.PodObject;
import io.evenkeel.engine.model.PodRequests;
import io.evenkeel.engine.model.SpreadDefaults;
import io.evenkeel.engine.plan.PlanPins;
import io.evenkeel.objects.IncomingPodTranslator;
import io.evenkeel.objects.InvalidObjectException;
import io.evenkeel.objects.PodLimits;
import io.evenkeel.objects.UnjudgedRules;
import io.evenkeel.placement.explain.PodExplainer;
import io.evenkeel.v1.Advice;
import io.evenkeel.v1.DomainExplanation;
import io.evenkeel.v1.ExplainResponse;
import io.evenkeel.v1.Pod;
import java.io.IOException;
import java.io.StringWriter;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Creates small clusters concisely, and explains pods given as YAML. Pods of the cluster are in the namespace
 * {@code shop}.
 */
public final class Explained {
    public static final String ZONE = "topology.kubernetes.io/zone";
    public static final String HOSTNAME = "kubernetes.io/hostname";
    public static final Map<String, String> WEB = Map.of("app", "web");

    private static final NodeAllocatable ALLOCATABLE = new NodeAllocatable(10, Map.of(PodRequests.CPU, 4_000L));

    private final SpreadEngine engine = new SpreadEngine(EngineOptions.defaults());
    private int objects;

    /**
     * Zones with one node each, of the same name: {@code zones(2, 1)} is z1 with two pods {@code app=web} and z2 with
     * one.
     */
    public static Explained zones(int... podsPerZone) {
        Explained cluster = new Explained();
        for (int i = 1; i <= podsPerZone.length; i++) {
            cluster.node("z" + i, "z" + i).pods(podsPerZone[i - 1], "z" + i, WEB);
        }
        return cluster;
    }

    public Explained node(String name, String zone, NodeTaint... taints) {
        return node(name, Map.of(ZONE, zone, HOSTNAME, name), false, taints);
    }

    public Explained node(String name, Map<String, String> labels, boolean cordoned, NodeTaint... taints) {
        objects++;
        NodeObject node = new NodeObject(name, "node " + name, objects, labels, List.of(taints), cordoned, ALLOCATABLE);
        engine.write(writer -> writer.apply(Change.MODIFIED, node));
        return this;
    }

    public Explained pods(int count, String node, Map<String, String> labels) {
        for (int i = 0; i < count; i++) {
            objects++;
            String name = "pod-" + objects;
            PodObject pod = new PodObject("shop", name, name, objects, labels, node, false, false);
            engine.write(writer -> writer.apply(Change.ADDED, pod));
        }
        return this;
    }

    public Explained owner(OwnerObject owner) {
        engine.write(writer -> writer.apply(Change.ADDED, owner));
        return this;
    }

    /**
     * The explanation for a pod.
     *
     * @param manifest a Pod as YAML
     */
    public ExplainResponse pod(String manifest) {
        return pod(manifest, EntryRules.ENTERABLE);
    }

    /** The explanation for a pod, among all nodes. */
    public ExplainResponse pod(String manifest, EntryRules rules) {
        return pod(manifest, NodeSubset.ALL, rules, SpreadDefaults.NONE, null);
    }

    public ExplainResponse pod(
            String manifest,
            NodeSubset candidates,
            EntryRules rules,
            SpreadDefaults defaults,
            @Nullable PodKey without) {
        try (PlanPins pins = engine.pinPlans(StopSignal.NEVER, PlanPins.UNLIMITED)) {
            Pod pod = read(manifest);
            return new PodExplainer(engine)
                    .explain(
                            pod,
                            "",
                            pins.plan(new IncomingPodTranslator(PodLimits.DEFAULT).translate(pod), defaults),
                            UnjudgedRules.of(pod.getSpec()),
                            candidates,
                            rules,
                            without == null ? Overlay.NONE : Overlay.without(without),
                            100,
                            Integer.MAX_VALUE,
                            pins,
                            StopSignal.NEVER)
                    .response()
                    .build();
        } catch (IOException | InvalidObjectException e) {
            throw new IllegalArgumentException(e);
        }
    }

    private static Pod read(String manifest) throws IOException {
        StringWriter json = new StringWriter();
        try (JsonParser yaml = new YAMLFactory().createParser(manifest);
                JsonGenerator copy = new JsonFactory().createGenerator(json)) {
            yaml.nextToken();
            copy.copyCurrentStructure(yaml);
        }
        Pod.Builder pod = Pod.newBuilder();
        JsonFormat.parser().ignoringUnknownFields().merge(json.toString(), pod);
        return pod.build();
    }

    /** A pod with {@code app=web} and constraints over it: flow maps, without their selector. */
    public ExplainResponse web(String... constraints) {
        return pod(webManifest("", constraints));
    }

    /**
     * A manifest of a pod with constraints.
     *
     * @param spec more lines of the pod's spec, each indented by two spaces and ended by a line break
     */
    public static String webManifest(String spec, String... constraints) {
        StringBuilder manifest = new StringBuilder("""
                kind: Pod
                metadata: {namespace: shop, name: web-1, labels: {app: web}}
                spec:
                  topologySpreadConstraints:
                """);
        for (String constraint : constraints) {
            manifest.append("  - {").append(constraint).append(", labelSelector: {matchLabels: {app: web}}}\n");
        }
        return manifest.append(spec).toString();
    }

    /** {@code maxSkew: 1} over {@code topologyKey}, hard. */
    public static String hard(String topologyKey) {
        return "maxSkew: 1, whenUnsatisfiable: DoNotSchedule, topologyKey: " + topologyKey;
    }

    public static String soft(String topologyKey) {
        return "maxSkew: 1, whenUnsatisfiable: ScheduleAnyway, topologyKey: " + topologyKey;
    }

    /** The domains of the first constraint, by value: {@code pods skew would-do|no passed/nodes}. */
    public static Map<String, String> domains(ExplainResponse response) {
        Map<String, String> domains = new TreeMap<>();
        for (DomainExplanation domain : response.getConstraints(0).getDomainsList()) {
            domains.put(
                    domain.getValue(),
                    domain.getMatchingPodCount() + " " + domain.getResultingSkew() + " "
                            + (domain.getAdmitted() ? "would-do" : "no") + " " + domain.getPassedNodeCount() + "/"
                            + domain.getNodeCount());
        }
        return domains;
    }

    /** The advice by field; messages for the same field are joined. */
    public static Map<String, String> advice(ExplainResponse response) {
        Map<String, String> advice = new TreeMap<>();
        for (Advice each : response.getAdviceList()) {
            advice.merge(
                    each.getField().replace("spec.topologySpreadConstraints", "tsc"),
                    each.getMessage(),
                    (one, other) -> one + " | " + other);
        }
        return advice;
    }
}
