package io.evenkeel.lab.kube;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * The control of the feed in a JVM of its own, by the lines of its input, with which it ends. It answers each by a
 * line:
 *
 * <ul>
 *   <li>{@code download}: downloads all lists in the form in which the feed asks for them, and drops them;
 *       {@code downloaded} and how many nanoseconds that took. {@code download whole}: each list in one piece;
 *   <li>{@code collect}: lets the API server collect its garbage; {@code collected};
 *   <li>{@code watch}: watches all kinds from now on, and drops what it gets; {@code watches};
 *   <li>{@code events}: {@code events} and how many the watches have got.
 * </ul>
 */
final class BareProgram {
    private BareProgram() {}

    public static void main(String[] arguments) throws IOException {
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        try (BareClient client = new BareClient(Path.of(arguments[0]))) {
            BareWatches watches = new BareWatches(client);
            for (String line = input.readLine(); line != null; line = input.readLine()) {
                switch (line) {
                    case "download" -> say("downloaded " + nanosOf(client::downloadStreams));
                    case "download whole" -> say("downloaded " + nanosOf(client::downloadWhole));
                    case "collect" -> {
                        client.collectGarbage();
                        say("collected");
                    }
                    case "watch" -> {
                        watches.start();
                        say("watches");
                    }
                    case "events" -> say("events " + watches.events());
                    default -> throw new IOException("there is no command " + line);
                }
            }
        }
    }

    private static long nanosOf(Runnable download) {
        long begin = System.nanoTime();
        download.run();
        return System.nanoTime() - begin;
    }

    private static void say(String line) {
        System.out.println(line);
        System.out.flush();
    }
}
