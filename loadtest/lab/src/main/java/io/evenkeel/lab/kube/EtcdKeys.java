package io.evenkeel.lab.kube;

import com.google.protobuf.ByteString;
import com.google.protobuf.CodedInputStream;
import com.google.protobuf.CodedOutputStream;
import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.kube.ApiResource;
import io.evenkeel.lab.controlplane.ObjectEnvelope;
import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Reads and writes etcd keys through the gRPC service {@code etcdserverpb.KV}. Messages are encoded by field number:
 * {@code RangeRequest} key = 1, range_end = 2, limit = 3; {@code RangeResponse} kvs = 2, each with key = 1 and value =
 * 5; {@code PutRequest} key = 1, value = 2. Thread-safe.
 */
final class EtcdKeys implements AutoCloseable {
    private static final int KEY = 1;
    private static final int RANGE_END = 2;
    private static final int LIMIT = 3;
    private static final int PUT_VALUE = 2;
    private static final int KVS = 2;
    private static final int VALUE = 5;
    private static final int MAX_BYTES = 256 << 20;
    private static final long PATIENCE_SECONDS = 30;

    private static final MethodDescriptor.Marshaller<ByteString> BYTES = new MethodDescriptor.Marshaller<>() {
        @Override
        public InputStream stream(ByteString bytes) {
            return bytes.newInput();
        }

        @Override
        public ByteString parse(InputStream stream) {
            try {
                return ByteString.readFrom(stream);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    };
    private static final MethodDescriptor<ByteString, ByteString> RANGE = method("Range");
    private static final MethodDescriptor<ByteString, ByteString> PUT = method("Put");

    private final ManagedChannel channel;

    /** An object in etcd. */
    record Entry(ByteString key, ByteString value) {}

    /** The prefix of the keys of a kind's objects. */
    static String prefix(ObjectKind kind) {
        return "/registry/"
                + switch (kind) {
                    case NODE -> "minions";
                    case SERVICE -> "services/specs";
                    case REPLICATION_CONTROLLER -> "controllers";
                    case POD, REPLICA_SET, STATEFUL_SET -> ApiResource.plural(kind);
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

    private static MethodDescriptor<ByteString, ByteString> method(String name) {
        return MethodDescriptor.newBuilder(BYTES, BYTES)
                .setFullMethodName(MethodDescriptor.generateFullMethodName("etcdserverpb.KV", name))
                .setType(MethodDescriptor.MethodType.UNARY)
                .build();
    }

    /**
     * The first entries whose keys begin with {@code prefix}.
     *
     * @param prefix ends with a slash
     * @param most the maximum number of entries
     */
    List<Entry> range(String prefix, int most) throws IOException {
        ByteString.Output request = ByteString.newOutput();
        CodedOutputStream out = CodedOutputStream.newInstance(request);
        out.writeString(KEY, prefix);
        // The first key after all keys with this prefix.
        out.writeString(RANGE_END, prefix.substring(0, prefix.length() - 1) + (char) ('/' + 1));
        out.writeInt64(LIMIT, most);
        out.flush();
        ByteString response;
        try {
            response = ClientCalls.blockingUnaryCall(channel, RANGE, options(), request.toByteString());
        } catch (StatusRuntimeException e) {
            throw new IOException("the call to etcd failed", e);
        }
        List<Entry> entries = new ArrayList<>();
        CodedInputStream in = response.newCodedInput();
        for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
            if (tag >>> 3 == KVS) {
                ByteString entry = in.readBytes();
                entries.add(new Entry(ObjectEnvelope.field(entry, KEY), ObjectEnvelope.field(entry, VALUE)));
            } else {
                in.skipField(tag);
            }
        }
        return entries;
    }

    /** A request for {@link #put}. */
    static ByteString putRequest(ByteString key, byte[] value) throws IOException {
        ByteString.Output request = ByteString.newOutput();
        CodedOutputStream out = CodedOutputStream.newInstance(request);
        out.writeBytes(KEY, key);
        out.writeByteArray(PUT_VALUE, value);
        out.flush();
        return request.toByteString();
    }

    /** Sends a request from {@link #putRequest}, and reports the result to {@code outcome}. */
    void put(ByteString request, StreamObserver<ByteString> outcome) {
        ClientCalls.asyncUnaryCall(channel.newCall(PUT, options()), request, outcome);
    }

    private static CallOptions options() {
        return CallOptions.DEFAULT.withDeadlineAfter(PATIENCE_SECONDS, TimeUnit.SECONDS);
    }

    @Override
    public void close() {
        channel.shutdownNow();
    }
}
