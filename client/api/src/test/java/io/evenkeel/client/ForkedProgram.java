package io.evenkeel.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/** Runs programs in a separate JVM: the same java as this one, without flags, and with part of this class path. */
final class ForkedProgram {
    private ForkedProgram() {}

    /**
     * Runs a program, which must succeed and print no error.
     *
     * @param without names of jars to remove from this test's class path, which must contain each
     * @return the lines that it printed
     */
    static List<String> run(Class<?> program, List<String> without, String... arguments) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                classPath(without),
                program.getName()));
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().keySet().removeAll(List.of("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "CLASSPATH"));
        try {
            Process process = builder.start();
            // Neither output is long enough to fill a pipe.
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            String errors = new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
            assertEquals(0, process.waitFor(), errors);
            for (String sign : List.of("Exception", "Error", "--add-opens")) {
                assertFalse(errors.contains(sign), errors);
            }
            return output.lines().toList();
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(interrupted);
        }
    }

    private static String classPath(List<String> without) {
        String whole = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
        List<String> entries = Arrays.asList(whole.split(File.pathSeparator));
        for (String part : without) {
            assertFalse(entries.stream().noneMatch(entry -> isAt(entry, part)), part + " is not on " + whole);
        }
        return entries.stream()
                .filter(entry -> without.stream().noneMatch(part -> isAt(entry, part)))
                .collect(Collectors.joining(File.pathSeparator));
    }

    private static boolean isAt(String entry, String part) {
        return entry.replace(File.separatorChar, '/').contains(part);
    }
}
