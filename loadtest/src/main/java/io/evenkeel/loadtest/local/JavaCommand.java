package io.evenkeel.loadtest.local;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A command that runs a class in a separate JVM with this process's Java and class path. */
public final class JavaCommand {
    private static final int WARNS_OF_UNSAFE_SINCE = 23;

    private JavaCommand() {}

    /**
     * The command as a mutable list, to which program arguments can be added. The JVM gets the options in the
     * environment variable {@code EVENKEEL_JAVA_OPTS}, as with the launcher.
     *
     * @param javaOptions options of the JVM, after those of the environment
     * @param main the class to run
     */
    public static List<String> of(List<String> javaOptions, Class<?> main) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        if (Runtime.version().feature() >= WARNS_OF_UNSAFE_SINCE) {
            command.add("--sun-misc-unsafe-memory-access=allow");
            command.add("--enable-native-access=ALL-UNNAMED");
        }
        command.add("-XX:+ExitOnOutOfMemoryError");
        String options = System.getenv("EVENKEEL_JAVA_OPTS");
        if (options != null && !options.isBlank()) {
            command.addAll(List.of(options.strip().split("\\s+")));
        }
        command.addAll(javaOptions);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
        return command;
    }
}
