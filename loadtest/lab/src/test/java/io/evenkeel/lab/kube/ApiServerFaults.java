package io.evenkeel.lab.kube;

import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.lab.controlplane.ControlPlane;
import io.evenkeel.lab.controlplane.ControlPlane.Program;
import java.io.IOException;
import java.util.concurrent.TimeUnit;

/**
 * Faults of an API server, and of the connections to it, while the cluster changes.
 *
 * @param proxy carries the connections
 */
record ApiServerFaults(ControlPlane plane, CutProxy proxy, RandomApiChanges changes, EtcdHistory history) {
    static final int SOME_CHANGES = 300;
    static final int SLOW_BYTES_PER_SECOND = 20_000;
    private static final int CUTS = 4;

    void connectionsCut() throws InterruptedException {
        for (int i = 0; i < CUTS; i++) {
            proxy.cut();
            changes.await(SOME_CHANGES / CUTS);
        }
    }

    void apiServerKilled() throws IOException, InterruptedException {
        plane.kill(Program.API_SERVER);
        TimeUnit.SECONDS.sleep(3);
        plane.start(Program.API_SERVER);
        changes.await(SOME_CHANGES);
    }

    /** While the server cannot connect, the history is compacted, so its next watch is answered with 410. */
    void historyCompacted() throws IOException, InterruptedException {
        proxy.refuse(true);
        proxy.cut();
        changes.await(SOME_CHANGES);
        plane.kill(Program.API_SERVER);
        plane.compact(history.newest(ObjectKind.POD));
        plane.start(Program.API_SERVER);
        changes.await(SOME_CHANGES);
        proxy.refuse(false);
        changes.await(SOME_CHANGES);
    }

    /**
     * The server reads slowly.
     *
     * @param more how many changes are made meanwhile
     * @param check checks something after these changes
     */
    void readingSlow(int more, Runnable check) throws InterruptedException {
        proxy.slow(SLOW_BYTES_PER_SECOND);
        changes.await(more);
        check.run();
        proxy.slow(Integer.MAX_VALUE);
    }
}
