package io.evenkeel.access;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

final class WatchedFilesTest {
    @TempDir
    private Path directory = Path.of("");

    private final List<String> log = new ArrayList<>();
    private String taken = "";

    private void take(List<byte[]> contents) {
        String text = new String(contents.get(0), StandardCharsets.UTF_8);
        if (text.equals("fault")) {
            throw new IllegalStateException("cannot be");
        }
        taken = text;
    }

    @Test
    void faultWhileAFileIsTaken_isLikeABadFile_andLaterOnesAreTaken() throws Exception {
        Path file = Files.writeString(directory.resolve("file"), "first");
        WatchedFiles files = new WatchedFiles("--option", List.of(file), this::take);
        Files.writeString(file, "fault");
        assertFalse(files.look(log::add));
        assertFalse(files.look(log::add));
        assertEquals("first", taken);
        assertEquals(
                List.of("--option " + file + ": cannot be used: java.lang.IllegalStateException: cannot be"
                        + "; keeping the previous version"),
                log);
        Files.writeString(file, "second");
        assertFalse(files.look(log::add));
        assertTrue(files.look(log::add));
        assertEquals("second", taken);
        Files.writeString(file, "fault");
        assertThrows(IOException.class, () -> new WatchedFiles("--option", List.of(file), this::take));
    }

    @Test
    void largeFile_isRefused() throws Exception {
        Path file = Files.write(directory.resolve("file"), new byte[(1 << 20) + 1]);
        IOException refused =
                assertThrows(IOException.class, () -> new WatchedFiles("--option", List.of(file), this::take));
        assertEquals("--option " + file + ": must have at most 1048576 bytes", refused.getMessage());
    }

    /** A pipe cannot be read twice: the second time it is empty, or blocks the reader. */
    @Test
    void deviceOrPipe_isRefused() throws Exception {
        IOException refused = assertThrows(
                IOException.class, () -> new WatchedFiles("--option", List.of(Path.of("/dev/zero")), this::take));
        assertEquals("--option /dev/zero: must be a regular file", refused.getMessage());
        refused = assertThrows(
                IOException.class,
                () -> new WatchedFiles("--option", List.of(pipe("pipe"), Path.of("/dev/zero")), this::take));
        assertEquals(
                "--option " + directory.resolve("pipe") + ", /dev/zero: " + directory.resolve("pipe")
                        + " must be a regular file",
                refused.getMessage());
    }

    @Test
    @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void pipeInPlaceOfAFile_doesNotHoldUpTheLooking() throws Exception {
        Path file = Files.writeString(directory.resolve("file"), "first");
        WatchedFiles files = new WatchedFiles("--option", List.of(file), this::take);
        Files.delete(file);
        pipe("file");
        assertFalse(files.look(log::add));
        assertFalse(files.look(log::add));
        assertEquals(List.of("--option " + file + ": must be a regular file; keeping the previous version"), log);
        Files.delete(file);
        Files.writeString(file, "second");
        assertFalse(files.look(log::add));
        assertTrue(files.look(log::add));
        assertEquals("second", taken);
    }

    private Path pipe(String name) throws Exception {
        Path pipe = directory.resolve(name);
        assertEquals(0, new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor());
        return pipe;
    }
}
