package io.evenkeel.loadtest.load;

import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** A file that a result is written to. */
public final class OutputFile {
    private OutputFile() {}

    /**
     * Looks whether it can be written, before a run is spent on it.
     *
     * @param file null where none is asked for, which is well
     * @throws IllegalArgumentException naming the option, where it cannot be
     */
    public static void requireWritable(String option, @Nullable Path file) {
        if (file == null) {
            return;
        }
        Path directory = file.toAbsolutePath().getParent();
        boolean canBe = Files.exists(file)
                ? Files.isRegularFile(file) && Files.isWritable(file)
                : directory != null && Files.isDirectory(directory) && Files.isWritable(directory);
        if (!canBe) {
            throw new IllegalArgumentException(option + " must name a file that can be written, was '" + file + "'");
        }
    }
}
