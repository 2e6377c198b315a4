package io.evenkeel.loadtest.load;

import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Checks files to which results are written. */
public final class OutputFile {
    private OutputFile() {}

    /**
     * Checks before a run that the file can be written.
     *
     * @param file the file, or null if none was requested, which is no error
     * @throws IllegalArgumentException if it cannot be written; names the option
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
