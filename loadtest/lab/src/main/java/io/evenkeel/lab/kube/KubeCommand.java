package io.evenkeel.lab.kube;

import io.evenkeel.client.PlacementException;
import io.evenkeel.lab.controlplane.FilledControlPlane;
import io.evenkeel.loadtest.cluster.ClusterGenerator;
import io.evenkeel.loadtest.cluster.SizeOptions;
import io.evenkeel.loadtest.cluster.Spread;
import io.evenkeel.loadtest.cluster.WorkloadSizes;
import io.evenkeel.loadtest.feed.EngineFeed;
import io.evenkeel.loadtest.load.FiguresOutput;
import io.evenkeel.loadtest.local.ManagedProcess;
import io.evenkeel.loadtest.local.ServerUnderTest;
import io.evenkeel.loadtest.text.Bounds;
import io.evenkeel.v1.Pod;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * The command {@code evenkeel lab kube}: measures how a server follows a real API server, and compares each figure with
 * a control.
 */
@Command(
        name = "kube",
        description = "Measure how a server follows a real API server: start time, memory, latency and cost.",
        sortOptions = false)
public final class KubeCommand implements Callable<Integer> {
    private static final long SEED = 1;
    private static final long MIB = 1 << 20;
    private static final double MAX_RATIO = 1.3;
    private static final double MORE_SECONDS_COLD = 1.5;
    private static final long BESIDE_ENGINE_MIB = 64;

    /** The fraction of the events that must be written, and answered, within the time of a measurement. */
    private static final double KEPT_UP = 0.9;

    private static final double MAX_LATE_MILLIS = 5;
    private static final double MAX_CPU_RATIO = 1.5;

    /** After this many seconds of events, the JIT compilers have finished with the code that handles them. */
    private static final int WARM_UP_SECONDS = 300;
    /** The maximum rate of warm-up events, per second. */
    private static final int WARM_UP_RATE = 4_000;

    /** The warm-up takes at most this many times as long as a measurement. */
    private static final int MAX_WARM_UP_TIMES = 3;

    @Mixin
    private SizeOptions size = new SizeOptions();

    @Option(
            names = "--rate",
            paramLabel = "N",
            defaultValue = "500",
            description = "Events per second (default: ${DEFAULT-VALUE}).")
    private int rate;

    @Option(
            names = "--seconds",
            paramLabel = "N",
            defaultValue = "20",
            description = "How long to measure events, after a warm-up of the same length (default: ${DEFAULT-VALUE}).")
    private double seconds;

    @Option(
            names = "--starts",
            paramLabel = "N",
            defaultValue = "3",
            description = "How often to repeat each start; the median counts (default: ${DEFAULT-VALUE}).")
    private int starts;

    @Option(
            names = "--keep",
            paramLabel = "DIR",
            description = "Keep the filled etcd in this directory for later runs, or use the one already there.")
    private @Nullable Path keep;

    @Mixin
    private FiguresOutput output = new FiguresOutput();

    private final List<Bounds.Bound> figures = new ArrayList<>();

    @Override
    public Integer call() throws IOException, InterruptedException {
        ClusterGenerator cluster = size.clusterWithPods(SEED, WorkloadSizes.MANY);
        if (seconds <= 0 || rate < 1 || starts < 1) {
            throw output.wrongUsage("--rate and --starts must be at least 1, --seconds more than 0");
        }
        PrintWriter out = output.out();
        out.println(cluster.words() + "; starting and filling a control plane");
        try (FilledControlPlane kube = FilledControlPlane.start(cluster, keep)) {
            Path kubeconfig = kube.plane().kubeconfig();
            Pod pod = Spread.HARD_ZONE_HARD_HOSTNAME.of(cluster.workloads().get(0));
            List<PodTouches.Touched> touched = PodTouches.pods(kube.plane().etcd());
            measureWarmStart(kubeconfig);
            measureColdStart(kubeconfig, pod);
            measureHeap(kube, cluster, pod, touched);
            measureEvents(kube, pod, touched);
        }
        Bounds bounds = new Bounds().table(figures, out);
        bounds.show(out);
        output.write(FiguresOutput.ofThisMachine(Map.of("figures", figures)));
        return bounds.exitCode();
    }

    private void row(String what, String measured, String ofControl, String must, boolean holds) {
        figures.add(new Bounds.Bound(what, measured + ", " + ofControl, must, holds));
        // Print it now, so that it is not lost if the next measurement fails.
        print(what + ": " + measured + ", " + ofControl);
    }

