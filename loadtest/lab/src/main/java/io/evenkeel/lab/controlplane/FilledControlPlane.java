package io.evenkeel.lab.controlplane;

import io.evenkeel.lab.controlplane.ControlPlane.Program;
import io.evenkeel.loadtest.cluster.ClusterGenerator;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A control plane that holds a generated cluster. Its state is in a temporary directory, which is removed at the end.
 * It can be filled from etcd data that an earlier run kept.
 */
public final class FilledControlPlane implements AutoCloseable {
    private static final String DATA = "etcd";
    private static final String WORDS = "cluster.txt";

    private final Path directory;
    private final ControlPlane plane;

    private FilledControlPlane(Path directory, ControlPlane plane) {
        this.directory = directory;
        this.plane = plane;
    }

    /**
     * Starts a control plane, and creates the cluster's objects unless {@code kept} contains them.
     *
     * @param kept the directory for etcd's data between runs, or null to keep none; data of another cluster is replaced
     */
    public static FilledControlPlane start(ClusterGenerator cluster, @Nullable Path kept)
            throws IOException, InterruptedException {
        String words = cluster.words() + ", seed " + cluster.shape().seed()
                + ", nodes with room, ReplicaSets without replicas\n";
        boolean isKept = kept != null
                && Files.isRegularFile(kept.resolve(WORDS))
                && Files.readString(kept.resolve(WORDS)).equals(words);
        Path directory = Files.createTempDirectory("evenkeel-kube");
        if (kept != null && isKept) {
            copy(kept.resolve(DATA), directory.resolve(DATA));
        }
        FilledControlPlane started = new FilledControlPlane(directory, ControlPlane.start(directory));
        try {
            if (!isKept) {
                ControlPlaneFill.fill(started.plane.client(), cluster);
                if (kept != null) {
                    started.keep(kept, words);
                }
            }
            return started;
        } catch (IOException | InterruptedException | RuntimeException e) {
            started.close();
            throw e;
        }
    }

    /** The control plane. */
    public ControlPlane plane() {
        return plane;
    }

    private void keep(Path kept, String words) throws IOException {
        stop();
        Files.createDirectories(kept);
        Files.deleteIfExists(kept.resolve(WORDS));
        remove(kept.resolve(DATA));
        copy(directory.resolve(DATA), kept.resolve(DATA));
        Files.writeString(kept.resolve(WORDS), words);
        start();
    }

    /** Restores the cluster to its state when {@link #start} returned, from the etcd data that was kept then. */
    public void restore(Path kept) throws IOException {
        stop();
        remove(directory.resolve(DATA));
        copy(kept.resolve(DATA), directory.resolve(DATA));
        start();
    }

    private void stop() throws IOException {
        plane.stop(Program.API_SERVER);
        plane.stop(Program.ETCD);
    }

    private void start() throws IOException {
        plane.start(Program.ETCD);
        plane.start(Program.API_SERVER);
    }

    private static void copy(Path from, Path to) throws IOException {
        for (Path file : below(from)) {
            Path copy = to.resolve(from.relativize(file));
            if (Files.isDirectory(file)) {
                Files.createDirectories(copy);
            } else {
                Files.copy(file, copy, StandardCopyOption.REPLACE_EXISTING);
            }
        }
    }

    /** Removes a directory recursively. */
    public static void remove(Path directory) throws IOException {
        if (Files.exists(directory)) {
            for (Path file :
                    below(directory).stream().sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }

    private static List<Path> below(Path directory) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            return files.toList();
        }
    }

    @Override
    public void close() throws IOException {
        plane.close();
        remove(directory);
    }
}
