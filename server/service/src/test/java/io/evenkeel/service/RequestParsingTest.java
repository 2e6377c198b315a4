package io.evenkeel.service;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.StringValue;
import com.google.rpc.ErrorInfo;
import io.grpc.Attributes;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.ServerCall;
import io.grpc.ServerMethodDefinition;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.protobuf.ProtoUtils;
import io.grpc.protobuf.StatusProto;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.ByteArrayInputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests how requests are read, without a transport. */
final class RequestParsingTest {
    private static final StringValue SMALL = StringValue.of("x");

    /** Too long to be read on the event loop. */
    private static final StringValue LONG = StringValue.of("x".repeat(100_000));

    private final List<StringValue> read = new ArrayList<>();
    private final List<String> ends = new ArrayList<>();

    /** Passes a request of such a method to a service whose pools are closed. */
    private void receive(MethodType type, StringValue request) {
        MethodDescriptor<StringValue, StringValue> method = MethodDescriptor.<StringValue, StringValue>newBuilder()
                .setType(type)
                .setFullMethodName("test.Echo/Echo")
                .setRequestMarshaller(ProtoUtils.marshaller(SMALL))
                .setResponseMarshaller(ProtoUtils.marshaller(SMALL))
                .build();
        ServerServiceDefinition service = ServerServiceDefinition.builder("test.Echo")
                .addMethod(method, (call, headers) -> new ServerCall.Listener<>() {
                    @Override
                    public void onMessage(StringValue message) {
                        read.add(message);
                    }
                })
                .build();
        WorkerPools pools = new WorkerPools(new RefusalMetrics(new SimpleMeterRegistry()));
        pools.close();
        receive(RequestParsing.of(service, pools).getMethod(method.getFullMethodName()), request);
    }

    private <Q, A> void receive(ServerMethodDefinition<Q, A> method, StringValue request) {
        method.getServerCallHandler()
                .startCall(
                        new UncarriedCall<>(method.getMethodDescriptor(), Attributes.EMPTY) {
                            @Override
                            public void close(Status status, Metadata trailers) {
                                ends.add(status.getCode() + " " + reason(status, trailers));
                            }
                        },
                        new Metadata())
                .onMessage(method.getMethodDescriptor().parseRequest(new ByteArrayInputStream(request.toByteArray())));
    }

    private static String reason(Status status, Metadata trailers) {
        try {
            return Objects.requireNonNull(StatusProto.fromStatusAndTrailers(status, trailers))
                    .getDetails(0)
                    .unpack(ErrorInfo.class)
                    .getReason();
        } catch (InvalidProtocolBufferException e) {
            throw new AssertionError(e);
        }
    }

    /** A stream's message waits even if its pool is full, but not if the pool is closed. */
    @ParameterizedTest
    @EnumSource(names = {"UNARY", "BIDI_STREAMING"})
    void longRequest_isRejected_whenTheServerStops(MethodType type) {
        receive(type, LONG);
        assertEquals(List.of("UNAVAILABLE ERROR_REASON_STOPPING"), ends);
        assertEquals(List.of(), read);
    }

    @Test
    void smallRequest_needsNoPool() {
        receive(MethodType.UNARY, SMALL);
        assertEquals(List.of(SMALL), read);
        assertEquals(List.of(), ends);
    }
}
