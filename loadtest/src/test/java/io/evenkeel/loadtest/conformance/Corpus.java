package io.evenkeel.loadtest.conformance;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

/** Finds the corpus files: recorded answers of kube-scheduler. */
final class Corpus {
    /** A file that takes long. */
    static final String LARGE = "sequence-large";

    private Corpus() {}

    /** Every file but {@link #LARGE}. */
    static List<Path> files() {
        try (Stream<Path> files = Files.list(directory())) {
            return files.filter(file -> file.toString().endsWith(".jsonl.gz"))
                    .filter(file -> !file.equals(file(LARGE)))
                    .sorted()
                    .toList();
        } catch (IOException problem) {
            throw new UncheckedIOException(problem);
        }
    }

    static Path file(String name) {
        return directory().resolve(name + ".jsonl.gz");
    }

    private static Path directory() {
        URL directory =
                Objects.requireNonNull(Corpus.class.getResource("/conformance"), "the corpus is not on the class path");
        try {
            return Path.of(new URI(directory.toString()));
        } catch (URISyntaxException malformed) {
            throw new IllegalStateException(malformed);
        }
    }
}
