package io.evenkeel.service;

import static io.evenkeel.placement.Messages.apply;
import static io.evenkeel.placement.Messages.zones;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import com.google.protobuf.DescriptorProtos.DescriptorProto;
import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import io.evenkeel.v1.ClusterStateGrpc;
import io.evenkeel.v1.PlacementGrpc;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.reflection.v1.ServerReflectionRequest;
import io.grpc.stub.BlockingClientCall;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests health and reflection, which load balancers and tools such as grpcurl and ghz use. */
final class HealthAndReflectionTest {
    private final TestServer server = TestServer.start(ServerOptions.onLoopback(0));

    @AfterEach
    void stop() {
        server.close();
    }

    @Test
    void health_distinguishes_whetherTheServerLives_answersQueries_andTakesFeeds() throws Exception {
        var placement = HealthGrpc.newBlockingV2Stub(server.channel)
                .watch(HealthCheckRequest.newBuilder()
                        .setService(PlacementGrpc.SERVICE_NAME)
                        .build());
        assertEquals(ServingStatus.NOT_SERVING, placement.read().getStatus());
        assertEquals(ServingStatus.SERVING, health(""));
        assertEquals(ServingStatus.SERVING, health(ClusterStateGrpc.SERVICE_NAME));
        server.clusterState.apply(apply(zones(1)));
        assertEquals(ServingStatus.SERVING, placement.read().getStatus());
        assertEquals(ServingStatus.SERVING, health(""));
    }

    @Test
    void health_isNotServing_onceTheServerStops() throws Exception {
        server.clusterState.apply(apply(zones(1)));
        var stub = HealthGrpc.newBlockingV2Stub(server.channel);
        List<BlockingClientCall<?, HealthCheckResponse>> watches = new ArrayList<>();
        for (String service : List.of("", PlacementGrpc.SERVICE_NAME, ClusterStateGrpc.SERVICE_NAME)) {
            var watch = stub.watch(
                    HealthCheckRequest.newBuilder().setService(service).build());
            assertEquals(ServingStatus.SERVING, watch.read().getStatus());
            watches.add(watch);
        }
        server.server.close();
        for (var watch : watches) {
            assertEquals(ServingStatus.NOT_SERVING, watch.read().getStatus());
        }
    }

    @Test
    void reflection_speaksBothVersions() throws Exception {
        List<String> all = List.of(
                ClusterStateGrpc.SERVICE_NAME,
                PlacementGrpc.SERVICE_NAME,
                "evenkeel.v1.Simulation",
                "grpc.health.v1.Health",
                "grpc.reflection.v1.ServerReflection",
                "grpc.reflection.v1alpha.ServerReflection");
        BlockingClientCall<ServerReflectionRequest, io.grpc.reflection.v1.ServerReflectionResponse> v1 =
                io.grpc.reflection.v1.ServerReflectionGrpc.newBlockingV2Stub(server.channel)
                        .serverReflectionInfo();
        v1.write(ServerReflectionRequest.newBuilder().setListServices("").build());
        assertEquals(
                all,
                v1.read().getListServicesResponse().getServiceList().stream()
                        .map(service -> service.getName())
                        .sorted()
                        .toList());
        v1.write(ServerReflectionRequest.newBuilder()
                .setFileContainingSymbol("evenkeel.v1.Placement")
                .build());
        FileDescriptorProto file = FileDescriptorProto.parseFrom(
                v1.read().getFileDescriptorResponse().getFileDescriptorProto(0));
        assertEquals("evenkeel/v1/placement.proto", file.getName());
        v1.halfClose();

        var old = io.grpc.reflection.v1alpha.ServerReflectionGrpc.newBlockingV2Stub(server.channel)
                .serverReflectionInfo();
        old.write(io.grpc.reflection.v1alpha.ServerReflectionRequest.newBuilder()
                .setListServices("")
                .build());
        assertTrue(old.read().getListServicesResponse().getServiceList().stream()
                .anyMatch(service -> service.getName().equals(PlacementGrpc.SERVICE_NAME)));
        old.halfClose();
    }

    @Test
    void reflectedFields_haveJsonNames_inBothVersions() throws Exception {
        for (String service : List.of(PlacementGrpc.SERVICE_NAME, ClusterStateGrpc.SERVICE_NAME)) {
            BlockingClientCall<ServerReflectionRequest, io.grpc.reflection.v1.ServerReflectionResponse> v1 =
                    io.grpc.reflection.v1.ServerReflectionGrpc.newBlockingV2Stub(server.channel)
                            .serverReflectionInfo();
            v1.write(ServerReflectionRequest.newBuilder()
                    .setFileContainingSymbol(service)
                    .build());
            assertFieldsHaveJsonNames(v1.read().getFileDescriptorResponse().getFileDescriptorProtoList());
            v1.halfClose();

            var old = io.grpc.reflection.v1alpha.ServerReflectionGrpc.newBlockingV2Stub(server.channel)
                    .serverReflectionInfo();
            old.write(io.grpc.reflection.v1alpha.ServerReflectionRequest.newBuilder()
                    .setFileContainingSymbol(service)
                    .build());
            assertFieldsHaveJsonNames(old.read().getFileDescriptorResponse().getFileDescriptorProtoList());
            old.halfClose();
        }
    }

    private static void assertFieldsHaveJsonNames(List<ByteString> files) throws Exception {
        Map<String, String> names = new HashMap<>();
        for (ByteString file : files) {
            FileDescriptorProto.parseFrom(file).getMessageTypeList().forEach(message -> putJsonNames(message, names));
        }
        assertTrue(names.size() > 100, () -> "only " + names.size() + " fields");
        names.forEach((field, json) -> assertNotEquals("", json, field));
        assertEquals("topologySpreadConstraints", names.get("PodSpec.topology_spread_constraints"));
        assertEquals("key", names.get("LabelsEntry.key"));
    }

    private static void putJsonNames(DescriptorProto message, Map<String, String> names) {
        message.getFieldList()
                .forEach(field -> names.put(message.getName() + "." + field.getName(), field.getJsonName()));
        message.getNestedTypeList().forEach(nested -> putJsonNames(nested, names));
    }

    private ServingStatus health(String service) {
        return HealthGrpc.newBlockingStub(server.channel)
                .check(HealthCheckRequest.newBuilder().setService(service).build())
                .getStatus();
    }
}
