package io.evenkeel.loadtest.scheduler;

import io.evenkeel.client.PlacementClient;
import io.evenkeel.client.Query;
import io.evenkeel.client.remote.RemotePlacement;
import io.evenkeel.v1.AllNodes;
import io.evenkeel.v1.AssumeRequest;
import io.evenkeel.v1.AssumedPod;
import io.evenkeel.v1.Candidates;
import io.evenkeel.v1.ForgetRequest;
import io.evenkeel.v1.Freshness;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.Revision;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Asks an Evenkeel what a scheduler asks, for a while: in use it runs for weeks, and its code is compiled. */
final class WarmUp {
    private static final long SECONDS = 10;
    private static final String UID = "warm-up";

    private WarmUp() {}

    /** Leaves the server's state as it was. */
    static void of(String target, List<Pod> pods, String node) {
        Candidates all =
                Candidates.newBuilder().setAll(AllNodes.getDefaultInstance()).build();
        try (PlacementClient client = RemotePlacement.connect(target)) {
            long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
            for (int i = 0; System.nanoTime() < end; i++) {
                Pod.Builder named = pods.get(i % pods.size()).toBuilder();
                named.getMetadataBuilder().setUid(UID);
                Pod pod = named.build();
                Revision assumed = client.assume(AssumeRequest.newBuilder()
                                .addPods(AssumedPod.newBuilder().setPod(pod).setNode(node))
                                .build())
                        .getRevision();
                Query query = Query.of(pod)
                        .among(all)
                        .packed()
                        .best(1)
                        .fresh(Freshness.newBuilder().setRevision(assumed).build());
                client.filter(query.toFilter());
                client.score(query.toScore());
                client.forget(ForgetRequest.newBuilder().addUids(UID).build());
            }
        }
    }
}
