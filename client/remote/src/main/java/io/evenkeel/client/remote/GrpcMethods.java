package io.evenkeel.client.remote;

import io.evenkeel.client.ProtocolMethod;
import io.evenkeel.v1.ClusterStateGrpc;
import io.evenkeel.v1.PlacementGrpc;
import io.grpc.MethodDescriptor;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Looks up gRPC's descriptors of the protocol's methods by name. They are the generated ones, but also accept encoded
 * requests.
 */
final class GrpcMethods {
    private static final Map<String, MethodDescriptor<Object, ?>> BY_NAME = Stream.of(
                    PlacementGrpc.getServiceDescriptor(), ClusterStateGrpc.getServiceDescriptor())
            .flatMap(service -> service.getMethods().stream())
            .collect(Collectors.toUnmodifiableMap(MethodDescriptor::getFullMethodName, GrpcMethods::takingBytes));

    private GrpcMethods() {}

    private static <Q, A> MethodDescriptor<Object, A> takingBytes(MethodDescriptor<Q, A> generated) {
        return generated.toBuilder(
                        new RequestMarshaller<>(generated.getRequestMarshaller()), generated.getResponseMarshaller())
                .build();
    }

    /** The method. Its requests are messages of the method's request type, or their bytes. */
    @SuppressWarnings("unchecked") // A method's name determines its response type.
    static <A> MethodDescriptor<Object, A> of(ProtocolMethod<?, A> method) {
        return (MethodDescriptor<Object, A>) Objects.requireNonNull(BY_NAME.get(method.fullName()), method.fullName());
    }
}
