package io.evenkeel.lab.start;

import io.evenkeel.client.PlacementClient;
import io.evenkeel.client.Query;
import io.evenkeel.client.remote.RemotePlacement;
import io.evenkeel.loadtest.cluster.ClusterGenerator;
import io.evenkeel.loadtest.cluster.ShapeOptions;
import io.evenkeel.loadtest.cluster.Spread;
import io.evenkeel.loadtest.load.FiguresOutput;
import io.evenkeel.loadtest.local.ClusterFill;
import io.evenkeel.loadtest.local.ServerUnderTest;
import io.evenkeel.loadtest.text.Bounds;
import io.evenkeel.loadtest.text.Numbers;
import io.evenkeel.loadtest.text.Table;
import io.evenkeel.v1.EvaluateRequest;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The command {@code evenkeel lab start}: compares the first second of a server with a later period. */
@Command(
        name = "start",
        description = "Compare how long answers take in the first second after a server has received its cluster,"
                + " and later, with and without its warm-up.")
public final class StartCommand implements Callable<Integer> {
    private static final double MAX_RATIO_TO_LATER = 3;
    private static final Duration FIRST = Duration.ofSeconds(1);

    /** After this many, the compilers have little left to do for the client. */
    private static final int REHEARSALS = 10;

    @Mixin
    private ShapeOptions shape = new ShapeOptions();

    @Option(
            names = "--seconds",
            paramLabel = "N",
            defaultValue = "60",
            description = "The length of the later period, and of the time before it (default: ${DEFAULT-VALUE}).")
    private int seconds;

    @Option(
            names = "--calls",
            paramLabel = "N",
            defaultValue = "500",
            description = "Calls per second (default: ${DEFAULT-VALUE}).")
    private int calls;

    @Option(
            names = "--starts",
            paramLabel = "N",
            defaultValue = "5",
            description = "The number of starts with the warm-up; the median counts (default: ${DEFAULT-VALUE}).")
    private int starts;

    @Mixin
    private FiguresOutput output = new FiguresOutput();

    @Override
    public Integer call() throws IOException {
        if (seconds < 1 || calls < 1 || starts < 1) {
            throw output.wrongUsage("--seconds, --calls and --starts must be at least 1");
        }
        ClusterGenerator cluster = shape.clusterWithPods();
        PrintWriter out = output.out();
        out.println("Server in a separate JVM: " + cluster.words());
        Table table = new Table(
                "server",
                "loaded in>",
                "first second, p50>",
                "p99>",
                "least>",
                "most>",
                "later, p50>",
                "p99>",
                "p99, ×>");
        EvaluateRequest question = Query.of(List.of(Spread.SOFT_ZONE_SOFT_HOSTNAME.in(cluster)))
                .best(3)
                .toEvaluate();
        Bounds bounds = new Bounds();
        try (AskingProcess asking = AskingProcess.start(question, calls)) {
            rehearse(cluster, asking);
            row(table, "without a warm-up", measure(cluster, asking, "0", 1));
            Start warm = measure(cluster, asking, "5s", starts);
            row(table, "warmed up", warm);
            bounds.add("p99 of the first second: at most 3× the later p99", warm.ratio() <= MAX_RATIO_TO_LATER);
            output.write(FiguresOutput.ofThisMachine(Map.of("warmedUp", warm)));
        }
        table.print(out);
        out.println("Times in µs, of " + calls + " calls per second about one pod. For the first second with the"
                + " warm-up, the median of " + starts + " starts by p99. Later is from second " + seconds
                + " to "
                + 2 * seconds + " of the last start.");
        bounds.show(out);
        return bounds.exitCode();
    }

    private record FirstSecond(long loadNanos, AskingProcess.Times times) {}

    /** @param firsts sorted by p99 */
    private record Start(List<FirstSecond> firsts, AskingProcess.Times later) {
        FirstSecond middle() {
            return firsts.get(firsts.size() / 2);
        }

        double ratio() {
            return (double) middle().times().p99Nanos() / later.p99Nanos();
        }
    }

    /** Warms up the caller, so that in a server's first second only the server is cold. */
    private static void rehearse(ClusterGenerator cluster, AskingProcess asking) throws IOException {
        try (ServerUnderTest server = ServerUnderTest.serve("--warm-up", "0");
                PlacementClient client = RemotePlacement.connect(server.target())) {
            ClusterFill.send(cluster.objects(), client);
            for (int i = 0; i < REHEARSALS; i++) {
                asking.connect(server.target());
                asking.during(FIRST);
            }
        }
    }

    /** Starts a server several times, and continues to call the last one. */
    private Start measure(ClusterGenerator cluster, AskingProcess asking, String warmUp, int times) throws IOException {
        List<FirstSecond> firsts = new ArrayList<>();
        AskingProcess.Times later = new AskingProcess.Times(0, 0);
        for (int i = 1; i <= times; i++) {
            try (ServerUnderTest server = ServerUnderTest.serve("--warm-up", warmUp);
                    PlacementClient client = RemotePlacement.connect(server.target())) {
                asking.connect(server.target());
                long began = System.nanoTime();
                ClusterFill.send(cluster.objects(), client);
                long loaded = System.nanoTime() - began;
                firsts.add(new FirstSecond(loaded, asking.during(FIRST)));
                if (i == times) {
                    asking.during(Duration.ofSeconds(seconds - 1L));
                    later = asking.during(Duration.ofSeconds(seconds));
                }
            }
        }
        firsts.sort(Comparator.comparingLong(first -> first.times().p99Nanos()));
        return new Start(firsts, later);
    }

    private static void row(Table table, String name, Start start) {
        List<FirstSecond> firsts = start.firsts();
        table.row(
                name,
                Numbers.grouped(TimeUnit.NANOSECONDS.toMillis(start.middle().loadNanos())) + " ms",
                Numbers.micros(start.middle().times().p50Nanos()),
                Numbers.micros(start.middle().times().p99Nanos()),
                Numbers.micros(firsts.get(0).times().p99Nanos()),
                Numbers.micros(firsts.get(firsts.size() - 1).times().p99Nanos()),
                Numbers.micros(start.later().p50Nanos()),
                Numbers.micros(start.later().p99Nanos()),
                "%.1f".formatted(start.ratio()));
    }
}
