package io.evenkeel.lab.kube;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * Runs the feed's control in a separate JVM. It executes the commands on its standard input until that ends, and
 * replies to each with a line:
 *
 * <ul>
 *   <li>{@code download}: downloads all lists in the form that the feed requests, and discards them. Replies
 *       {@code downloaded} and the nanoseconds it took. {@code download whole}: the same with each list as one
 *       response;
 *   <li>{@code collect}: makes the API server collect its garbage. Replies {@code collected};
 *   <li>{@code watch}: watches all kinds from now on, and discards the events. Replies {@code watches};
 *   <li>{@code events}: replies {@code events} and the number of events received.
 * </ul>
 */
final class BareProgram {
    private BareProgram() {}

    public static void main(String[] arguments) throws IOException {
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        BareClient client = new BareClient(Path.of(arguments[0]));
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
                default -> throw new IOException("unknown command " + line);
            }
        }
        // Open watches would keep the JVM alive, and closed ones would be reopened.
        System.exit(0);
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
