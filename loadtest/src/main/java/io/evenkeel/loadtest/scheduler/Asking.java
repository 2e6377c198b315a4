package io.evenkeel.loadtest.scheduler;

import com.google.protobuf.ByteString;
import io.evenkeel.client.PlacementClient;
import io.evenkeel.client.remote.RemotePlacement;
import io.evenkeel.v1.AllNodes;
import io.evenkeel.v1.AnswerForm;
import io.evenkeel.v1.AssumeRequest;
import io.evenkeel.v1.AssumedPod;
import io.evenkeel.v1.Candidates;
import io.evenkeel.v1.DefaultConstraints;
import io.evenkeel.v1.FilterRequest;
import io.evenkeel.v1.FilterResponse;
import io.evenkeel.v1.ForgetRequest;
import io.evenkeel.v1.Freshness;
import io.evenkeel.v1.KindVersion;
import io.evenkeel.v1.NodeBits;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.QueryOptions;
import io.evenkeel.v1.ScoreRequest;
import java.io.IOException;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Asks an Evenkeel what a scheduler asks, one question after another in a thread of its own, until it is closed. */
final class Asking implements AutoCloseable {
    private static final String UID = "lead-in";

    /** kube-scheduler scores no more nodes of 5,000. */
    private static final int SCORED = 500;

    private static final DefaultConstraints DEFAULTS = DefaultConstraints.newBuilder()
            .setType(DefaultConstraints.Type.TYPE_SYSTEM)
            .build();
    private static final Candidates ALL =
            Candidates.newBuilder().setAll(AllNodes.getDefaultInstance()).build();

    private final PlacementClient client;
    private final List<Pod> pods;
    private final String node;
    private final Thread thread = new Thread(this::run, "asking");
    private volatile boolean closed;
    private volatile @Nullable RuntimeException failure;

    // Of the last answer, which the next question names.
    private String table = "";
    private List<KindVersion> versions = List.of();

    private Asking(PlacementClient client, List<Pod> pods, String node) {
        this.client = client;
        this.pods = pods;
        this.node = node;
    }

    /** @param node on which each pod is assumed, and then forgotten */
    static Asking start(String target, List<Pod> pods, String node) {
        Asking asking = new Asking(RemotePlacement.connect(target), pods, node);
        asking.thread.setDaemon(true);
        asking.thread.start();
        return asking;
    }

    private void run() {
        try {
            for (int i = 0; !closed; i++) {
                Pod.Builder named = pods.get(i % pods.size()).toBuilder();
                named.getMetadataBuilder().setUid(UID);
                cycle(named.build());
            }
        } catch (RuntimeException e) {
            failure = e;
        }
    }

    private void cycle(Pod pod) {
        Freshness fresh = Freshness.newBuilder()
                .setRevision(client.assume(AssumeRequest.newBuilder()
                                .addPods(AssumedPod.newBuilder().setPod(pod).setNode(node))
                                .build())
                        .getRevision())
                .addAllResourceVersions(versions)
                .setIncludeResourceVersions(true)
                .build();
        FilterResponse filtered = client.filter(FilterRequest.newBuilder()
                .addPods(pod)
                .setOptions(options(ALL))
                .setFreshness(fresh)
                .setKnownNodeTableToken(table)
                .build());
        table = filtered.getNodeTableToken();
        versions = filtered.getResourceVersionsList();
        NodeBits scored = NodeBits.newBuilder()
                .setNodeTableToken(table)
                .setBits(firstOf(filtered.getAnswers(0).getPacked().getPassed()))
                .build();
        client.score(ScoreRequest.newBuilder()
                .addPods(pod)
                .setOptions(options(Candidates.newBuilder().setBits(scored).build()))
                .setFreshness(fresh)
                .setKnownNodeTableToken(table)
                .build());
        client.forget(ForgetRequest.newBuilder().addUids(UID).build());
    }

    private static QueryOptions options(Candidates candidates) {
        return QueryOptions.newBuilder()
                .setCandidates(candidates)
                .setForm(AnswerForm.ANSWER_FORM_PACKED)
                .setDefaults(DEFAULTS)
                .setMaxBest(1)
                .build();
    }

    private static ByteString firstOf(ByteString passed) {
        BitSet first = new BitSet();
        BitSet all = BitSet.valueOf(passed.asReadOnlyByteBuffer());
        int found = 0;
        for (int at = all.nextSetBit(0); at >= 0 && found < SCORED; at = all.nextSetBit(at + 1)) {
            first.set(at);
            found++;
        }
        return ByteString.copyFrom(first.toByteArray());
    }

    /** @throws IOException where a question was not answered */
    @Override
    public void close() throws IOException {
        closed = true;
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        client.close();
        RuntimeException failed = failure;
        if (failed != null) {
            throw new IOException("Evenkeel was asked in vain before a turn: " + failed.getMessage(), failed);
        }
    }
}
