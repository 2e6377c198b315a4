package io.evenkeel.client.remote;

import io.evenkeel.client.ProtocolMethod;
import io.evenkeel.v1.ClusterStateGrpc;
import io.evenkeel.v1.PlacementGrpc;
import io.grpc.MethodDescriptor;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Looks up gRPC's generated descriptors of the protocol's methods, by name. */
final class GrpcMethods {
    private static final Map<String, MethodDescriptor<?, ?>> BY_NAME = Stream.of(
                    PlacementGrpc.getServiceDescriptor(), ClusterStateGrpc.getServiceDescriptor())
            .flatMap(service -> service.getMethods().stream())
            .collect(Collectors.toUnmodifiableMap(MethodDescriptor::getFullMethodName, Function.identity()));

    private GrpcMethods() {}

    @SuppressWarnings("unchecked") // A method's name says its types.
    static <Q, A> MethodDescriptor<Q, A> of(ProtocolMethod<Q, A> method) {
        return (MethodDescriptor<Q, A>) Objects.requireNonNull(BY_NAME.get(method.fullName()), method.fullName());
    }
}
