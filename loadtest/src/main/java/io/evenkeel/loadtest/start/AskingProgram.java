package io.evenkeel.loadtest.start;

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
import org.HdrHistogram.Histogram;

/**
 * The program of {@link AskingProcess}. Its arguments are a request in base64 and the number of calls a second. It
 * reads what to do from standard input, a line each, and answers with a line: {@code connect TARGET}, and {@code ask
 * MILLISECONDS}, whose answer has a histogram of the times that the calls took. It ends when its standard input ends.
 */
final class AskingProgram {
    static final String CONNECT = "connect ";
    static final String CONNECTED = "connected";
    static final String ASK = "ask ";
    static final String TOOK = "took ";

    private AskingProgram() {}

    public static void main(String[] arguments) throws IOException {
        EvaluateRequest question = EvaluateRequest.parseFrom(Base64.getDecoder().decode(arguments[0]));
        int callsASecond = Integer.parseInt(arguments[1]);
        BufferedReader acts = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        String act = acts.readLine();
        while (act != null) {
            try (PlacementClient client = RemotePlacement.connect(act.substring(CONNECT.length()))) {
                client.status();
                // Not later, when a server is measured.
                System.gc();
                answer(CONNECTED);
                PacedCalls calls = new PacedCalls(() -> client.evaluate(question), callsASecond);
                for (act = acts.readLine(); act != null && act.startsWith(ASK); act = acts.readLine()) {
                    Duration time = Duration.ofMillis(Long.parseLong(act, ASK.length(), act.length(), 10));
                    answer(TOOK + text(calls.during(time)));
                }
            }
        }
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
