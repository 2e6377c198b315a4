package io.evenkeel.cli;

import io.evenkeel.feed.ObjectReader;
import io.evenkeel.placement.ClusterLoader;
import io.evenkeel.placement.ClusterStateHandler;
import io.evenkeel.v1.Refusal;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Loads a cluster from files, and says on standard error what it found. */
final class ClusterFiles {
    private static final String STANDARD_INPUT = "-";
    private static final int MOST_WARNINGS = 20;

    private final PrintWriter log;

    /** @param log for what a person should know of the load */
    ClusterFiles(PrintWriter log) {
        this.log = log;
    }

    /**
     * Loads all files together as one snapshot.
     *
     * @param files {@code -} is standard input
     */
    void load(List<String> files, ClusterStateHandler clusterState) throws IOException {
        try (ClusterLoader loader = new ClusterLoader(clusterState)) {
            for (String file : files) {
                load(file, loader);
            }
            loader.end();
        }
    }

    private void load(String file, ClusterLoader loader) throws IOException {
        int[] refused = new int[1];
        try (ObjectReader reader = open(file)) {
            loader.load(reader, refusal -> {
                if (++refused[0] <= MOST_WARNINGS) {
                    log.println(warning(file, refusal));
                }
            });
            log.println(summary(file, reader, refused[0]));
            log.flush();
        }
    }

    private static ObjectReader open(String file) throws IOException {
        return file.equals(STANDARD_INPUT)
                ? ObjectReader.of(System.in, "standard input")
                : ObjectReader.open(Path.of(file));
    }

    private static String warning(String file, Refusal refusal) {
        String object = refusal.getObject().isEmpty() ? "an object without a name" : refusal.getObject();
        return file + ": refused " + object + ": " + refusal.getError().getMessage();
    }

    private static String summary(String file, ObjectReader reader, int refused) {
        String text = file + ": " + reader.objectsRead() + " objects";
        if (refused > 0) {
            text += ", " + refused + " of them refused";
        }
        Map<String, Long> skipped = reader.skippedKinds();
        if (!skipped.isEmpty()) {
            text += ", and of kinds that are not needed "
                    + skipped.entrySet().stream()
                            .map(kind -> kind.getValue() + " " + kind.getKey())
                            .collect(Collectors.joining(", "));
        }
        return text;
    }
}
