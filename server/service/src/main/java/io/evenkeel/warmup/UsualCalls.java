package io.evenkeel.warmup;

import com.google.protobuf.ByteString;
import io.evenkeel.v1.AllNodes;
import io.evenkeel.v1.AnswerForm;
import io.evenkeel.v1.AssumeRequest;
import io.evenkeel.v1.AssumedPod;
import io.evenkeel.v1.Candidates;
import io.evenkeel.v1.EvaluateRequest;
import io.evenkeel.v1.FilterRequest;
import io.evenkeel.v1.ForgetRequest;
import io.evenkeel.v1.Freshness;
import io.evenkeel.v1.KindVersion;
import io.evenkeel.v1.LabelSelector;
import io.evenkeel.v1.LabelSelectorRequirement;
import io.evenkeel.v1.NodeBits;
import io.evenkeel.v1.ObjectKind;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.PodSpec;
import io.evenkeel.v1.QueryOptions;
import io.evenkeel.v1.Revision;
import io.evenkeel.v1.ScoreRequest;
import io.evenkeel.v1.TopologySpreadConstraint;
import java.util.Arrays;
import java.util.List;

/** The calls that callers of a server make, about a {@link SmallCluster}: of all forms, with all usual fields. */
final class UsualCalls {
    static final String HARD = "DoNotSchedule";
    static final String SOFT = "ScheduleAnyway";

    private static final List<AnswerForm> FORMS =
            List.of(AnswerForm.ANSWER_FORM_PACKED, AnswerForm.ANSWER_FORM_READABLE, AnswerForm.ANSWER_FORM_BEST);

    /** So many questions have one among them that needs new counts, as that of the first caller does. */
    private static final int NEW_EVERY = 4;

    /** So many have one among them about a pod that gets kube-scheduler's default constraints. */
    private static final int DEFAULTS_EVERY = 7;

    private static final int BEST = 3;

    private UsualCalls() {}

    /** A question of anybody: what a program asks that has no scheduler's view of its own. */
    static EvaluateRequest evaluate(int question) {
        return EvaluateRequest.newBuilder()
                .addPods(pod(question))
                .setOptions(QueryOptions.newBuilder()
                        .setForm(FORMS.get(question % FORMS.size()))
                        .setMaxBest(BEST))
                .build();
    }

    /**
     * A scheduler's question about verdicts on all nodes, for which the server must have got as far as the scheduler.
     *
     * @param reached what the scheduler has written
     */
    static FilterRequest filter(int question, Revision reached, String nodeTable) {
        return FilterRequest.newBuilder()
                .addPods(pod(question))
                .setOptions(packed(Candidates.newBuilder().setAll(AllNodes.getDefaultInstance())))
                .setFreshness(fresh(reached))
                .setKnownNodeTableToken(nodeTable)
                .build();
    }

    /** A scheduler's question about scores of the nodes that are left. */
    static ScoreRequest score(int question, Revision reached, String nodeTable) {
        byte[] bits = new byte[(SmallCluster.NODES + Byte.SIZE - 1) / Byte.SIZE];
        // Nodes beyond the last one would be refused.
        Arrays.fill(bits, 0, SmallCluster.NODES / Byte.SIZE, (byte) (question / 2 % 2 == 0 ? -1 : 0x55));
        return ScoreRequest.newBuilder()
                .addPods(pod(question))
                .setOptions(packed(Candidates.newBuilder()
                        .setBits(NodeBits.newBuilder()
                                .setNodeTableToken(nodeTable)
                                .setBits(ByteString.copyFrom(bits)))))
                .setFreshness(fresh(reached))
                .setKnownNodeTableToken(nodeTable)
                .build();
    }

    /** Tells that a scheduler has chosen a node for a pod. */
    static AssumeRequest assume(int question) {
        return AssumeRequest.newBuilder()
                .addPods(AssumedPod.newBuilder().setPod(pod(question)).setNode(SmallCluster.nodeName(question)))
                .build();
    }

    /** Takes back what {@link #assume} told. */
    static ForgetRequest forget(int question) {
        return ForgetRequest.newBuilder()
                .addUids(pod(question).getMetadata().getUid())
                .build();
    }

    private static QueryOptions packed(Candidates.Builder candidates) {
        return QueryOptions.newBuilder()
                .setCandidates(candidates)
                .setForm(AnswerForm.ANSWER_FORM_PACKED)
                .setMaxBest(1)
                .build();
    }

    private static Freshness fresh(Revision reached) {
        Freshness.Builder fresh = Freshness.newBuilder().setRevision(reached);
        for (ObjectKind kind : List.of(ObjectKind.OBJECT_KIND_NODE, ObjectKind.OBJECT_KIND_POD)) {
            fresh.addResourceVersions(KindVersion.newBuilder().setKind(kind).setResourceVersion("1"));
        }
        return fresh.build();
    }

    private static Pod pod(int question) {
        LabelSelector own = LabelSelector.newBuilder()
                .putMatchLabels("app", SmallCluster.app(question))
                .build();
        String effect = question % 2 == 0 ? HARD : SOFT;
        if (question % NEW_EVERY == NEW_EVERY - 1) {
            return firstSight(question, own);
        }
        if (question % DEFAULTS_EVERY == 0) {
            return incoming(question, PodSpec.newBuilder());
        }
        return incoming(question, constrained(own, effect, SmallCluster.ZONE, SmallCluster.HOSTNAME));
    }

    /** A pod with a selector, nodes and, at first, topologies that nobody has asked about yet. */
    private static Pod firstSight(int question, LabelSelector own) {
        LabelSelector selector = own.toBuilder()
                .addMatchExpressions(LabelSelectorRequirement.newBuilder()
                        .setKey("question")
                        .setOperator("NotIn")
                        .addValues(Integer.toString(question)))
                .build();
        int sight = question / NEW_EVERY;
        return incoming(
                question,
                constrained(
                                selector,
                                sight % 2 == 0 ? HARD : SOFT,
                                "key-" + sight % SmallCluster.KEYS,
                                "key-" + (sight + 1) % SmallCluster.KEYS)
                        .putNodeSelector("pool", "pool-" + sight % SmallCluster.POOLS));
    }

    private static Pod incoming(int question, PodSpec.Builder spec) {
        return Pod.newBuilder()
                .setMetadata(SmallCluster.podOf(question % SmallCluster.APPS, "incoming-" + question))
                .setSpec(spec.addAllTolerations(SmallCluster.EACH_PODS))
                .build();
    }

    /** The constraints of a pod, one for each key. */
    static PodSpec.Builder constrained(LabelSelector selector, String whenUnsatisfiable, String... keys) {
        PodSpec.Builder spec = PodSpec.newBuilder();
        for (String key : keys) {
            spec.addTopologySpreadConstraints(TopologySpreadConstraint.newBuilder()
                    .setMaxSkew(5)
                    .setTopologyKey(key)
                    .setWhenUnsatisfiable(whenUnsatisfiable)
                    .setLabelSelector(selector));
        }
        return spec;
    }
}
