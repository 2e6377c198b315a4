package io.evenkeel.lab.scheduler;

import io.evenkeel.v1.FilterRequest;
import io.evenkeel.v1.Pod;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Asks an Evenkeel what a scheduler asks, by a program with the plugin's own client, until it is closed. */
final class Asking implements AutoCloseable {
    private final AttachedProcess asking;

    private Asking(AttachedProcess asking) {
        this.asking = asking;
    }

    /**
     * @param target where the Evenkeel listens
     * @param pods that are asked about, and assumed for a while
     * @param nodes the names of nodes of the cluster
     * @param work a directory for what it reads and for its log
     */
    static Asking start(String target, List<Pod> pods, List<String> nodes, Path work)
            throws IOException, InterruptedException {
        Path asked = Files.write(
                work.resolve("asked-pods"),
                FilterRequest.newBuilder().addAllPods(pods).build().toByteArray());
        Path names = Files.write(work.resolve("asked-nodes"), nodes);
        return new Asking(AttachedProcess.start(
                work.resolve("asking.log"),
                List.of(Programs.asking().toString(), "--server=" + target, "--pods=" + asked, "--nodes=" + names)));
    }

    /** @throws IOException where a question was not answered */
    @Override
    public void close() throws IOException {
        boolean isAsking = asking.isAlive();
        asking.close();
        if (!isAsking) {
            throw new IOException("Evenkeel was asked in vain before a turn: " + asking.lastLines());
        }
    }
}
