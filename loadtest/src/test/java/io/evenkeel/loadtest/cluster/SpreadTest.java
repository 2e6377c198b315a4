package io.evenkeel.loadtest.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.evenkeel.v1.LabelSelector;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.TopologySpreadConstraint;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class SpreadTest {
    private static final ClusterGenerator MANY =
            new ClusterGenerator(ClusterShape.of(1, 100, 6_000).withSizes(WorkloadSizes.MANY));
    private static final ClusterGenerator BIG =
            new ClusterGenerator(ClusterShape.of(1, 100, 3_000).withSizes(WorkloadSizes.BIG));

    @ParameterizedTest
    @EnumSource
    void in_takesTheFirstWorkloadThatAsksSo(Spread shape) {
        Workload sixth = MANY.workloads().get(5);
        assertEquals(shape.of(MANY.workloads().get(Math.min(shape.ordinal(), 5))), shape.in(MANY));
        assertEquals(Spread.DEFAULTS_WITH_OWNER, sixth.spread());
    }

    @ParameterizedTest
    @EnumSource
    void in_takesTheOnlyWorkload_ifNoneAsksSo(Spread shape) {
        assertEquals(1, BIG.workloads().size());
        assertEquals(shape.of(BIG.workloads().get(0)), shape.in(BIG));
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "DEFAULTS_WITHOUT_OWNER")
    void replica_isOfTheWorkload_whicheverItAsks(Spread shape) {
        Workload workload = BIG.workloads().get(0);
        Pod pod = shape.in(BIG);
        assertEquals(workload.incomingPod().getMetadata(), pod.getMetadata());
        assertTrue(pod.getSpec().getNodeName().isEmpty());
        LabelSelector own = LabelSelector.newBuilder()
                .putMatchLabels("app", workload.name())
                .build();
        for (TopologySpreadConstraint constraint : pod.getSpec().getTopologySpreadConstraintsList()) {
            assertEquals(own, constraint.getLabelSelector());
        }
    }

    @Test
    void hardZoneSoftHostname_asksForThat() {
        List<TopologySpreadConstraint> asked =
                Spread.HARD_ZONE_SOFT_HOSTNAME.in(BIG).getSpec().getTopologySpreadConstraintsList();
        assertEquals(2, asked.size());
        assertEquals(Labels.ZONE, asked.get(0).getTopologyKey());
        assertEquals("DoNotSchedule", asked.get(0).getWhenUnsatisfiable());
        assertEquals(Labels.HOSTNAME, asked.get(1).getTopologyKey());
        assertEquals("ScheduleAnyway", asked.get(1).getWhenUnsatisfiable());
    }

    @Test
    void podWithoutOwner_isSelectedByNothing() {
        Workload workload = MANY.workloads().get(5);
        Pod pod = Spread.DEFAULTS_WITHOUT_OWNER.of(workload);
        assertEquals(workload.namespace(), pod.getMetadata().getNamespace());
        assertEquals(0, pod.getMetadata().getOwnerReferencesCount());
        assertEquals(Map.of("run", workload.name()), pod.getMetadata().getLabelsMap());
        assertEquals(0, pod.getSpec().getTopologySpreadConstraintsCount());
    }

    @Test
    void in_refusesAClusterWithoutWorkloads() {
        ClusterGenerator empty = new ClusterGenerator(ClusterShape.of(1, 10, 0));
        String problem = assertThrows(IllegalArgumentException.class, () -> Spread.HARD_ZONE.in(empty))
                .getMessage();
        assertEquals("pods must be at least 1, was 0: an incoming pod is a replica of a workload", problem);
    }
}
