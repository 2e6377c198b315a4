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

/** Typical calls about a {@link SmallCluster}, in all forms and with all common fields. */
final class UsualCalls {
    static final String HARD = "DoNotSchedule";
    static final String SOFT = "ScheduleAnyway";

    private static final List<AnswerForm> FORMS =
            List.of(AnswerForm.ANSWER_FORM_PACKED, AnswerForm.ANSWER_FORM_READABLE, AnswerForm.ANSWER_FORM_BEST);

    /** One in this many questions needs new counts, like that of the first caller. */
    private static final int NEW_EVERY = 4;

    /** One in this many is about a pod that gets kube-scheduler's default constraints. */
    private static final int DEFAULTS_EVERY = 7;

    private static final int BEST = 3;

    private UsualCalls() {}

    /** The query of a program other than a scheduler. */
    static EvaluateRequest evaluate(int question) {
        return EvaluateRequest.newBuilder()
                .addPods(pod(question))
                .setOptions(QueryOptions.newBuilder()
                        .setForm(FORMS.get(question % FORMS.size()))
                        .setMaxBest(BEST))
                .build();
    }

    /**
     * A scheduler's query for verdicts on all nodes. The server must have reached the scheduler's revision.
     *
     * @param reached the revision of the scheduler's last write
     */
    static FilterRequest filter(int question, Revision reached, String nodeTable) {
        return FilterRequest.newBuilder()
                .addPods(pod(question))
                .setOptions(packed(Candidates.newBuilder().setAll(AllNodes.getDefaultInstance())))
                .setFreshness(fresh(reached))
                .setKnownNodeTableToken(nodeTable)
                .build();
    }

    /** A scheduler's query for scores of the remaining nodes. */
    static ScoreRequest score(int question, Revision reached, String nodeTable) {
        byte[] bits = new byte[(SmallCluster.NODES + Byte.SIZE - 1) / Byte.SIZE];
        // Nodes beyond the last one would be rejected.
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

    /** Reports that a scheduler has chosen a node for a pod. */
    static AssumeRequest assume(int question) {
        return AssumeRequest.newBuilder()
                .addPods(AssumedPod.newBuilder().setPod(pod(question)).setNode(SmallCluster.nodeName(question)))
                .build();
    }

    /** Reverts {@link #assume}. */
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

    /** A pod with a selector, nodes and, at first, topologies that no earlier query used. */
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
