package io.evenkeel.loadtest.local;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.evenkeel.v1.ClusterObject;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The Go programs of {@code loadtest/peer}, which run the code of other projects on clusters from files. */
public final class PeerPrograms {
    private static final ObjectMapper JSON =
            new ObjectMapper().disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES);

    private final Path home;
    private final Path directory;
    private final PrintWriter out;

    private PeerPrograms(Path home, Path directory, PrintWriter out) {
        this.home = home;
        this.directory = directory;
        this.out = out;
    }

    /**
     * The programs; null, which is printed, if they cannot be built.
     *
     * @param peers the projects whose code they run, as text
     * @param work for the programs and their files, which remain there; null for one in the checkout
     * @param name the name of the directory in the checkout
     */
    public static @Nullable PeerPrograms find(String peers, @Nullable Path work, String name, PrintWriter out)
            throws IOException {
        if (!GoProgram.canBeBuilt()) {
            out.println("No go command on the PATH; skipping " + peers + ".");
            return null;
        }
        Path home;
        try {
            home = Checkout.loadtest("peer/go.mod");
        } catch (IOException missing) {
            out.println("Skipping " + peers + ": " + missing.getMessage());
            return null;
        }
        Path files = work == null ? home.resolve("target").resolve(name) : work.toAbsolutePath();
        return new PeerPrograms(home, Files.createDirectories(files), out);
    }

    /**
     * The file of this name in the directory of the programs.
     *
     * @param name without directories
     */
    public Path file(String name) {
        return directory.resolve(name);
    }

    /**
     * Builds a program, and runs it on a cluster.
     *
     * @param name its directory; empty for {@code loadtest/peer} itself
     * @param type of its result
     * @param resultOption the option that names the file for the result, which is JSON
     * @param options its other options
     */
    public <R> R run(
            String name, Class<R> type, Iterator<ClusterObject> cluster, String resultOption, String... options)
            throws IOException, InterruptedException {
        Path main = home.resolve("peer").resolve(name).normalize();
        out.println("Building loadtest/" + home.relativize(main)
                + "; the first build takes some minutes and downloads modules ...");
        out.flush();
        String program = main.getFileName().toString();
        GoProgram built = new GoProgram(main, file(program));
        built.build();
        Path objects = file(program + ".binpb");
        ClusterFile.write(cluster, objects);
        Path result = file(program + ".json");
        Files.deleteIfExists(result);
        List<String> arguments =
                new ArrayList<>(List.of("-cluster", objects.toString(), resultOption, result.toString()));
        arguments.addAll(List.of(options));
        built.run(
                line -> {
                    out.println("  " + line);
                    out.flush();
                },
                arguments.toArray(String[]::new));
        return JSON.readValue(result.toFile(), type);
    }
}
