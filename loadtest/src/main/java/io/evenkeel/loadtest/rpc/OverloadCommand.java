package io.evenkeel.loadtest.rpc;

import io.evenkeel.cli.CommandFailure;
import io.evenkeel.client.PlacementClient;
import io.evenkeel.client.PlacementException;
import io.evenkeel.client.remote.RemotePlacement;
import io.evenkeel.loadtest.cluster.ClusterGenerator;
import io.evenkeel.loadtest.cluster.ShapeOptions;
import io.evenkeel.loadtest.cluster.Spread;
import io.evenkeel.loadtest.load.DirectChannel;
import io.evenkeel.loadtest.load.EncodedRequest;
import io.evenkeel.loadtest.load.FiguresOutput;
import io.evenkeel.loadtest.load.IncomingPods;
import io.evenkeel.loadtest.load.LoadQuestions;
import io.evenkeel.loadtest.load.Round;
import io.evenkeel.loadtest.local.ClusterFill;
import io.evenkeel.loadtest.local.ServerUnderTest;
import io.evenkeel.loadtest.text.Bounds;
import io.evenkeel.loadtest.text.Bounds.Bound;
import io.evenkeel.loadtest.text.Numbers;
import io.evenkeel.v1.ExplainRequest;
import io.evenkeel.v1.ExplainResponse;
import io.evenkeel.v1.PlacementGrpc;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.ToDoubleFunction;
import org.HdrHistogram.Histogram;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The command {@code evenkeel bench overload}: calls a server twice as often as it can answer. */
@Command(
        name = "overload",
        description = "Call a server twice as often as it can answer, and compare the answers with those at half of its"
                + " capacity. The server has one processor, and the callers another one. Needs Linux's taskset.",
        sortOptions = false)
public final class OverloadCommand implements Callable<Integer> {
    private static final double MAX_SECONDS = 3_600;
    private static final int MAX_ROUNDS = 1_000;
    private static final int CALLERS = 0;
    private static final int SERVER = 1;
    private static final int WORKLOADS = 100;
    private static final double MAX_RATIO = 3;
    private static final double MIN_PART_OF_CAPACITY = 0.8;
    private static final long MIN_COST_NANOS = 1_000_000;

    @Mixin
    private ShapeOptions shape = new ShapeOptions();

    @Option(
            names = "--seconds",
            paramLabel = "N",
            defaultValue = "5",
            description = "How long to measure each figure of a round (default: ${DEFAULT-VALUE}).")
    private double seconds;

    @Option(
            names = "--warmup",
            paramLabel = "SECONDS",
            defaultValue = "15",
            description = "How long to warm up (default: ${DEFAULT-VALUE}).")
    private double warmUp;

    @Option(
            names = "--rounds",
            paramLabel = "N",
            defaultValue = "5",
            description = "How often to measure all figures; the medians count (default: ${DEFAULT-VALUE}).")
    private int rounds;

    @Mixin
    private FiguresOutput output = new FiguresOutput();

    @Override
    public Integer call() throws IOException, InterruptedException {
        if (!(seconds >= 0.1 && seconds <= MAX_SECONDS && warmUp >= 0 && warmUp <= MAX_SECONDS)) {
            throw output.wrongUsage("--seconds must be from 0.1 to " + MAX_SECONDS + ", and --warmup from 0, were "
                    + seconds + " and " + warmUp);
        }
        if (rounds < 1 || rounds > MAX_ROUNDS) {
            throw output.wrongUsage("--rounds must be from 1 to " + MAX_ROUNDS + ", was " + rounds);
        }
        ClusterGenerator cluster = shape.clusterWithPods();
        PrintWriter out = output.out();
        out.println("Explain, with a server of one processor: " + cluster.words());
        List<OverloadRound> measured;
        try {
            measured = measure(cluster, out);
        } catch (PlacementException failed) {
            throw new CommandFailure(String.valueOf(failed.getMessage()));
        }
        List<Bound> figures = figures(measured);
        out.println();
        Bounds bounds = new Bounds().table(figures, out);
        out.println(
                "medians of " + rounds + " rounds; p50 and p99 are from the time at which a call was due to its end");
        bounds.show(out);
        output.write(FiguresOutput.ofThisMachine(Map.of("cluster", cluster.words(), "figures", figures)));
        return bounds.exitCode();
    }

