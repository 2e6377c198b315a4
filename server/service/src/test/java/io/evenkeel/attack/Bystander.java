package io.evenkeel.attack;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.evenkeel.placement.Messages;
import io.evenkeel.v1.AllNodes;
import io.evenkeel.v1.AnswerForm;
import io.evenkeel.v1.Candidates;
import io.evenkeel.v1.ClusterStateGrpc;
import io.evenkeel.v1.EvaluateRequest;
import io.evenkeel.v1.EvaluateStreamRequest;
import io.evenkeel.v1.EvaluateStreamResponse;
import io.evenkeel.v1.Events;
import io.evenkeel.v1.GetStatusRequest;
import io.evenkeel.v1.PlacementGrpc;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.QueryOptions;
import io.evenkeel.v1.SyncRequest;
import io.evenkeel.v1.SyncResponse;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.stub.BlockingClientCall;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Measures the latency of other calls while the server is under attack: queries, feeds and status calls, each on a
 * separate connection.
 */
final class Bystander implements AutoCloseable {
    private static final long PATIENCE_SECONDS = 60;
    private static final long PAUSE_MILLIS = 2;

    /** What a bystander does repeatedly. */
    private interface Deed {
        void run(int number) throws Exception;
    }

    private final List<Doer> doers = new ArrayList<>();
    private volatile boolean over;

    /** A bystander and the latencies of its calls. */
    private final class Doer {
        private final String name;
        private final CompletableFuture<Void> done;
        private long[] nanos = new long[1 << 10];
        private int count;
        private volatile String failure = "";

        Doer(String name, Deed deed) {
            this.name = name;
            done = CompletableFuture.runAsync(
                    () -> repeat(deed), task -> new Thread(task, "bystander-" + name).start());
        }

        private void repeat(Deed deed) {
            try {
                while (!over) {
                    long began = System.nanoTime();
                    deed.run(count);
                    took(System.nanoTime() - began);
                    Thread.sleep(PAUSE_MILLIS);
                }
            } catch (Exception e) {
                failure = name + " failed after " + count + " calls: " + e;
            }
        }

        private synchronized void took(long time) {
            if (count == nanos.length) {
                nanos = Arrays.copyOf(nanos, 2 * count);
            }
            nanos[count++] = time;
        }

        private synchronized double[] sortedMillis() {
            return Arrays.stream(nanos, 0, count)
                    .sorted()
                    .mapToDouble(each -> each / 1e6)
                    .toArray();
        }

        private synchronized void forget() {
            count = 0;
        }
    }

    Bystander(AttackedServer server) {
        var status = ClusterStateGrpc.newBlockingV2Stub(server.bystander());
        add(
                "status",
                number -> status.withDeadlineAfter(PATIENCE_SECONDS, TimeUnit.SECONDS)
                        .getStatus(GetStatusRequest.getDefaultInstance()));
        var health = HealthGrpc.newBlockingV2Stub(server.bystander());
        add(
                "health",
                number -> health.withDeadlineAfter(PATIENCE_SECONDS, TimeUnit.SECONDS)
                        .check(HealthCheckRequest.getDefaultInstance()));
        var placement = PlacementGrpc.newBlockingV2Stub(server.bystander());
        add(
                "evaluate",
                number -> placement
                        .withDeadlineAfter(PATIENCE_SECONDS, TimeUnit.SECONDS)
                        .evaluate(question()));
        BlockingClientCall<EvaluateStreamRequest, EvaluateStreamResponse> stream =
                PlacementGrpc.newBlockingV2Stub(server.bystander()).evaluateStream();
        add("stream", number -> {
            stream.write(EvaluateStreamRequest.newBuilder()
                    .setTag(number)
                    .setRequest(question())
                    .build());
            EvaluateStreamResponse answer = stream.read(PATIENCE_SECONDS, TimeUnit.SECONDS);
            assertEquals(number, answer.getTag());
            assertEquals(
                    1, answer.getResponse().getAnswersCount(), answer.getError().getMessage());
        });
        BlockingClientCall<SyncRequest, SyncResponse> feed =
                ClusterStateGrpc.newBlockingV2Stub(server.bystander()).sync();
        add("feed", number -> {
            Pod pod = FedCluster.pod(FedCluster.PODS + number / 2);
            feed.write(SyncRequest.newBuilder()
                    .setEvents(Events.newBuilder()
                            .addEvents(
                                    number % 2 == 0
                                            ? Messages.added(Messages.object(pod))
                                            : Messages.deleted(Messages.object(pod))))
                    .build());
            SyncResponse answer = feed.read(PATIENCE_SECONDS, TimeUnit.SECONDS);
            assertEquals(List.of(), answer.getRefusalsList());
        });
    }

    /** A query for the best node for a pod of an existing workload. */
    private static EvaluateRequest question() {
        return EvaluateRequest.newBuilder()
                .addPods(FedCluster.incoming(7))
                .setOptions(QueryOptions.newBuilder()
                        .setCandidates(Candidates.newBuilder().setAll(AllNodes.getDefaultInstance()))
                        .setForm(AnswerForm.ANSWER_FORM_BEST)
                        .setMaxBest(1))
                .build();
    }

    private void add(String name, Deed deed) {
        doers.add(new Doer(name, deed));
    }

    /** Discards the measurements, for instance those of a warm-up. */
    Bystander forget() {
        doers.forEach(Doer::forget);
        return this;
    }

    /** Lets the bystanders continue for {@code millis}. */
    Bystander watch(long millis) throws InterruptedException {
        Thread.sleep(millis);
        return this;
    }

    /** Prints the measurements since the last {@link #forget}. Fails if a call has failed. */
    Seen tell(String during) {
        List<Seen> seen = new ArrayList<>();
        for (Doer doer : doers) {
            assertEquals("", doer.failure);
            double[] sorted = doer.sortedMillis();
            if (sorted.length == 0) {
                throw new AssertionError(doer.name + " had no answer " + during);
            }
            Seen own = new Seen(at(sorted, 0.5), at(sorted, 0.99), sorted[sorted.length - 1]);
            System.out.printf(
                    Locale.ROOT,
                    "%-44s %-9s %6d calls, p50 %8.2f ms, p99 %8.2f ms, longest %8.2f ms%n",
                    during,
                    doer.name,
                    sorted.length,
                    own.p50,
                    own.p99,
                    own.longest);
            seen.add(own);
        }
        return seen.stream().reduce(Seen::worse).orElseThrow();
    }

    private static double at(double[] sorted, double part) {
        return sorted[(int) (part * (sorted.length - 1))];
    }

    /** The worst latencies of any bystander, in milliseconds. */
    record Seen(double p50, double p99, double longest) {
        Seen worse(Seen other) {
            return new Seen(Math.max(p50, other.p50), Math.max(p99, other.p99), Math.max(longest, other.longest));
        }
    }

    @Override
    public void close() {
        over = true;
        doers.forEach(doer -> doer.done.join());
    }
}
