package io.evenkeel.lab.scheduler;

import io.evenkeel.loadtest.local.ManagedProcess;
import io.evenkeel.v1.FilterRequest;
import io.evenkeel.v1.Pod;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Sends an Evenkeel server the queries of a scheduler until it is closed, through a program with the plugin's client.
 */
final class Asking implements AutoCloseable {
    private final ManagedProcess asking;

    private Asking(ManagedProcess asking) {
        this.asking = asking;
    }

    /**
     * @param target the address of the server
     * @param pods the pods to ask about and to assume for a while
     * @param nodes the names of the cluster's nodes
     * @param work a directory for its input
     */
    static Asking start(String target, List<Pod> pods, List<String> nodes, Path work)
            throws IOException, InterruptedException {
        Path asked = Files.write(
                work.resolve("asked-pods"),
                FilterRequest.newBuilder().addAllPods(pods).build().toByteArray());
        Path names = Files.write(work.resolve("asked-nodes"), nodes);
        ProcessBuilder command = new ProcessBuilder(
                Programs.asking().toString(), "--server=" + target, "--pods=" + asked, "--nodes=" + names);
        return new Asking(ManagedProcess.start(command, line -> {}));
    }

    /** @throws IOException if a query failed */
    @Override
    public void close() throws IOException {
        boolean isAsking = asking.isAlive();
        asking.close();
        if (!isAsking) {
            throw new IOException("queries of the lead-in failed: " + asking.lastLines());
        }
    }
}