    private interface Timed {
        double nanos() throws IOException, InterruptedException;
    }

    private void measureWarmStart(Path kubeconfig) throws IOException, InterruptedException {
        try (ManagedProcess bare = start(BareProgram.class, kubeconfig);
                ManagedProcess follow = start(FollowProgram.class, kubeconfig)) {
            Timed answer = () -> {
                follow.write("follow");
                return nanos(follow.await("answered "));
            };
            Timed whole = () -> download(bare, "download whole");
            measureStarts("first answer, warm JVM", 2, 0, bare, whole, () -> download(bare, "download"), answer);
        }
    }

    private void measureColdStart(Path kubeconfig, Pod pod) throws IOException, InterruptedException {
        try (ManagedProcess collector = start(BareProgram.class, kubeconfig)) {
            Timed answer = () -> {
                long begin = System.nanoTime();
                try (ServerUnderTest server = follow(kubeconfig, List.of())) {
                    awaitAnswer(server, pod);
                    return System.nanoTime() - begin;
                }
            };
            measureStarts(
                    "first answer, cold JVM",
                    0,
                    MORE_SECONDS_COLD,
                    collector,
                    () -> coldDownload(kubeconfig, "download whole"),
                    () -> coldDownload(kubeconfig, "download"),
                    answer);
        }
    }

    /**
     * @param unmeasured how many starts come before the measured ones
     * @param collector makes the API server collect its garbage before each time is taken
     */
    private void measureStarts(
            String what,
            int unmeasured,
            double moreSeconds,
            ManagedProcess collector,
            Timed whole,
            Timed download,
            Timed answer)
            throws IOException, InterruptedException {
        List<Timed> timed = List.of(whole, download, answer);
        double[][] nanos = new double[timed.size()][starts];
        for (int i = -unmeasured; i < starts; i++) {
            for (int each = 0; each < timed.size(); each++) {
                collectGarbage(collector);
                nanos[each][Math.max(0, i)] = timed.get(each).nanos();
            }
        }
        startRow(what, middle(nanos[2]), middle(nanos[1]), middle(nanos[0]), moreSeconds);
    }

    private static double download(ManagedProcess bare, String download) throws IOException {
        bare.write(download);
        return nanos(bare.await("downloaded "));
    }

    private static double coldDownload(Path kubeconfig, String download) throws IOException {
        long begin = System.nanoTime();
        try (ManagedProcess bare = start(BareProgram.class, kubeconfig)) {
            bare.write(download);
            bare.await("downloaded ");
            return System.nanoTime() - begin;
        }
    }

    private static void collectGarbage(ManagedProcess bare) throws IOException {
        bare.write("collect");
        bare.await("collected");
    }

    private static void awaitAnswer(ServerUnderTest server, Pod pod) throws IOException, InterruptedException {
        server.awaitReady();
        FirstAnswer.await(server.target(), pod);
    }

    private void startRow(String what, double answer, double download, double whole, double moreSeconds) {
        print("%s: %.2f s to download each list as one response".formatted(what, whole / 1e9));
        row(
                what,
                "%.2f s".formatted(answer / 1e9),
                "%.2f s to download".formatted(download / 1e9),
                "at most %.1f x".formatted(MAX_RATIO) + (moreSeconds == 0 ? "" : " + %.1f s".formatted(moreSeconds)),
                answer <= MAX_RATIO * download + moreSeconds * 1e9);
    }

    private static double nanos(String reply) {
        return Double.parseDouble(reply.strip());
    }

    private static double middle(double[] values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        return sorted[sorted.length / 2];
    }

    /** The server either keeps running in that heap, or its JVM ends. */
    private void measureHeap(
            FilledControlPlane kube, ClusterGenerator cluster, Pod pod, List<PodTouches.Touched> touched)
            throws IOException, InterruptedException {
        long engine = EngineFeed.heapFor(cluster) / MIB + 1;
        long heap = engine + BESIDE_ENGINE_MIB;
        List<String> options = List.of("-Xmx" + heap + "m");
        boolean holds;
        Path kubeconfig = kube.plane().kubeconfig();
        try (ServerUnderTest server = follow(kubeconfig, options)) {
            awaitAnswer(server, pod);
            try (EventLatency late = new EventLatency(server.target(), kubeconfig, pod);
                    PodTouches touches = touches(kube, touched, rate)) {
                int before = touches.made();
                long counted = late.ofEvents(seconds).getTotalCount();
                // A server that spends all its time in garbage collection is alive, but does not follow the cluster.
                holds = counted > 0 && counted >= KEPT_UP * (touches.made() - before) && server.isAlive();
            }
        } catch (IOException | PlacementException tooSmall) {
            holds = false;
        }
        row(
                "starts and follows in a heap of",
                heap + " MiB",
                engine + " MiB for the engine",
                "%d MiB more".formatted(BESIDE_ENGINE_MIB),
                holds);
    }

