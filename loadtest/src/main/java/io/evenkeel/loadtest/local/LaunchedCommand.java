package io.evenkeel.loadtest.local;

import io.evenkeel.cli.Evenkeel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * An Evenkeel command in a separate process, started as a user starts it: by the launcher that started this process. If
 * there is no launcher, as in tests, its class is run with this process's class path.
 */
public final class LaunchedCommand {
    private LaunchedCommand() {}

    /**
     * A builder for the process.
     *
     * @param javaOptions options of its JVM, after those of the environment
     */
    public static ProcessBuilder of(List<String> javaOptions, String... arguments) {
        String launcher = System.getProperty("evenkeel.launcher");
        List<String> command = new ArrayList<>();
        if (launcher == null) {
            command.addAll(JavaCommand.of(javaOptions, Evenkeel.class));
        } else {
            command.add(launcher);
        }
        command.addAll(Arrays.asList(arguments));
        ProcessBuilder process = new ProcessBuilder(command);
        if (launcher != null) {
            process.environment()
                    .put(
                            "EVENKEEL_JAVA",
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString());
            process.environment()
                    .merge("EVENKEEL_JAVA_OPTS", String.join(" ", javaOptions), (given, more) -> given + " " + more);
        }
        return process;
    }
}
