package io.evenkeel.client.remote;

import com.google.protobuf.MessageLite;
import io.evenkeel.client.Payload;
import io.evenkeel.client.ProtocolMethod;
import io.evenkeel.v1.ClusterStateGrpc;
import io.evenkeel.v1.PlacementGrpc;
import io.evenkeel.v1.SimulationGrpc;
import io.grpc.MethodDescriptor;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Looks up gRPC's descriptors of the protocol's methods by name. They are the generated ones, but take payloads. */
final class GrpcMethods {
    private static final Map<String, MethodDescriptor<?, ?>> BY_NAME = Stream.of(
                    PlacementGrpc.getServiceDescriptor(),
                    SimulationGrpc.getServiceDescriptor(),
                    ClusterStateGrpc.getServiceDescriptor())
            .flatMap(service -> service.getMethods().stream())
            .collect(Collectors.toUnmodifiableMap(MethodDescriptor::getFullMethodName, GrpcMethods::takingPayloads));

    private GrpcMethods() {}

    @SuppressWarnings("unchecked") // All requests are messages.
    private static MethodDescriptor<?, ?> takingPayloads(MethodDescriptor<?, ?> generated) {
        MethodDescriptor<MessageLite, ?> method = (MethodDescriptor<MessageLite, ?>) generated;
        return method.toBuilder(new RequestMarshaller<>(method.getRequestMarshaller()), method.getResponseMarshaller())
                .build();
    }

    @SuppressWarnings("unchecked") // A method's name determines its types.
    static <Q extends MessageLite, A extends MessageLite> MethodDescriptor<Payload<Q>, A> of(
            ProtocolMethod<Q, A> method) {
        return (MethodDescriptor<Payload<Q>, A>)
                Objects.requireNonNull(BY_NAME.get(method.fullName()), method.fullName());
    }
}
