package io.evenkeel.access;

import io.evenkeel.v1.ClusterStateGrpc;
import io.evenkeel.v1.PlacementGrpc;
import io.grpc.MethodDescriptor;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What a caller may be allowed to do. */
public enum Right {
    /** To ask: {@code Placement}, the nodes and the status. */
    ASK,
    /** To assume and forget pods. */
    RESERVE,
    /** To send the state of the cluster. */
    FEED;

    private static final Map<String, Right> OF_SERVICES = Map.of(
            PlacementGrpc.SERVICE_NAME,
            ASK,
            "grpc.reflection.v1.ServerReflection",
            ASK,
            "grpc.reflection.v1alpha.ServerReflection",
            ASK);

    private static final Map<String, Right> OF_METHODS = ofMethods();

    private static final String HEALTH = "grpc.health.v1.Health";

    private static Map<String, Right> ofMethods() {
        Map<String, Right> rights = new HashMap<>();
        rights.put(ClusterStateGrpc.getListNodesMethod().getFullMethodName(), ASK);
        rights.put(ClusterStateGrpc.getGetStatusMethod().getFullMethodName(), ASK);
        rights.put(ClusterStateGrpc.getAssumeMethod().getFullMethodName(), RESERVE);
        rights.put(ClusterStateGrpc.getForgetMethod().getFullMethodName(), RESERVE);
        return Map.copyOf(rights);
    }

    /** The right that a call needs: {@link #FEED} if no other fits; null if everyone may make it, as probes do. */
    public static @Nullable Right of(MethodDescriptor<?, ?> method) {
        String service = String.valueOf(method.getServiceName());
        if (service.equals(HEALTH)) {
            return null;
        }
        Right right = OF_SERVICES.get(service);
        return right == null ? OF_METHODS.getOrDefault(method.getFullMethodName(), FEED) : right;
    }

    /** The name in files and messages. */
    String text() {
        return name().toLowerCase(Locale.ROOT);
    }
}
