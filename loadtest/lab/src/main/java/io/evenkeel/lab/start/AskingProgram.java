package io.evenkeel.lab.start;

import io.evenkeel.client.PlacementClient;
import io.evenkeel.client.remote.RemotePlacement;
import io.evenkeel.v1.EvaluateRequest;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.Base64;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/**
 * The program of {@link AskingProcess}. Its arguments are a request in base64 and the number of calls a second. It
 * reads what to do from standard input, a line each, and answers with a line: {@code connect TARGET}, and {@code ask
 * MILLISECONDS}, whose answer has a histogram of the times that the calls took. Until it is told to ask, it asks for
 * the server's status, as a client does that waits for a replica: so a server's first second does not begin with a
 * client whose code and memory have left the caches. It ends when its standard input ends.
 */
final class AskingProgram {
    static final String CONNECT = "connect ";
    static final String CONNECTED = "connected";
    static final String ASK = "ask ";
    static final String TOOK = "took ";

    /** Stands after the last line. */
    private static final String END = "";

    private static final long STATUS_EVERY_MILLIS = 10;

    private AskingProgram() {}

    public static void main(String[] arguments) throws IOException, InterruptedException {
        EvaluateRequest question = EvaluateRequest.parseFrom(Base64.getDecoder().decode(arguments[0]));
        int callsASecond = Integer.parseInt(arguments[1]);
        BlockingQueue<String> acts = new LinkedBlockingQueue<>();
        Thread reader = new Thread(() -> read(acts), "acts");
        // Where asking fails, the program ends, and who started it hears of it.
        reader.setDaemon(true);
        reader.start();
        String act = acts.take();
        while (!act.equals(END)) {
            try (PlacementClient client = RemotePlacement.connect(act.substring(CONNECT.length()))) {
                client.status();
                // Not later, when a server is measured.
                System.gc();
                answer(CONNECTED);
                PacedCalls calls = new PacedCalls(() -> client.evaluate(question), callsASecond);
                for (act = whileWaiting(client, acts); act.startsWith(ASK); act = acts.take()) {
                    Duration time = Duration.ofMillis(Long.parseLong(act, ASK.length(), act.length(), 10));
                    answer(TOOK + text(calls.during(time)));
                }
            }
        }
    }

    private static void read(BlockingQueue<String> acts) {
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))
                .lines()
                .forEach(acts::add);
        acts.add(END);
    }

    /** Asks for the status until there is something to do; returns what. */
    private static String whileWaiting(PlacementClient client, BlockingQueue<String> acts) throws InterruptedException {
        String act = null;
        while (act == null) {
            client.status();
            act = acts.poll(STATUS_EVERY_MILLIS, TimeUnit.MILLISECONDS);
        }
        return act;
    }

    private static void answer(String line) {
        System.out.println(line);
        System.out.flush();
    }

    private static String text(Histogram times) {
        byte[] bytes = new byte[times.getNeededByteBufferCapacity()];
        int length = times.encodeIntoByteBuffer(ByteBuffer.wrap(bytes));
        return Base64.getEncoder().encodeToString(Arrays.copyOf(bytes, length));
    }

    /** The histogram in an answer to {@link #ASK}. */
    static Histogram histogram(String text) {
        return Histogram.decodeFromByteBuffer(
                ByteBuffer.wrap(Base64.getDecoder().decode(text)), 0);
    }
}
