package io.evenkeel.operations;

import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.placement.ClusterStateHandler;
import io.evenkeel.placement.call.KindFeedState;
import io.evenkeel.v1.ClusterStateGrpc;
import io.evenkeel.v1.PlacementGrpc;
import io.grpc.BindableService;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.protobuf.services.HealthStatusManager;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Whether the server is alive, answers queries, and takes feeds: over gRPC and as checks for {@code /livez} and
 * {@code /readyz}.
 *
 * <pre>
 *                            gRPC health                    HTTP
 *   alive                    ""                             /livez, also while stopping
 *   answers queries          evenkeel.v1.Placement          /readyz
 *   takes feeds              evenkeel.v1.ClusterState
 * </pre>
 *
 * <p>All states over gRPC become NOT_SERVING when the server begins to stop, and {@code /readyz} fails. The process is
 * alive until it ends, so that it is not killed while it stops. Thread-safe.
 */
public final class ServerHealth {
    private final HealthStatusManager states = new HealthStatusManager();
    private final ClusterStateHandler clusterState;
    private volatile boolean stopping;

    public ServerHealth(ClusterStateHandler clusterState) {
        this.clusterState = clusterState;
        states.setStatus(HealthStatusManager.SERVICE_NAME_ALL_SERVICES, ServingStatus.SERVING);
        states.setStatus(ClusterStateGrpc.SERVICE_NAME, ServingStatus.SERVING);
        clusterState.onReadiness(ready -> states.setStatus(
                PlacementGrpc.SERVICE_NAME, ready ? ServingStatus.SERVING : ServingStatus.NOT_SERVING));
    }

    /** The service {@code grpc.health.v1.Health}. */
    public BindableService service() {
        return states.getHealthService();
    }

    /** Called when the server begins to stop. From then on it is neither ready nor healthy. */
    public void stop() {
        stopping = true;
        states.enterTerminalState();
    }

    boolean isStopping() {
        return stopping;
    }

    List<Check> liveness() {
        return List.of(new Check("ping", () -> null));
    }

    List<Check> readiness() {
        List<Check> checks = new ArrayList<>();
        checks.add(new Check("ping", () -> null));
        for (ObjectKind kind : ObjectKind.ALL) {
            KindFeedState feed = clusterState.feed(kind);
            checks.add(
                    ObjectKind.OF_PLACEMENT.contains(kind)
                            ? new Check(name(kind), feed::obstacle, () -> remark(feed))
                            : new Check(name(kind), () -> null, () -> remark(feed)));
        }
        checks.add(new Check("shutdown", () -> stopping ? "the server is stopping" : null));
        return checks;
    }

    private static String remark(KindFeedState feed) {
        String obstacle = feed.obstacle();
        return obstacle != null ? obstacle : feed.since() != null ? "" : "not fed now";
    }

    /** The singular name of the kind's Kubernetes resource. */
    public static String name(ObjectKind kind) {
        return kind.kindName().toLowerCase(Locale.ROOT);
    }
}
