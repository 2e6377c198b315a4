package io.evenkeel.commands;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests in which order the commands are listed. */
final class EvenkeelTest {
    @Test
    void commands_areListedAsByTheLauncher() throws IOException {
        List<String> listed = Files.readAllLines(Path.of("../../evenkeel")).stream()
                .dropWhile(line -> !line.startsWith("  explain "))
                .takeWhile(line -> !line.isBlank())
                .map(line -> line.strip().replaceFirst(" .*", ""))
                .toList();
        assertEquals(List.of("explain", "place", "serve"), listed.subList(0, 3));
        assertEquals(listed, List.copyOf(Evenkeel.commandLine().getSubcommands().keySet()));
    }
}
