package io.evenkeel.lab.controlplane;

import io.evenkeel.commands.Evenkeel;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

/**
 * Writes a program that takes a port and runs Evenkeel on it. It ends when its standard input ends, so that it does not
 * outlive an aborted test.
 */
final class ServerScript {
    private ServerScript() {}

    /** Writes the program into a directory. */
    static Path write(Path directory) throws IOException {
        Path program = Files.createFile(
                directory.resolve("server"),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        return Files.writeString(program, """
                #!/bin/sh
                exec 3<&0
                (cat <&3 >/dev/null; kill -9 $$) >/dev/null 2>&1 &
                exec '%s' -Xmx256m -cp '%s' %s serve --listen 127.0.0.1:$1 3<&- </dev/null
                """.formatted(
                        Path.of(System.getProperty("java.home"), "bin", "java"),
                        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                        Evenkeel.class.getName()));
    }
}
