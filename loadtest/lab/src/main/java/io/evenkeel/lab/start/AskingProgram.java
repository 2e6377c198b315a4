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
 * The program of {@link AskingProcess}. Its arguments are a request in base64 and the number of calls per second. It
 * reads commands from standard input, one per line, and replies to each with a line: {@code connect TARGET}, and
 * {@code ask MILLISECONDS}, whose reply has a histogram of the call times. Between commands it polls the server's
 * status, like a client that waits for a replica, so that in a server's first second the client's code and memory are
 * still in the caches. It ends when its standard input ends.
 */
final class AskingProgram {
    static final String CONNECT = "connect ";
    static final String CONNECTED = "connected";
    static final String ASK = "ask ";
    static final String TOOK = "took ";
    /** Marks the end of input. */
    private static final String END = "";

    private static final long STATUS_EVERY_MILLIS = 10;

    private AskingProgram() {}

    public static void main(String[] arguments) throws IOException, InterruptedException {
        EvaluateRequest question = EvaluateRequest.parseFrom(Base64.getDecoder().decode(arguments[0]));
        int callsASecond = Integer.parseInt(arguments[1]);
        BlockingQueue<String> acts = new LinkedBlockingQueue<>();
        Thread reader = new Thread(() -> read(acts), "acts");
        // If a call fails, the program ends, and its parent process notices.
        reader.setDaemon(true);
        reader.start();
        String act = acts.take();
        while (!act.equals(END)) {
            try (PlacementClient client = RemotePlacement.connect(act.substring(CONNECT.length()))) {
                client.status();
                // Now, so that it does not happen during a measurement.
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

    /** Polls the server's status until there is a command. Returns the command. */
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

    /** The histogram in a reply to {@link #ASK}. */
    static Histogram histogram(String text) {
        return Histogram.decodeFromByteBuffer(
                ByteBuffer.wrap(Base64.getDecoder().decode(text)), 0);
    }
}
