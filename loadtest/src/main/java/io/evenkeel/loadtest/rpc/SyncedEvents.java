package io.evenkeel.loadtest.rpc;

import io.evenkeel.cli.CommandFailure;
import io.evenkeel.client.ClusterFeed;
import io.evenkeel.loadtest.load.ChurnPods;
import io.evenkeel.v1.ClusterEvent;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.SyncResponse;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Sends pod events that change the counts for some pods, so that no answer about them can be cached. */
final class SyncedEvents implements AutoCloseable {
    private final ClusterFeed feed;
    private final ChurnPods pods;
    private final int kinds;

    /** @param replicas one pod of each workload that is asked about */
    SyncedEvents(ClusterFeed feed, List<Pod> replicas, List<String> nodes) {
        this.feed = feed;
        pods = new ChurnPods(replicas, nodes);
        kinds = replicas.size();
    }

    /** Sends an event for each workload, and waits until all are counted. */
    void next() throws IOException {
        List<ClusterEvent> events = new ArrayList<>(kinds);
        for (int i = 0; i < kinds; i++) {
            events.add(pods.next());
        }
        SyncResponse answer = feed.events(events).join();
        if (answer.getAppliedCount() != kinds) {
            throw new CommandFailure(answer.getAppliedCount() + " of " + kinds + " pod events changed the state");
        }
    }

    /** Removes the pods that were added. */
    @Override
    public void close() {
        feed.events(pods.removals()).join();
    }
}
