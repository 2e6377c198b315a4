package io.evenkeel.loadtest.local;

import io.evenkeel.cli.Evenkeel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A command of Evenkeel in a process of its own as a user runs it: by the launcher that has started this process. Where
 * none has, as in tests, its class is run with the class path of this process.
 */
public final class LaunchedCommand {
    private LaunchedCommand() {}

    /**
     * The process, which is not started yet.
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
