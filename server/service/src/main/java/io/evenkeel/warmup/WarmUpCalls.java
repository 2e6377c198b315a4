package io.evenkeel.warmup;

import com.google.protobuf.ByteString;
import io.evenkeel.client.ClusterFeed;
import io.evenkeel.client.EvaluationStream;
import io.evenkeel.client.FeedOptions;
import io.evenkeel.client.PlacementClient;
import io.evenkeel.client.SchedulerStream;
import io.evenkeel.v1.AllNodes;
import io.evenkeel.v1.AnswerForm;
import io.evenkeel.v1.AssumeRequest;
import io.evenkeel.v1.AssumedPod;
import io.evenkeel.v1.Candidates;
import io.evenkeel.v1.EvaluateRequest;
import io.evenkeel.v1.FilterRequest;
import io.evenkeel.v1.ForgetRequest;
import io.evenkeel.v1.Freshness;
import io.evenkeel.v1.GetStatusResponse;
import io.evenkeel.v1.KindVersion;
import io.evenkeel.v1.LabelSelector;
import io.evenkeel.v1.LabelSelectorRequirement;
import io.evenkeel.v1.ListSpreadRequest;
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
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Makes the calls of schedulers and other clients, one at a time, about a {@link SmallCluster}, in all forms and with
 * all common fields. Not thread-safe.
 */
final class WarmUpCalls implements AutoCloseable {
    /** The number of calls in a round, which is about one pod. */
    static final int ROUND = 10;

    static final String HARD = "DoNotSchedule";
    static final String SOFT = "ScheduleAnyway";

    private static final List<AnswerForm> FORMS =
            List.of(AnswerForm.ANSWER_FORM_PACKED, AnswerForm.ANSWER_FORM_READABLE, AnswerForm.ANSWER_FORM_BEST);

    /** One in this many questions needs new counts, like that of the first caller. */
    private static final int NEW_EVERY = 4;

    /** One in this many is about a pod that gets kube-scheduler's default constraints. */
    private static final int DEFAULTS_EVERY = 7;

    private static final int BEST = 3;
    private static final long LATE_SECONDS = 10;

    private final PlacementClient client;
    private final ClusterFeed feed;
    private final EvaluationStream stream;
    private final SchedulerStream scheduler;
    private final Revision reached;
    private final String nodeTable;

    /**
     * The caller must close both.
     *
     * @param feed a feed of the same server, which has the snapshot
     */
    WarmUpCalls(PlacementClient client, ClusterFeed feed) {
        this.client = client;
        this.feed = feed;
        GetStatusResponse status = client.status();
        reached = status.getRevision();
        nodeTable = status.getNodeTableToken();
        stream = client.evaluationStream();
        scheduler = client.schedulerStream(FeedOptions.named("warm-up"));
    }

    /** Feeds the cluster. */
    static void snapshot(ClusterFeed feed) {
        Map<ObjectKind, String> versions = SmallCluster.versions();
        await(CompletableFuture.allOf(
                feed.beginSnapshot(versions.keySet()),
                feed.objects(SmallCluster.objects()),
                feed.endSnapshot(versions)));
    }

    /**
     * Makes a call and waits for its answer. The last calls of a round are equal: while nothing changes, the server
     * reuses its answer.
     *
     * @param number a greater one in each call
     */
    void make(int number) {
        int question = number / ROUND;
        switch (number % ROUND) {
            case 0 -> await(feed.events(List.of(SmallCluster.change(question))));
            case 1 -> await((question % 2 == 0 ? stream : scheduler.evaluations()).evaluate(evaluate(question)));
            case 2 -> client.filter(filter(question, reached, nodeTable));
            case 3 -> client.score(score(question, reached, nodeTable));
            case 4 -> client.assume(assume(question));
            case 5 -> client.forget(forget(question));
            case 6 -> client.listSpread(ListSpreadRequest.getDefaultInstance());
            default -> client.evaluate(evaluate(question));
        }
    }

    private static void await(CompletableFuture<?> answer) {
        answer.orTimeout(LATE_SECONDS, TimeUnit.SECONDS).join();
    }

    @Override
    public void close() {
        scheduler.close();
        stream.close();
    }

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
        LabelSelector.Builder selector = SmallCluster.selector(question);
        PodSpec.Builder spec = PodSpec.newBuilder();
        if (question % NEW_EVERY == NEW_EVERY - 1) {
            // No earlier question had this selector and these nodes.
            int number = question / NEW_EVERY;
            selector.addMatchExpressions(LabelSelectorRequirement.newBuilder()
                    .setKey("question")
                    .setOperator("NotIn")
                    .addValues(Integer.toString(question)));
            constrain(spec, selector.build(), number % 2 == 0 ? HARD : SOFT, SmallCluster.ZONE, SmallCluster.HOSTNAME);
            spec.putNodeSelector("pool", "pool-" + number % SmallCluster.POOLS);
        } else if (question % DEFAULTS_EVERY != 0) {
            constrain(
                    spec, selector.build(), question % 2 == 0 ? HARD : SOFT, SmallCluster.ZONE, SmallCluster.HOSTNAME);
        }
        return Pod.newBuilder()
                .setMetadata(SmallCluster.pod(question, "incoming-" + question, 0))
                .setSpec(spec.addAllTolerations(SmallCluster.EACH_PODS))
                .build();
    }

    /** Gives a pod one constraint for each key. */
    static PodSpec.Builder constrain(
            PodSpec.Builder spec, LabelSelector selector, String whenUnsatisfiable, String... keys) {
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
