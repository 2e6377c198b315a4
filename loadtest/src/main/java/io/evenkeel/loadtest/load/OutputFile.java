package io.evenkeel.loadtest.load;

import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Checks files that results are to be written to. */
public final class OutputFile {
    private OutputFile() {}

    /**
     * Checks that the file can be written, before a run is made.
     *
     * @param file the file; null where none was asked for, which is no error
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
