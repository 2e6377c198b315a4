package io.evenkeel.lab.start;

import io.evenkeel.client.PlacementClient;
import io.evenkeel.client.remote.RemotePlacement;
import io.evenkeel.loadtest.local.ManagedProcess;
import io.evenkeel.v1.EvaluateRequest;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;

/**
 * Calls a server from a separate JVM, so that the caller's compilers and garbage collections take no processor time
 * from the measured server. It does nothing but make calls. It uses only the first-tier compiler, which is done after
 * some thousand calls, and collects garbage when it connects.
 *
 * <p>The other JVM runs {@link #main} with a request in base64 and the number of calls per second. It reads commands
 * from standard input, one per line, and replies to each with a line: {@code connect TARGET}, and {@code ask
 * MILLISECONDS}, whose reply has the p50 and the p99 of the call times. Between commands it polls the server's status,
 * like a client that waits for a replica, so that in a server's first second the client's code and memory are still in
 * the caches. It ends when its standard input ends.
 */
final class AskingProcess implements AutoCloseable {
    private static final List<String> QUIET_JAVA =
            List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xms600m", "-Xmn500m", "-XX:+AlwaysPreTouch");

    private static final String CONNECT = "connect ";
    private static final String CONNECTED = "connected";
    private static final String ASK = "ask ";
    private static final String TOOK = "took ";
    /** Marks the end of input. */
    private static final String END = "";

    private static final long STATUS_EVERY_MILLIS = 10;
    private static final long MAX_NANOS = TimeUnit.SECONDS.toNanos(60);

    private final ManagedProcess program;

    private AskingProcess(ManagedProcess program) {
        this.program = program;
    }

    /** Starts the process. It is idle until the first command. */
    static AskingProcess start(EvaluateRequest question, int callsASecond) throws IOException {
        String request = Base64.getEncoder().encodeToString(question.toByteArray());
        return new AskingProcess(ManagedProcess.startInteractive(
                ManagedProcess.java(QUIET_JAVA, AskingProcess.class, request, Integer.toString(callsASecond)),
                System.err::println));
    }

    /** Connects to another server, which need not have a cluster yet. */
    void connect(String target) throws IOException {
        program.write(CONNECT + target);
        program.await(CONNECTED);
    }

    /** How long calls took. */
    record Times(long p50Nanos, long p99Nanos) {}

    /** Makes calls for some time. */
    Times during(Duration time) throws IOException {
        program.write(ASK + time.toMillis());
        String[] reply = program.await(TOOK).split(" ", -1);
        return new Times(Long.parseLong(reply[0]), Long.parseLong(reply[1]));
    }

    @Override
    public void close() {
        program.close();
    }

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
                System.out.println(CONNECTED);
                for (act = whileWaiting(client, acts); act.startsWith(ASK); act = acts.take()) {
                    Duration time = Duration.ofMillis(Long.parseLong(act, ASK.length(), act.length(), 10));
                    Histogram times = times(client, question, callsASecond, time);
                    System.out.println(TOOK + times.getValueAtPercentile(50) + " " + times.getValueAtPercentile(99));
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

    /** Makes calls on schedule. If a slow call delays the next one, the delay counts in the next one's time. */
    private static Histogram times(PlacementClient client, EvaluateRequest question, int callsASecond, Duration time) {
        Histogram times = new Histogram(MAX_NANOS, 3);
        long began = System.nanoTime();
        for (long due = 0; due < time.toNanos(); due += TimeUnit.SECONDS.toNanos(1) / callsASecond) {
            long late = System.nanoTime() - began - due;
            if (late < 0) {
                LockSupport.parkNanos(-late);
            }
            // The operating system wakes threads a little late, which must not count against the server.
            long from = late < 0 ? System.nanoTime() : began + due;
            client.evaluate(question);
            times.recordValue(System.nanoTime() - from);
        }
        return times;
    }
}
