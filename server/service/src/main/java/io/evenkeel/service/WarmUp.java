package io.evenkeel.service;

import io.evenkeel.engine.model.EngineOptions;
import io.evenkeel.placement.ClusterStateHandler;
import io.evenkeel.placement.Instance;
import io.evenkeel.v1.AnswerForm;
import io.evenkeel.v1.ApplyRequest;
import io.evenkeel.v1.ClusterEvent;
import io.evenkeel.v1.ClusterObject;
import io.evenkeel.v1.ClusterStateGrpc;
import io.evenkeel.v1.EvaluateRequest;
import io.evenkeel.v1.EvaluateResponse;
import io.evenkeel.v1.EvaluateStreamRequest;
import io.evenkeel.v1.LabelSelector;
import io.evenkeel.v1.LabelSelectorRequirement;
import io.evenkeel.v1.Node;
import io.evenkeel.v1.ObjectMeta;
import io.evenkeel.v1.PlacementGrpc;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.PodSpec;
import io.evenkeel.v1.QueryOptions;
import io.evenkeel.v1.Toleration;
import io.evenkeel.v1.TopologySpreadConstraint;
import io.grpc.ManagedChannel;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * Lets the JIT compiler see the code that answers calls before the first caller needs it: asks a server of its own,
 * with a small cluster, over loopback, in threads of its own. It shares nothing with the server that it warms up for
 * (only {@link #prepare} reaches that), and ends when that one has its cluster or the time is over. While that one gets
 * its cluster, it asks less. Safe for use by several threads.
 *
 * <p>Compiled code leaves out what was never run. So connections come and go here as well; otherwise the first one that
 * ends would have Java throw away the code that answers. For the same reason, and because it takes processor time, the
 * server is stopped only some time after the last question.
 */
public final class WarmUp {
    private static final System.Logger LOG = System.getLogger(WarmUp.class.getName());

    private static final int NODES = 300;
    private static final int ZONES = 3;
    private static final int PODS = 1_500;
    private static final int APPS = 8;
    private static final String ZONE = "topology.kubernetes.io/zone";
    private static final String HOSTNAME = "kubernetes.io/hostname";
    private static final String HARD = "DoNotSchedule";
    private static final String SOFT = "ScheduleAnyway";
    private static final int KEYS = 40;
    private static final int POOLS = 100;
    private static final int UNDER_WAY = 8;
    private static final int EVENTS_EVERY = 8;
    private static final int TURNS_A_CONNECTION = 50;

    /** Its server keeps no more plans, since every fourth question makes one that nobody asks for again. */
    private static final int PLANS = 256;

    /** So many questions have one among them that needs new counts, as that of the first caller does. */
    private static final int NEW_EVERY = 4;

    /** Between two questions, while the server gets its cluster: that needs the processors more. */
    private static final long PAUSE_MILLIS = 5;

    private static final Duration STOP_WITHIN = Duration.ofMillis(200);

    /** The time after the last question in which first callers have the processors to themselves. */
    private static final Duration REST = Duration.ofSeconds(10);

    /** As its admission plugin DefaultTolerationSeconds has it. */
    private static final List<Toleration> EACH_PODS = List.of(toleration("not-ready"), toleration("unreachable"));

    private final long deadline;
    private final BooleanSupplier feeding;
    private final Duration rest;
    private final Thread thread = new Thread(this::run, "evenkeel-warm-up");
    private volatile boolean ended;

    private WarmUp(Duration longest, BooleanSupplier feeding, Duration rest) {
        this.feeding = feeding;
        this.rest = rest;
        deadline = System.nanoTime() + longest.toNanos();
        thread.setDaemon(true);
    }

    /**
     * Begins to warm up, for {@code longest} at most.
     *
     * @param feeding whether the server gets its cluster now
     */
    public static WarmUp begin(Duration longest, BooleanSupplier feeding) {
        return begin(longest, feeding, REST);
    }

    /** @param rest how long its server stays after the last question */
    static WarmUp begin(Duration longest, BooleanSupplier feeding, Duration rest) {
        WarmUp begun = new WarmUp(longest, feeding, rest);
        begun.thread.start();
        return begun;
    }

    /**
     * Has an instance without a cluster make what most first questions share: the topologies of zones and hosts, and
     * which nodes take a pod with the tolerations that an API server gives to each, and one without. Each node is then
     * taken into these as it comes. Made for the first caller, they would take him and those behind him some tens of
     * milliseconds.
     */
    public static void prepare(Instance empty) {
        LabelSelector noPods =
                LabelSelector.newBuilder().putMatchLabels("warm-up", "none").build();
        for (String unsatisfiable : List.of(HARD, SOFT)) {
            for (List<Toleration> tolerations : List.of(EACH_PODS, List.<Toleration>of())) {
                empty.prepare(tolerating(tolerations, incoming(noPods, unsatisfiable, ZONE, HOSTNAME)));
                empty.prepare(tolerating(tolerations, incoming(noPods, unsatisfiable, ZONE)));
                empty.prepare(tolerating(tolerations, incoming(noPods, unsatisfiable, HOSTNAME)));
            }
        }
    }

    private static Pod tolerating(List<Toleration> tolerations, Pod pod) {
        return pod.toBuilder()
                .setSpec(pod.getSpec().toBuilder().addAllTolerations(tolerations))
                .build();
    }

    private static Toleration toleration(String taint) {
        return Toleration.newBuilder()
                .setKey("node.kubernetes.io/" + taint)
                .setOperator("Exists")
                .setEffect("NoExecute")
                .setTolerationSeconds(300)
                .build();
    }

    /**
     * Ends it soon once queries are answered. That waits for nothing here: a server is ready when it has its cluster.
     */
    public WarmUp untilReady(ClusterStateHandler state) {
        state.onReadiness(ready -> {
            if (ready) {
                end();
            }
        });
        return this;
    }

    /** Ends it soon, without waiting. */
    void end() {
        ended = true;
    }

    /** Waits until it has ended. */
    void await() throws InterruptedException {
        thread.join();
    }

    private boolean isOver() {
        return ended || System.nanoTime() - deadline >= 0;
    }

    private void run() {
        try {
            List<EvaluateRequest> questions = questions();
            // The first server stops while nobody waits. So the stop of the second one runs no code for the first time.
            ask(questions, 0, TURNS_A_CONNECTION, Duration.ZERO);
            ask(questions, TURNS_A_CONNECTION, Integer.MAX_VALUE, rest);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (IOException | RuntimeException e) {
            // The server works without it, only more slowly at first.
            LOG.log(System.Logger.Level.WARNING, "the warm-up failed", e);
        }
    }

    /**
     * Asks a server of its own, over one connection after another, unless the warm-up is over.
     *
     * @param first the number of the first turn
     * @param end the number of the turn before which it ends
     * @param stay how long the server stays after the last question
     */
    private void ask(List<EvaluateRequest> questions, int first, int end, Duration stay)
            throws IOException, InterruptedException {
        if (isOver()) {
            return;
        }
        try (EvenkeelServer server = EvenkeelServer.start(options())) {
            server.instance().clusterState().apply(cluster());
            for (int turn = first; turn < end && !isOver(); turn += TURNS_A_CONNECTION) {
                ManagedChannel channel = NettyChannelBuilder.forAddress("127.0.0.1", server.port())
                        .usePlaintext()
                        .directExecutor()
                        .build();
                boolean answered = false;
                try {
                    answered = new Asker(channel, questions).ask(turn);
                } finally {
                    if (answered) {
                        channel.shutdown();
                    } else {
                        channel.shutdownNow();
                    }
                }
            }
            TimeUnit.NANOSECONDS.sleep(stay.toNanos());
        }
    }

    private static ServerOptions options() {
        ServerOptions options = ServerOptions.onLoopback(0).withStop(new StopTimes(Duration.ZERO, STOP_WITHIN));
        return options.withInstance(
                options.instance().withEngine(EngineOptions.defaults().withMaxPlans(PLANS)));
    }

    /** Asks and feeds over one connection, with several calls under way. */
    private final class Asker {
        private final PlacementGrpc.PlacementStub placement;
        private final ClusterStateGrpc.ClusterStateStub state;
        private final StreamObserver<EvaluateStreamRequest> stream;
        private final Semaphore free = new Semaphore(UNDER_WAY);
        private final List<EvaluateRequest> questions;

        Asker(ManagedChannel channel, List<EvaluateRequest> questions) {
            this.questions = questions;
            placement = PlacementGrpc.newStub(channel);
            state = ClusterStateGrpc.newStub(channel);
            stream = placement.evaluateStream(new OneFree<>(false));
        }

        /**
         * Asks until the connection has had its turns, or the warm-up is over; returns whether all was answered.
         *
         * @param first the number of the first turn
         */
        boolean ask(int first) throws InterruptedException {
            for (int turn = first; turn < first + TURNS_A_CONNECTION && !isOver(); turn++) {
                int room = 1;
                if (feeding.getAsBoolean()) {
                    TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
                    // One at a time: a first caller must not find others before him.
                    room = UNDER_WAY;
                }
                if (!free.tryAcquire(room, 1, TimeUnit.SECONDS)) {
                    return false;
                }
                free.release(room - 1);
                begin(turn);
            }
            stream.onCompleted();
            return free.tryAcquire(UNDER_WAY, 1, TimeUnit.SECONDS);
        }

        private void begin(int turn) {
            EvaluateRequest question =
                    turn % NEW_EVERY == NEW_EVERY - 1 ? firstSight(turn) : questions.get(turn % questions.size());
            if (turn % EVENTS_EVERY == 0) {
                state.apply(change(turn / EVENTS_EVERY), new OneFree<>(true));
            } else if (turn % EVENTS_EVERY == 1) {
                stream.onNext(EvaluateStreamRequest.newBuilder()
                        .setTag(turn)
                        .setRequest(question)
                        .build());
            } else {
                placement.evaluate(question, new OneFree<EvaluateResponse>(true));
            }
        }

        /** Lets another call begin when one is answered. */
        private final class OneFree<A> implements StreamObserver<A> {
            private final boolean unary;

            OneFree(boolean unary) {
                this.unary = unary;
            }

            @Override
            public void onNext(A answer) {
                if (!unary) {
                    free.release();
                }
            }

            @Override
            public void onError(Throwable why) {
                free.release();
            }

            @Override
            public void onCompleted() {
                if (unary) {
                    free.release();
                }
            }
        }
    }

    private static ApplyRequest cluster() {
        ApplyRequest.Builder cluster = ApplyRequest.newBuilder();
        for (int i = 0; i < NODES; i++) {
            cluster.addEvents(added(ClusterObject.newBuilder().setNode(node(i))));
        }
        for (int i = 0; i < PODS; i++) {
            cluster.addEvents(added(ClusterObject.newBuilder().setPod(bound(i))));
        }
        return cluster.build();
    }

    /** A pod comes, and goes the next time. */
    private static ApplyRequest change(int turn) {
        ClusterObject.Builder pod = ClusterObject.newBuilder().setPod(bound(PODS + turn / 2));
        return ApplyRequest.newBuilder()
                .addEvents(
                        turn % 2 == 0
                                ? added(pod)
                                : ClusterEvent.newBuilder()
                                        .setType(ClusterEvent.Type.TYPE_DELETED)
                                        .setObject(pod))
                .build();
    }

    private static ClusterEvent.Builder added(ClusterObject.Builder object) {
        return ClusterEvent.newBuilder().setType(ClusterEvent.Type.TYPE_ADDED).setObject(object);
    }

    private static Node node(int number) {
        ObjectMeta.Builder metadata = ObjectMeta.newBuilder()
                .setName("node-" + number)
                .setUid("node-" + number)
                .putLabels(HOSTNAME, "node-" + number)
                .putLabels(ZONE, "zone-" + number % ZONES)
                .putLabels("pool", "pool-" + number % POOLS);
        for (int key = 0; key < KEYS; key++) {
            // Every other key has a domain for each node.
            metadata.putLabels("key-" + key, "domain-" + (key % 2 == 0 ? number : number % ZONES));
        }
        return Node.newBuilder().setMetadata(metadata).build();
    }

    private static Pod bound(int number) {
        String name = "pod-" + number;
        return Pod.newBuilder()
                .setMetadata(ObjectMeta.newBuilder()
                        .setNamespace("warm-up")
                        .setName(name)
                        .setUid(name)
                        .putLabels("app", "app-" + number % APPS))
                .setSpec(PodSpec.newBuilder().setNodeName("node-" + number % NODES))
                .build();
    }

    /** Questions of all shapes and forms. */
    private static List<EvaluateRequest> questions() {
        List<EvaluateRequest> questions = new ArrayList<>();
        for (int app = 0; app < APPS; app++) {
            for (String unsatisfiable : List.of(HARD, SOFT)) {
                for (AnswerForm form : List.of(
                        AnswerForm.ANSWER_FORM_PACKED, AnswerForm.ANSWER_FORM_READABLE, AnswerForm.ANSWER_FORM_BEST)) {
                    LabelSelector selector = LabelSelector.newBuilder()
                            .putMatchLabels("app", "app-" + app)
                            .build();
                    questions.add(question(incoming(selector, unsatisfiable, ZONE, HOSTNAME), form));
                }
            }
        }
        return questions;
    }

    /** A question about a selector, nodes and, at first, topologies that nobody has asked about yet. */
    private static EvaluateRequest firstSight(int turn) {
        LabelSelector selector = LabelSelector.newBuilder()
                .putMatchLabels("app", "app-" + turn % APPS)
                .addMatchExpressions(LabelSelectorRequirement.newBuilder()
                        .setKey("turn")
                        .setOperator("NotIn")
                        .addValues(String.valueOf(turn)))
                .build();
        int sight = turn / NEW_EVERY;
        Pod pod = incoming(selector, sight % 2 == 0 ? HARD : SOFT, "key-" + sight % KEYS, "key-" + (sight + 1) % KEYS);
        return question(
                pod.toBuilder()
                        .setSpec(pod.getSpec().toBuilder().putNodeSelector("pool", "pool-" + sight % POOLS))
                        .build(),
                AnswerForm.ANSWER_FORM_READABLE);
    }

    private static EvaluateRequest question(Pod pod, AnswerForm form) {
        return EvaluateRequest.newBuilder()
                .addPods(pod)
                .setOptions(QueryOptions.newBuilder().setForm(form).setMaxBest(3))
                .build();
    }

    private static Pod incoming(LabelSelector selector, String unsatisfiable, String... keys) {
        PodSpec.Builder spec = PodSpec.newBuilder();
        for (String key : keys) {
            spec.addTopologySpreadConstraints(TopologySpreadConstraint.newBuilder()
                    .setMaxSkew(5)
                    .setTopologyKey(key)
                    .setWhenUnsatisfiable(unsatisfiable)
                    .setLabelSelector(selector));
        }
        return Pod.newBuilder()
                .setMetadata(ObjectMeta.newBuilder().setNamespace("warm-up").putAllLabels(selector.getMatchLabelsMap()))
                .setSpec(spec)
                .build();
    }
}
