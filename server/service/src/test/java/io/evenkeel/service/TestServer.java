package io.evenkeel.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.google.protobuf.Any;
import com.google.protobuf.Internal;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.rpc.BadRequest;
import io.evenkeel.engine.IndexValidator;
import io.evenkeel.placement.InstanceOptions;
import io.evenkeel.placement.Messages;
import io.evenkeel.v1.ApplyResponse;
import io.evenkeel.v1.ClusterStateGrpc;
import io.evenkeel.v1.EvaluateRequest;
import io.evenkeel.v1.EvaluateStreamRequest;
import io.evenkeel.v1.FilterRequest;
import io.evenkeel.v1.FilterResponse;
import io.evenkeel.v1.Freshness;
import io.evenkeel.v1.GetStatusRequest;
import io.evenkeel.v1.GetStatusResponse;
import io.evenkeel.v1.KindStatus;
import io.evenkeel.v1.ListNodesRequest;
import io.evenkeel.v1.ListNodesResponse;
import io.evenkeel.v1.PlacementGrpc;
import io.evenkeel.v1.Revision;
import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.protobuf.StatusProto;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.function.Executable;

/** Runs a real server on a free port, with a channel to it. Closing it first verifies the whole index by recounting. */
public final class TestServer implements AutoCloseable {
    public final EvenkeelServer server;
    public final ManagedChannel channel;
    public final PlacementGrpc.PlacementBlockingStub placement;
    public final ClusterStateGrpc.ClusterStateBlockingStub clusterState;

    private TestServer(ServerOptions options) {
        try {
            server = EvenkeelServer.start(options);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        channel = NettyChannelBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), server.port()))
                .usePlaintext()
                .maxInboundMessageSize(Integer.MAX_VALUE)
                .build();
        placement = PlacementGrpc.newBlockingStub(channel);
        clusterState = ClusterStateGrpc.newBlockingStub(channel);
    }

    public static TestServer start() {
        return start(InstanceOptions.standard());
    }

    public static TestServer start(InstanceOptions options) {
        return start(ServerOptions.onLoopback(0).withInstance(options));
    }

    public static TestServer start(ServerOptions options) {
        return new TestServer(options);
    }

    /** Sends a query without waiting for the answer. */
    CompletableFuture<FilterResponse> ask(FilterRequest request) {
        CompletableFuture<FilterResponse> answered = new CompletableFuture<>();
        PlacementGrpc.newStub(channel).filter(request, new StreamObserver<>() {
            @Override
            public void onNext(FilterResponse response) {
                answered.complete(response);
            }

            @Override
            public void onError(Throwable error) {
                answered.completeExceptionally(error);
            }

            @Override
            public void onCompleted() {
                // Only the answer matters.
            }
        });
        return answered;
    }

    /** Applies {@link Messages#zones}. */
    public ApplyResponse zones(int... podsPerZone) {
        return clusterState.apply(Messages.apply(Messages.zones(podsPerZone)));
    }

    /** Whether a snapshot of any kind is in progress. */
    boolean isSnapshotInProgress() {
        return status().getKindsList().stream().anyMatch(KindStatus::getSnapshotUnderWay);
    }

    /** The names of all nodes, by node index. */
    List<String> nodeNames() {
        ListNodesResponse table = clusterState.listNodes(ListNodesRequest.getDefaultInstance());
        return table.getRunsList().stream()
                .flatMap(run -> run.getNamesList().stream())
                .toList();
    }

    public GetStatusResponse status() {
        return clusterState.getStatus(GetStatusRequest.getDefaultInstance());
    }

    /** A message of EvaluateStream. */
    public static EvaluateStreamRequest onStream(long tag, EvaluateRequest request) {
        return EvaluateStreamRequest.newBuilder()
                .setTag(tag)
                .setRequest(request)
                .build();
    }

    /** A query that requires a revision. */
    static FilterRequest demanding(Revision revision, FilterRequest request) {
        return request.toBuilder()
                .setFreshness(Freshness.newBuilder().setRevision(revision))
                .build();
    }

    /** The revision that is {@code steps} after {@code revision}. */
    static Revision after(Revision revision, long steps) {
        return revision.toBuilder().setCounter(revision.getCounter() + steps).build();
    }

    /** Checks that a call fails with an error that names exactly this field. */
    public static void assertRefused(String field, Executable call) {
        StatusRuntimeException refused = assertThrows(StatusRuntimeException.class, call);
        assertEquals(List.of(field), fieldsOf(refused), refused::getMessage);
    }

    /** The fields named in the error of a call. */
    public static List<String> fieldsOf(StatusRuntimeException error) {
        return detail(error, BadRequest.class).getFieldViolationsList().stream()
                .map(BadRequest.FieldViolation::getField)
                .toList();
    }

    /** The detail of that type in an error; an empty one if there is none. */
    public static <D extends Message> D detail(StatusRuntimeException error, Class<D> type) {
        com.google.rpc.Status status = Objects.requireNonNull(StatusProto.fromThrowable(error));
        try {
            for (Any detail : status.getDetailsList()) {
                if (detail.is(type)) {
                    return detail.unpack(type);
                }
            }
            return type.cast(Internal.getDefaultInstance(type));
        } catch (InvalidProtocolBufferException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        try {
            IndexValidator.validate(server.instance().engine());
        } finally {
            channel.shutdownNow();
            server.close();
        }
    }
}
