package io.evenkeel.attack;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.evenkeel.service.RawCalls;
import io.evenkeel.v1.EvaluateRequest;
import io.evenkeel.v1.PlacementGrpc;
import io.evenkeel.v1.Pod;
import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The attack with more bytes in flight than the server has memory. */
@Timeout(300)
final class LargeRequestsAttack {
    private static final int CALLS = 60;
    private static final int BYTES = 14_000_000;
    private static final int ROUNDS = 7;

    /** The maximum ratio of the bystanders' p99 to their p99 next to an echo server. */
    private static final double MAX_RATIO = 2;

    /** The method with requests that are already serialized. */
    private static final MethodDescriptor<byte[], byte[]> EVALUATE = PlacementGrpc.getEvaluateMethod().toBuilder(
                    new EchoProgram.Bytes(), new EchoProgram.Bytes())
            .build();

    @Test
    void sixtyAtOnce() throws Exception {
        byte[] request = request();
        try (AttackedServer server = new AttackedServer();
                Echo echo = new Echo()) {
            FedCluster.feed(server.bystander());
            try (Bystander others = new Bystander(server)) {
                others.watch(5_000).forget().watch(3_000).tell("idle");
                for (boolean oneConnection : new boolean[] {false, true}) {
                    String how = oneConnection ? " on one connection" : " on a connection each";
                    double[] ratios = new double[ROUNDS];
                    for (int round = 0; round < ROUNDS; round++) {
                        others.forget();
                        attack(echo.port, server, EchoProgram.METHOD, request, oneConnection);
                        Bystander.Seen beside = others.tell("60 x 14 MB to an echo" + how);
                        others.forget();
                        Map<Status.Code, Integer> ends =
                                attack(server.port(), server, EVALUATE, request, oneConnection);
                        Bystander.Seen seen = others.tell("60 x 14 MB" + how);
                        ratios[round] = seen.p99() / beside.p99();
                        System.out.printf(
                                "60 x 14 MB%s ended so: %s; p99 %.2f times as long as beside an echo%n",
                                how, ends, ratios[round]);
                        assertEquals(Set.of(Status.Code.OK, Status.Code.RESOURCE_EXHAUSTED), ends.keySet());
                    }
                    Arrays.sort(ratios);
                    System.out.printf("60 x 14 MB%s: p99 %.2f times, the median%n", how, ratios[ROUNDS / 2]);
                    assertTrue(ratios[ROUNDS / 2] <= MAX_RATIO, Arrays.toString(ratios));
                }
            }
            assertEquals(0, server.metric("evenkeel_server_bytes{of=\"queries\""));
        }
    }

    private static Map<Status.Code, Integer> attack(
            int port,
            AttackedServer server,
            MethodDescriptor<byte[], byte[]> method,
            byte[] request,
            boolean oneConnection)
            throws InterruptedException {
        List<ManagedChannel> connections = new ArrayList<>();
        for (int i = 0; i < (oneConnection ? 1 : CALLS); i++) {
            connections.add(AttackedServer.builder(port, server.attackers()).build());
        }
        try {
            CallResults calls = new CallResults();
            for (int i = 0; i < CALLS; i++) {
                calls.call(connections.get(i % connections.size()), method, request, CallOptions.DEFAULT);
            }
            return calls.await(0);
        } finally {
            connections.forEach(ManagedChannel::shutdownNow);
        }
    }

    @Test
    void halfOfEach() throws Exception {
        try (AttackedServer server = new AttackedServer()) {
            FedCluster.feed(server.bystander());
            List<RawCalls> connections = new ArrayList<>();
            ExecutorService senders = Executors.newFixedThreadPool(CALLS);
            try (Bystander others = new Bystander(server)) {
                others.watch(3_000).forget().watch(3_000).tell("idle");
                others.forget();
                List<Future<?>> sent = new ArrayList<>();
                for (int i = 0; i < CALLS; i++) {
                    RawCalls connection = new RawCalls(server.port());
                    connections.add(connection);
                    sent.add(
                            senders.submit(() -> connection.begin("evenkeel.v1.Placement/Evaluate", BYTES, BYTES / 2)));
                }
                for (Future<?> each : sent) {
                    each.get(1, TimeUnit.MINUTES);
                }
                int whole = 0;
                for (RawCalls connection : connections) {
                    if (connection.isEnded(1)) {
                        assertEquals(Status.Code.RESOURCE_EXHAUSTED.value(), connection.status(1));
                    } else {
                        whole++;
                    }
                }
                double held = server.metric("evenkeel_server_bytes{of=\"queries\"");
                double refused = server.metric("evenkeel_server_refusals_total{why=\"bytes\"");
                System.out.printf(
                        "60 halves of 14 MB: %d were taken, %.0f bytes held, %.0f calls refused%n",
                        whole, held, refused);
                assertTrue(held <= 64 << 20, held + " bytes");
                assertEquals(CALLS - whole, refused);
                assertTrue(whole >= 8, whole + " halves");
                others.watch(3_000);
                Bystander.Seen seen = others.tell("60 halves of 14 MB");
                assertTrue(seen.longest() < 2_000, seen.toString());
            } finally {
                senders.shutdownNow();
                for (RawCalls connection : connections) {
                    connection.close();
                }
            }
        }
    }

    /**
     * As many pods as a call can have, all different. Half of them have many labels that no answer depends on, the
     * others have many tolerations, which plans keep.
     */
    private static byte[] request() {
        String filler = "x".repeat(40);
        EvaluateRequest.Builder request = EvaluateRequest.newBuilder();
        for (int i = 0; i < 1_024; i++) {
            Pod.Builder pod = FedCluster.incoming(i % 300).toBuilder();
            for (int entry = 0; entry < 130; entry++) {
                String key = "key-" + filler + entry;
                String value = "value-" + filler + i;
                if (i % 2 == 0) {
                    pod.getMetadataBuilder().putLabels(key, value);
                } else {
                    pod.getSpecBuilder().addTolerationsBuilder().setKey(key).setValue(value);
                }
            }
            request.addPods(pod);
        }
        byte[] bytes = request.build().toByteArray();
        assertEquals(BYTES, bytes.length, BYTES / 20.0);
        return bytes;
    }

    /** An echo server in a separate process, with as much memory as the client. */
    private static final class Echo implements AutoCloseable {
        private final Process process;
        private final int port;

        Echo() throws IOException {
            process = new ProcessBuilder(
                            AttackedServer.java(),
                            "-Xmx2g",
                            "-cp",
                            System.getProperty("java.class.path"),
                            EchoProgram.class.getName())
                    .redirectErrorStream(true)
                    .start();
            BufferedReader said =
                    new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
            String line = said.readLine();
            while (!Objects.requireNonNull(line, "the echo ended").startsWith(EchoProgram.LISTENS)) {
                line = said.readLine();
            }
            port = Integer.parseInt(line.substring(EchoProgram.LISTENS.length()));
            Thread rest = new Thread(() -> said.lines().forEach(each -> System.out.println("  echo: " + each)));
            rest.setDaemon(true);
            rest.start();
        }

        @Override
        public void close() {
            process.destroyForcibly().onExit().join();
        }
    }
}
