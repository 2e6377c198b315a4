package io.evenkeel.loadtest.kube;

import io.evenkeel.loadtest.controlplane.Kind;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * The control of the feed in a JVM of its own: for each line {@code download} it downloads all lists, and prints how
 * many nanoseconds that took; after a line {@code watch} it watches all kinds, and drops what it gets. Ends with its
 * input.
 */
final class BareProgram {
    private BareProgram() {}

    public static void main(String[] arguments) throws IOException {
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        try (BareClient client = new BareClient(Path.of(arguments[0]))) {
            for (String line = input.readLine(); line != null; line = input.readLine()) {
                if (line.equals("download")) {
                    long begin = System.nanoTime();
                    client.download();
                    say("downloaded " + (System.nanoTime() - begin));
                } else {
                    for (Kind kind : Kind.values()) {
                        var unused = client.watch(kind, bytes -> bytes.position(bytes.limit()));
                    }
                    say("watches");
                }
            }
        }
    }

    private static void say(String line) {
        System.out.println(line);
        System.out.flush();
    }
}
