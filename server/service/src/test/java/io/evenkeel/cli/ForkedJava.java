package io.evenkeel.cli;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Runs programs in separate JVMs, with the same java and class path as this one. */
public final class ForkedJava {
    /** The first JDK that warns about native access and Unsafe on stderr. */
    private static final int WARNS_OF_NATIVE_ACCESS = 24;

    private ForkedJava() {}

    /**
     * Returns a process that is not started yet. Java options from the environment are removed.
     *
     * @param javaOptions options of its JVM
     */
    public static ProcessBuilder of(List<String> javaOptions, Class<?> program, List<String> arguments) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        // They do not run long enough for C2 to pay off.
        command.add("-XX:TieredStopAtLevel=1");
        if (Runtime.version().feature() >= WARNS_OF_NATIVE_ACCESS) {
            // Like the jar's manifest and the launcher.
            command.addAll(List.of("--enable-native-access=ALL-UNNAMED", "--sun-misc-unsafe-memory-access=allow"));
        }
        command.addAll(javaOptions);
        command.addAll(List.of(
                "-cp",
                System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                program.getName()));
        command.addAll(arguments);
        ProcessBuilder process = new ProcessBuilder(command);
        process.environment().keySet().removeAll(List.of("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS"));
        return process;
    }
}