    private List<OverloadRound> measure(ClusterGenerator cluster, PrintWriter out)
            throws IOException, InterruptedException {
        try (ProcessorPins pins = new ProcessorPins();
                ServerUnderTest server = serverPinned(pins);
                PlacementClient client = RemotePlacement.connect(server.target());
                DirectChannel greedy = new DirectChannel(server.target());
                DirectChannel modest = new DirectChannel(server.target())) {
            pins.pinTo(CALLERS);
            ClusterFill.send(cluster.objects(), client);
            LoadQuestions<EncodedRequest, ExplainResponse> questions = questions(cluster);
            Round warm = Round.ofUnaryInTurn(
                    greedy.channel(),
                    questions,
                    OverloadRound.IN_FLIGHT,
                    Duration.ZERO,
                    Duration.ofNanos(Math.round(warmUp * 1e9)));
            out.println("warmed up by " + Numbers.grouped(warm.latencies().getTotalCount()) + " calls");
            List<OverloadRound> measured = new ArrayList<>();
            for (int i = 1; i <= rounds; i++) {
                OverloadRound round = OverloadRound.measure(
                        greedy.channel(),
                        modest.channel(),
                        questions,
                        server::processorTime,
                        Duration.ofNanos(Math.round(seconds * 1e9)));
                measured.add(round);
                out.println(String.format(
                        Locale.ROOT,
                        "  round %d: %.0f/s; half: %s ms; twice: %.0f/s accepted, %s ms; refused: %s ms; the other: %s ms",
                        i,
                        round.capacity(),
                        words(round.half()),
                        round.acceptedPerSecond(),
                        words(round.accepted()),
                        words(round.refused()),
                        words(round.modest())));
                out.flush();
            }
            return measured;
        }
    }

    private static ServerUnderTest serverPinned(ProcessorPins pins) throws IOException, InterruptedException {
        pins.pinTo(SERVER);
        return ServerUnderTest.serve(List.of(), line -> {});
    }

    private static LoadQuestions<EncodedRequest, ExplainResponse> questions(ClusterGenerator cluster) {
        List<EncodedRequest> requests = new IncomingPods(cluster, List.of(Spread.HARD_ZONE_HARD_HOSTNAME), WORKLOADS)
                .list(1).stream()
                        .map(pod -> new EncodedRequest(
                                ExplainRequest.newBuilder().setPod(pod).build()))
                        .toList();
        return new LoadQuestions<>(EncodedRequest.sentBy(PlacementGrpc.getExplainMethod()), requests, answer -> null);
    }

    private static String words(Histogram nanos) {
        return Numbers.millis(nanos.getValueAtPercentile(50)) + " / " + Numbers.millis(nanos.getValueAtPercentile(99));
    }

    private static List<Bound> figures(List<OverloadRound> rounds) {
        double capacity = median(rounds, OverloadRound::capacity);
        long cost = Math.round(median(rounds, OverloadRound::costNanos));
        double accepted = median(rounds, OverloadRound::acceptedPerSecond);
        double refusedOfOther = 100 * median(rounds, round -> (double) round.modestRefused() / round.modestCalls());
        List<Bound> figures = new ArrayList<>();
        figures.add(Bound.none("capacity", "%.0f/s".formatted(capacity)));
        figures.add(new Bound(
                "processor time of a call", Numbers.millis(cost) + " ms", "at least 1 ms", cost >= MIN_COST_NANOS));
        figures.add(new Bound(
                "accepted at twice the capacity",
                "%.0f/s".formatted(accepted),
                "at least 0.8 of the capacity",
                accepted >= MIN_PART_OF_CAPACITY * capacity));
        for (int percentile : new int[] {50, 99}) {
            long half = nanos(rounds, OverloadRound::half, percentile);
            figures.add(Bound.none("p%d at half the capacity".formatted(percentile), Numbers.millis(half) + " ms"));
            figures.add(atMost(
                    "p%d of accepted calls at twice the capacity", percentile, half, rounds, OverloadRound::accepted));
            figures.add(atMost("p%d of refused calls", percentile, half, rounds, OverloadRound::refused));
            figures.add(atMost("p%d of another caller meanwhile", percentile, half, rounds, OverloadRound::modest));
        }
        figures.add(new Bound(
                "refused calls of the other caller", "%.2f%%".formatted(refusedOfOther), "none", refusedOfOther == 0));
        return figures;
    }

    private interface Latencies {
        Histogram of(OverloadRound round);
    }

    private static long nanos(List<OverloadRound> rounds, Latencies latencies, int percentile) {
        return Math.round(median(rounds, round -> latencies.of(round).getValueAtPercentile(percentile)));
    }

    private static Bound atMost(
            String what, int percentile, long half, List<OverloadRound> rounds, Latencies latencies) {
        long nanos = nanos(rounds, latencies, percentile);
        return new Bound(
                what.formatted(percentile),
                Numbers.millis(nanos) + " ms",
                "at most 3 times that at half",
                nanos <= MAX_RATIO * half);
    }

    private static double median(List<OverloadRound> rounds, ToDoubleFunction<OverloadRound> figure) {
        double[] sorted = rounds.stream().mapToDouble(figure).sorted().toArray();
        return sorted[sorted.length / 2];
    }
}
