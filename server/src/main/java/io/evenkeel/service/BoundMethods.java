package io.evenkeel.service;

import io.grpc.ServerMethodDefinition;
import io.grpc.ServerServiceDefinition;
import io.grpc.ServiceDescriptor;
import java.util.List;

/** Services whose methods read or write their messages otherwise than the generated code does. */
final class BoundMethods {
    private BoundMethods() {}

    /** The service {@code like}, with {@code methods} in place of its own. */
    static ServerServiceDefinition service(ServiceDescriptor like, List<ServerMethodDefinition<?, ?>> methods) {
        ServiceDescriptor.Builder descriptor =
                ServiceDescriptor.newBuilder(like.getName()).setSchemaDescriptor(like.getSchemaDescriptor());
        methods.forEach(method -> descriptor.addMethod(method.getMethodDescriptor()));
        ServerServiceDefinition.Builder service = ServerServiceDefinition.builder(descriptor.build());
        methods.forEach(service::addMethod);
        return service.build();
    }
}
