package io.evenkeel.client;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.evenkeel.v1.ClusterStateGrpc;
import io.evenkeel.v1.PlacementGrpc;
import io.evenkeel.v1.SimulationGrpc;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

final class ProtocolMethodTest {
    @Test
    void constants_areTheMethodsOfTheServices_withTheirTypes() {
        Set<String> generated = Stream.of(
                        PlacementGrpc.getServiceDescriptor(),
                        SimulationGrpc.getServiceDescriptor(),
                        ClusterStateGrpc.getServiceDescriptor())
                .flatMap(service -> service.getMethods().stream())
                .map(method -> method.getFullMethodName() + " " + typeOf(method.getRequestMarshaller()) + " "
                        + typeOf(method.getResponseMarshaller()))
                .collect(Collectors.toCollection(TreeSet::new));
        Set<String> constants = Arrays.stream(ProtocolMethod.class.getFields())
                .filter(field -> Modifier.isStatic(field.getModifiers()) && field.getType() == ProtocolMethod.class)
                .map(field -> {
                    try {
                        return field.get(null) + " "
                                + argument(field.getGenericType().getTypeName());
                    } catch (IllegalAccessException impossible) {
                        throw new AssertionError(impossible);
                    }
                })
                .collect(Collectors.toCollection(TreeSet::new));
        assertEquals(generated, constants);
    }

    private static String typeOf(Object marshaller) {
        return ((io.grpc.MethodDescriptor.ReflectableMarshaller<?>) marshaller)
                .getMessageClass()
                .getName();
    }

    private static String argument(String generic) {
        return generic.substring(generic.indexOf('<') + 1, generic.length() - 1).replace(",", "");
    }
}
