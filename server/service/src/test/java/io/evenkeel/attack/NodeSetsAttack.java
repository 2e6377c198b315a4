package io.evenkeel.attack;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.evenkeel.v1.PlacementGrpc;
import io.evenkeel.v1.RegisterNodeSetRequest;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.util.List;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The attack with registered node sets. The server has the heap size of the shipped manifests. */
@Timeout(300)
final class NodeSetsAttack {
    private static final int HEAP_MIB = 256;
    private static final int CALLS = 12;
    private static final int LONGEST_NAME = 253;

    /** As many of the longest names as fit into a request. */
    private static final int LONG_NAMES = 60_000;

    /** As many sets as a server keeps. */
    private static final int SETS = 256;

    private AttackedServer server;
    private Bystander others;

    @BeforeEach
    void start() throws Exception {
        server = new AttackedServer(HEAP_MIB);
        FedCluster.feed(server.bystander());
        others = new Bystander(server);
        others.watch(3_000).forget();
    }

    @AfterEach
    void stop() throws Exception {
        others.close();
        server.close();
    }

    private static RegisterNodeSetRequest set(int count, IntFunction<String> name) {
        List<String> names = IntStream.range(0, count).mapToObj(name).toList();
        return RegisterNodeSetRequest.newBuilder().addAllNames(names).build();
    }

    @Test
    void longNames() {
        PlacementGrpc.PlacementBlockingStub placement = PlacementGrpc.newBlockingStub(server.attacker());
        for (int call = 0; call < CALLS; call++) {
            String begin = "set-" + call + "-node-";
            RegisterNodeSetRequest request = set(LONG_NAMES, i -> {
                String name = begin + i;
                return name + "x".repeat(LONGEST_NAME - name.length());
            });
            Status refused = assertThrows(StatusRuntimeException.class, () -> placement.registerNodeSet(request))
                    .getStatus();
            assertEquals(Status.Code.RESOURCE_EXHAUSTED, refused.getCode(), refused.toString());
            assertTrue(String.valueOf(refused.getDescription()).startsWith("names"), refused.toString());
        }
        others.tell("12 sets of long names");
    }

    @Test
    void manySetsOfSensibleNames() {
        PlacementGrpc.PlacementBlockingStub placement = PlacementGrpc.newBlockingStub(server.attacker());
        for (int call = 0; call < SETS; call++) {
            String begin = "ip-10-0-" + call + "-";
            placement.registerNodeSet(set(FedCluster.NODES, i -> begin + i + ".eu-west-1.compute.internal"));
        }
        long kept = server.status().getNodeSetCount();
        System.out.printf("%d sets of %d names were kept%n", kept, FedCluster.NODES);
        assertTrue(kept >= 16 && kept < SETS, kept + " sets");
        others.tell("256 sets of 5,000 names");
    }
}