    private void measureEvents(FilledControlPlane kube, Pod pod, List<PodTouches.Touched> touched)
            throws IOException, InterruptedException {
        Path kubeconfig = kube.plane().kubeconfig();
        try (ServerUnderTest server = follow(kubeconfig, List.of());
                ManagedProcess bare = start(BareProgram.class, kubeconfig)) {
            awaitAnswer(server, pod);
            bare.write("watch");
            bare.await("watches");
            Histogram events;
            Histogram idle;
            try (EventLatency late = new EventLatency(server.target(), kubeconfig, pod)) {
                try (PodTouches touches = touches(kube, touched, rate)) {
                    late.ofEvents(seconds);
                    int before = touches.made();
                    events = late.ofEvents(seconds);
                    requireRate(touches.made() - before);
                    requireRate((int) events.getTotalCount());
                }
                TimeUnit.SECONDS.sleep(1);
                idle = late.idle(seconds, rate);
            }
            double p99 = events.getValueAtPercentile(99) / 1e6;
            row(
                    "event to answer, p99 at %,d/s".formatted(rate),
                    "%.2f ms".formatted(p99),
                    "%.2f ms idle".formatted(idle.getValueAtPercentile(99) / 1e6),
                    "at most %.0f ms".formatted(MAX_LATE_MILLIS),
                    p99 <= MAX_LATE_MILLIS);
            warmUp(kube, touched, WARM_UP_SECONDS * rate);
            try (PodTouches touches = touches(kube, touched, rate)) {
                TimeUnit.MILLISECONDS.sleep((long) (seconds * 1_000));
                int before = touches.made();
                Duration ours = server.processorTime();
                Duration control = bare.processorTime();
                long watched = events(bare);
                TimeUnit.MILLISECONDS.sleep((long) (seconds * 1_000));
                double used = server.processorTime().minus(ours).toNanos() / 1e9;
                double ofControl = bare.processorTime().minus(control).toNanos() / 1e9;
                requireRate(touches.made() - before);
                requireRate((int) (events(bare) - watched));
                row(
                        "processor time at %,d/s".formatted(rate),
                        "%.2f s".formatted(used),
                        "%.2f s for a bare watch".formatted(ofControl),
                        "at most %.1f x".formatted(MAX_CPU_RATIO),
                        used <= MAX_CPU_RATIO * ofControl);
            }
        }
    }

    private static long events(ManagedProcess bare) throws IOException {
        bare.write("events");
        return Long.parseLong(bare.await("events "));
    }

    /** Otherwise JIT compilation would take minutes at the measured rate, and only in the program that does more. */
    private void warmUp(FilledControlPlane kube, List<PodTouches.Touched> touched, int events)
            throws IOException, InterruptedException {
        long end = System.nanoTime() + (long) (MAX_WARM_UP_TIMES * seconds * 1e9);
        try (PodTouches touches = touches(kube, touched, WARM_UP_RATE)) {
            while (touches.made() < events && System.nanoTime() < end) {
                TimeUnit.MILLISECONDS.sleep(100);
            }
        }
    }

    private static PodTouches touches(FilledControlPlane kube, List<PodTouches.Touched> touched, int perSecond) {
        return new PodTouches(kube.plane().etcd(), touched, perSecond);
    }

    private void requireRate(int made) throws IOException {
        if (made < KEPT_UP * rate * seconds) {
            throw new IOException("%,d events in %.1f s are fewer than %,d/s: this machine is too slow or too busy"
                    .formatted(made, seconds, rate));
        }
    }

    private static ManagedProcess start(Class<?> program, Path kubeconfig) throws IOException {
        return ManagedProcess.startInteractive(
                ManagedProcess.java(List.of(), program, kubeconfig.toString()), KubeCommand::print);
    }

    private static ServerUnderTest follow(Path kubeconfig, List<String> javaOptions) throws IOException {
        return ServerUnderTest.serve(javaOptions, KubeCommand::print, "--kube", "--kubeconfig", kubeconfig.toString());
    }

    private static void print(String line) {
        System.err.println(line);
    }
}
