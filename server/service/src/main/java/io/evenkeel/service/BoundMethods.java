package io.evenkeel.service;

import io.grpc.ServerMethodDefinition;
import io.grpc.ServerServiceDefinition;
import io.grpc.ServiceDescriptor;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** Builds gRPC services in which our methods replace generated ones. */
final class BoundMethods {
    private BoundMethods() {}

    /** A service with the name and the schema of {@code like}, and these methods. */
    static ServerServiceDefinition service(ServiceDescriptor like, List<ServerMethodDefinition<?, ?>> methods) {
        ServiceDescriptor.Builder descriptor = ServiceDescriptor.newBuilder(like.getName())
                .setSchemaDescriptor(ServedSchema.of(like.getSchemaDescriptor()));
        methods.forEach(method -> descriptor.addMethod(method.getMethodDescriptor()));
        ServerServiceDefinition.Builder service = ServerServiceDefinition.builder(descriptor.build());
        methods.forEach(service::addMethod);
        return service.build();
    }

    /** The service {@code rest}, in which the methods of {@code own} replace those with the same names. */
    static ServerServiceDefinition service(List<ServerMethodDefinition<?, ?>> own, ServerServiceDefinition rest) {
        Set<String> names = own.stream().map(BoundMethods::name).collect(Collectors.toSet());
        List<ServerMethodDefinition<?, ?>> methods = new ArrayList<>(own);
        for (ServerMethodDefinition<?, ?> method : rest.getMethods()) {
            if (!names.contains(name(method))) {
                methods.add(method);
            }
        }
        return service(rest.getServiceDescriptor(), methods);
    }

    private static String name(ServerMethodDefinition<?, ?> method) {
        return method.getMethodDescriptor().getFullMethodName();
    }
}
