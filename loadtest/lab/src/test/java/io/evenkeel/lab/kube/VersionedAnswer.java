package io.evenkeel.lab.kube;

import io.evenkeel.client.CandidateNodes;
import io.evenkeel.client.PlacementClient;
import io.evenkeel.client.PlacementException;
import io.evenkeel.client.Query;
import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.objects.KindMessages;
import io.evenkeel.v1.EvaluateRequest;
import io.evenkeel.v1.EvaluateResponse;
import io.evenkeel.v1.Freshness;
import io.evenkeel.v1.GetStatusResponse;
import io.evenkeel.v1.KindStatus;
import io.evenkeel.v1.KindVersion;
import io.evenkeel.v1.NodeCode;
import io.evenkeel.v1.NodeVerdict;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.PodAnswer;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * An answer about a pod on all nodes, or about the numbers of objects, and the versions that it is based on. The
 * content maps each node to Filter's verdict, followed by the score if the node passed, or the names of the numbers to
 * their values.
 *
 * @param pod null if it is about the numbers of objects
 * @param versions the versions of the kinds for which it has one
 */
record VersionedAnswer(@Nullable Pod pod, Map<ObjectKind, Long> versions, Map<String, String> values) {
    static final String NODES = "nodes";
    static final String PODS = "pods";
    static final String COUNTED_PODS = "pods that count";
    static final String LOST_PODS = "pods on unknown nodes";
    static final String OWNERS = "owners";
    static final String BUDGETS = "budgets";
    private static final String CODE = "NODE_CODE_";

    /** Asks for the numbers of objects. */
    static VersionedAnswer numbers(PlacementClient client) {
        GetStatusResponse status = client.status();
        Map<ObjectKind, Long> versions = new EnumMap<>(ObjectKind.class);
        for (KindStatus kind : status.getKindsList()) {
            if (!kind.getResourceVersion().isEmpty()) {
                versions.put(kind(kind.getKindValue()), Long.parseLong(kind.getResourceVersion()));
            }
        }
        Map<String, Long> numbers = Map.of(
                NODES, status.getNodeCount(),
                PODS, status.getPodCount(),
                COUNTED_PODS, status.getCountedPodCount(),
                LOST_PODS, status.getUnknownNodePodCount(),
                OWNERS, status.getOwnerCount(),
                BUDGETS, status.getDisruptionBudgetCount());
        Map<String, String> values = new TreeMap<>();
        numbers.forEach((name, number) -> values.put(name, number.toString()));
        return new VersionedAnswer(null, versions, values);
    }

    /** Asks about a pod with this freshness requirement. */
    static VersionedAnswer ask(PlacementClient client, Pod pod, Freshness demanded) {
        return of(pod, client.evaluate(question(pod, demanded)));
    }

    /** The question about a pod with this freshness requirement. */
    static EvaluateRequest question(Pod pod, Freshness demanded) {
        return Query.of(pod)
                .among(CandidateNodes.all())
                .everyNode()
                .best(1)
                .fresh(demanded.toBuilder().setIncludeResourceVersions(true).build())
                .toEvaluate();
    }

    /** The answer to {@link #question}. */
    static VersionedAnswer of(Pod pod, EvaluateResponse response) {
        PodAnswer answer = response.getAnswers(0);
        if (answer.hasError()) {
            throw PlacementException.of(answer.getError());
        }
        Map<ObjectKind, Long> versions = new EnumMap<>(ObjectKind.class);
        for (KindVersion version : response.getResourceVersionsList()) {
            versions.put(kind(version.getKindValue()), Long.parseLong(version.getResourceVersion()));
        }
        Map<String, String> values = new TreeMap<>();
        for (NodeVerdict node : answer.getReadable().getVerdictsList()) {
            String code = node.getCode().name().substring(CODE.length());
            String verdict = node.getCode() == NodeCode.NODE_CODE_SUCCESS ? code + " " + node.getScore() : code;
            // Interned because thousands of answers are kept.
            values.put(node.getName().intern(), verdict.intern());
        }
        return new VersionedAnswer(pod, versions, values);
    }

    /** Whether it has a version of every kind. */
    boolean namesAll() {
        return versions.size() == ObjectKind.values().length;
    }

    private static ObjectKind kind(int number) {
        return Objects.requireNonNull(KindMessages.ofNumber(number));
    }
}
