package io.evenkeel.lab.kube;

import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.kube.ApiResource;
import io.evenkeel.lab.wire.KVGrpc;
import io.evenkeel.lab.wire.KeyValue;
import io.evenkeel.lab.wire.PutRequest;
import io.evenkeel.lab.wire.PutResponse;
import io.evenkeel.lab.wire.RangeRequest;
import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.net.URI;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Reads and writes etcd keys over gRPC. Thread-safe. */
final class EtcdKeys implements AutoCloseable {
    private static final int MAX_BYTES = 256 << 20;
    private static final long PATIENCE_SECONDS = 30;

    private final ManagedChannel channel;

    /** The prefix of the keys of a kind's objects. */
    static String prefix(ObjectKind kind) {
        return "/registry/"
                + switch (kind) {
                    case NODE -> "minions";
                    case SERVICE -> "services/specs";
                    case REPLICATION_CONTROLLER -> "controllers";
                    case POD, REPLICA_SET, STATEFUL_SET, POD_DISRUPTION_BUDGET -> ApiResource.plural(kind);
                }
                + '/';
    }

    EtcdKeys(URI etcd) {
        channel = NettyChannelBuilder.forAddress(etcd.getHost(), etcd.getPort())
                .usePlaintext()
                .directExecutor()
                .maxInboundMessageSize(MAX_BYTES)
                .build();
    }

    /**
     * The first entries whose keys begin with {@code prefix}.
     *
     * @param prefix ends with a slash
     * @param most the maximum number of entries
     */
    List<KeyValue> range(String prefix, int most) throws IOException {
        RangeRequest request = RangeRequest.newBuilder()
                .setKey(prefix)
                // The first key after all keys with this prefix.
                .setRangeEnd(prefix.substring(0, prefix.length() - 1) + (char) ('/' + 1))
                .setLimit(most)
                .build();
        try {
            return KVGrpc.newBlockingStub(channel)
                    .withDeadlineAfter(PATIENCE_SECONDS, TimeUnit.SECONDS)
                    .range(request)
                    .getKvsList();
        } catch (StatusRuntimeException e) {
            throw new IOException("the call to etcd failed", e);
        }
    }

    /** Writes a key, and reports the result to {@code outcome}. */
    void put(PutRequest request, StreamObserver<PutResponse> outcome) {
        KVGrpc.newStub(channel)
                .withDeadlineAfter(PATIENCE_SECONDS, TimeUnit.SECONDS)
                .put(request, outcome);
    }

    @Override
    public void close() {
        channel.shutdownNow();
    }
}
