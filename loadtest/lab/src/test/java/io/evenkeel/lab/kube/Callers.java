package io.evenkeel.lab.kube;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.evenkeel.client.PlacementClient;
import io.evenkeel.loadtest.cluster.ClusterGenerator;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** The callers of one copy of a cluster, which make random calls during each round of faults. */
final class Callers implements AutoCloseable {
    private static final int CALLERS = 2;

    private final String subject;
    private final boolean assume;
    private final Supplier<PlacementClient> connection;
    private final CallOutcomes outcomes = new CallOutcomes();
    private final List<RandomCalls> active = new ArrayList<>();

    /**
     * @param subject the name of the copy
     * @param assume whether they assume pods, so that answers differ from the cluster's state for a second
     * @param connection opens a connection to it
     */
    Callers(String subject, boolean assume, Supplier<PlacementClient> connection) {
        this.subject = subject;
        this.assume = assume;
        this.connection = connection;
    }

    /** Starts to make calls; see {@link RandomCalls}. */
    void start(ClusterGenerator cluster, int round) {
        for (int i = 0; i < CALLERS; i++) {
            active.add(new RandomCalls(cluster, connection, outcomes, (long) round * CALLERS + i, assume));
        }
    }

    /** Makes each open another connection, and waits until all have closed their previous ones. */
    void reconnect() throws InterruptedException {
        for (RandomCalls each : active) {
            each.reconnect();
        }
    }

    /** Stops, and requires that no call has failed for another reason than a change of the cluster. */
    void stop() {
        close();
        System.out.printf("%s: %,d calls: %s%n", subject, outcomes.all(), outcomes);
        assertEquals(List.of(), outcomes.unexpected(), subject);
    }

    @Override
    public void close() {
        active.forEach(RandomCalls::close);
        active.clear();
    }
}
