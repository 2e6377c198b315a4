package io.evenkeel.cli;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Runs programs in a JVM of their own: the same java as this one, with this class path. */
public final class ForkedJava {
    /** The first JDK that warns of native access and of Unsafe on stderr. */
    private static final int WARNS_OF_NATIVE_ACCESS = 24;

    private ForkedJava() {}

    /**
     * The process, which is not started yet. Options of the environment are left out.
     *
     * @param javaOptions options of its JVM
     */
    public static ProcessBuilder of(List<String> javaOptions, Class<?> program, List<String> arguments) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        if (Runtime.version().feature() >= WARNS_OF_NATIVE_ACCESS) {
            // As the jar's manifest and the launcher do.
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
