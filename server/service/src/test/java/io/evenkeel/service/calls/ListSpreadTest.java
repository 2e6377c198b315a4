package io.evenkeel.service.calls;

import static io.evenkeel.placement.Messages.HOSTNAME;
import static io.evenkeel.placement.Messages.NAMESPACE;
import static io.evenkeel.placement.Messages.ZONE;
import static io.evenkeel.placement.Messages.apply;
import static io.evenkeel.placement.Messages.constraint;
import static io.evenkeel.placement.Messages.deleted;
import static io.evenkeel.placement.Messages.event;
import static io.evenkeel.placement.Messages.hard;
import static io.evenkeel.placement.Messages.node;
import static io.evenkeel.placement.Messages.object;
import static io.evenkeel.placement.Messages.pod;
import static io.evenkeel.placement.Messages.soft;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.evenkeel.client.ClusterObjects;
import io.evenkeel.placement.InstanceOptions;
import io.evenkeel.placement.call.Limits;
import io.evenkeel.placement.change.SyncSession;
import io.evenkeel.service.TestServer;
import io.evenkeel.v1.ApplyRequest;
import io.evenkeel.v1.BeginSnapshot;
import io.evenkeel.v1.ChangeSessionRequest;
import io.evenkeel.v1.ClusterEvent;
import io.evenkeel.v1.ConstraintSpread;
import io.evenkeel.v1.DomainSpread;
import io.evenkeel.v1.EndSnapshot;
import io.evenkeel.v1.Events;
import io.evenkeel.v1.Freshness;
import io.evenkeel.v1.KindVersion;
import io.evenkeel.v1.ListSpreadRequest;
import io.evenkeel.v1.ListSpreadResponse;
import io.evenkeel.v1.MovePod;
import io.evenkeel.v1.ObjectKind;
import io.evenkeel.v1.ObjectMeta;
import io.evenkeel.v1.Objects;
import io.evenkeel.v1.OpenSessionRequest;
import io.evenkeel.v1.OwnerReference;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.PodReference;
import io.evenkeel.v1.Service;
import io.evenkeel.v1.ServiceSpec;
import io.evenkeel.v1.SessionOperation;
import io.evenkeel.v1.SimulationGrpc;
import io.evenkeel.v1.SpreadOrder;
import io.evenkeel.v1.SyncRequest;
import io.evenkeel.v1.TemplateSpread;
import io.evenkeel.v1.TopologySpreadConstraint;
import io.evenkeel.v1.WorkloadReference;
import io.evenkeel.v1.WorkloadSpread;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests ListSpread through a real server. */
final class ListSpreadTest {
    private final TestServer server = TestServer.start();

    @AfterEach
    void stop() {
        server.close();
    }

    // ---- objects: zones a and b with the nodes a1, a2 and b1

    private void feedNodes() {
        server.clusterState.apply(
                apply(List.of(object(node("a1", "a")), object(node("a2", "a")), object(node("b1", "b")))));
    }

    private void feed(Pod... pods) {
        List<Pod> all = List.of(pods);
        server.clusterState.apply(apply(all.stream().map(each -> object(each)).toList()));
    }

    /**
     * A pod of a revision of the Deployment of that name, with its labels {@code app} and {@code pod-template-hash}.
     */
    private static Pod of(
            String deployment, String revision, int number, String node, TopologySpreadConstraint... constraints) {
        Pod.Builder pod = pod(deployment + "-" + revision + "-" + number, node).toBuilder();
        pod.getMetadataBuilder()
                .putLabels("app", deployment)
                .putLabels("pod-template-hash", revision)
                .addOwnerReferences(OwnerReference.newBuilder()
                        .setApiVersion("apps/v1")
                        .setKind("ReplicaSet")
                        .setName(deployment + "-" + revision)
                        .setController(true));
        pod.getSpecBuilder().addAllTopologySpreadConstraints(List.of(constraints));
        return pod.build();
    }

    private ListSpreadResponse list(ListSpreadRequest.Builder request) {
        return server.placement.listSpread(request.build());
    }

    private ListSpreadResponse list() {
        return list(ListSpreadRequest.newBuilder());
    }

    private static WorkloadReference deployment(String name) {
        return WorkloadReference.newBuilder()
                .setNamespace(NAMESPACE)
                .setKind("Deployment")
                .setName(name)
                .build();
    }

    private static List<String> names(ListSpreadResponse response) {
        return response.getWorkloadsList().stream()
                .map(each -> each.getWorkload().getName())
                .toList();
    }

    /** Its minimum, maximum, skew, excess, and its own and other pods. */
    private static List<Long> figures(ConstraintSpread constraint) {
        return List.of(
                constraint.getGlobalMinimum(),
                constraint.getMaximum(),
                constraint.getSkew(),
                constraint.getExcessPodCount(),
                constraint.getOwnPodCount(),
                constraint.getOtherPodCount());
    }

    // ---- counts

    @Test
    void skewOfAConstraint_isThatOfTheClusterAsItIs_andOthersAreCountedApart() {
        feedNodes();
        feed(
                of("web", "1", 1, "a1", hard(ZONE)),
                of("web", "1", 2, "a1", hard(ZONE)),
                of("web", "1", 3, "a2", hard(ZONE)),
                of("web", "1", 4, "", hard(ZONE)),
                pod("bare", "a2"),
                pod("other", "b1"));

        WorkloadSpread workload = list().getWorkloads(0);

        assertEquals(deployment("web"), workload.getWorkload());
        assertEquals(4, workload.getPodCount());
        assertEquals(1, workload.getPendingPodCount());
        assertTrue(workload.getHardViolated());
        assertFalse(workload.getSoftViolated());
        assertEquals(3, workload.getSkew());
        ConstraintSpread constraint = workload.getTemplates(0).getConstraints(0);
        assertEquals(List.of(1L, 4L, 3L, 2L, 3L, 2L), figures(constraint));
        assertTrue(constraint.getViolated());
        assertEquals("app=web", constraint.getEffectiveSelector());
        assertEquals(2, constraint.getEligibleDomainCount());
        assertEquals(List.of(), constraint.getDomainsList());
    }

    @Test
    void tooFewDomains_makeTheMinimum0() {
        feedNodes();
        TopologySpreadConstraint three = hard(ZONE).toBuilder().setMinDomains(3).build();
        feed(of("web", "1", 1, "a1", three), of("web", "1", 2, "b1", three));
        assertEquals(
                List.of(0L, 1L, 1L, 0L, 2L, 0L),
                figures(list().getWorkloads(0).getTemplates(0).getConstraints(0)));
    }

    @Test
    void revisions_countOnlyTheirOwnPods_ifTheirHashIsAMatchLabelKey() {
        feedNodes();
        TopologySpreadConstraint perRevision =
                soft(ZONE).toBuilder().addMatchLabelKeys("pod-template-hash").build();
        feed(
                of("web", "1", 1, "a1", perRevision),
                of("web", "1", 2, "b1", perRevision),
                of("web", "2", 1, "a1", perRevision),
                of("web", "2", 2, "a2", perRevision));

        WorkloadSpread workload = list().getWorkloads(0);

        assertEquals(
                List.of("1", "2"),
                workload.getTemplatesList().stream()
                        .map(TemplateSpread::getRevision)
                        .sorted()
                        .toList());
        for (TemplateSpread template : workload.getTemplatesList()) {
            assertEquals(2, template.getPodCount());
            assertEquals(
                    template.getRevision().equals("1")
                            ? List.of(1L, 1L, 0L, 0L, 2L, 0L)
                            : List.of(0L, 2L, 2L, 1L, 2L, 0L),
                    figures(template.getConstraints(0)));
        }
        assertTrue(workload.getSoftViolated());
    }

    @Test
    void workloadsWithoutConstraints_areJudgedByZoneAndHostname_ifTheyHaveSeveralPods() {
        feedNodes();
        feed(of("two", "1", 1, "a1"), of("two", "1", 2, "a2"), of("one", "1", 1, "a1"), pod("bare", "a1"));

        ListSpreadResponse response = list();

        assertEquals(List.of("two"), names(response));
        WorkloadSpread workload = response.getWorkloads(0);
        assertEquals(2, workload.getSkew());
        assertFalse(workload.getHardViolated() || workload.getSoftViolated());
        List<ConstraintSpread> spread = workload.getTemplates(0).getConstraintsList();
        assertEquals(ZONE, spread.get(0).getTopologyKey());
        assertEquals(List.of(0L, 2L, 2L, 0L, 2L, 0L), figures(spread.get(0)));
        assertEquals(HOSTNAME, spread.get(1).getTopologyKey());
        assertEquals(List.of(0L, 1L, 1L, 0L, 2L, 0L), figures(spread.get(1)));
        assertEquals("", spread.get(1).getWhenUnsatisfiable());
    }

    @Test
    void domains_areListed_fullestFirst_forWorkloadsThatAreNamed() {
        feedNodes();
        feed(of("web", "1", 1, "b1", hard(ZONE)), of("web", "1", 2, "b1", hard(ZONE)), of("api", "1", 1, "a1"));

        ListSpreadResponse response = list(
                ListSpreadRequest.newBuilder().addWorkloads(deployment("web")).setIncludeDomains(true));

        assertEquals(List.of("web"), names(response));
        assertEquals(
                List.of(domain("b", 2), domain("a", 0)),
                response.getWorkloads(0).getTemplates(0).getConstraints(0).getDomainsList());
    }

    private static DomainSpread domain(String value, long pods) {
        return DomainSpread.newBuilder().setValue(value).setPodCount(pods).build();
    }

    @Test
    void daemonSet_isListedOnlyIfItHasConstraintsThatCountOtherNodes() {
        feedNodes();
        TopologySpreadConstraint ofAllNodes =
                hard(ZONE).toBuilder().setNodeAffinityPolicy("Ignore").build();
        feed(daemon("logs", 1), daemon("agent", 2, hard(ZONE), ofAllNodes), daemon("agent", 3, hard(ZONE), ofAllNodes));
        feed(daemon("logs", 4, hard(ZONE)), daemon("logs", 5, hard(ZONE)));
        ListSpreadResponse response = list();
        assertEquals(List.of("agent"), names(response));
        TemplateSpread template = response.getWorkloads(0).getTemplates(0);
        assertEquals(1, template.getConstraintsCount());
        assertEquals(1, template.getConstraints(0).getIndex());
    }

    private static Pod daemon(String name, int number, TopologySpreadConstraint... constraints) {
        Pod.Builder pod = of(name, "1", number, "a1", constraints).toBuilder();
        pod.getMetadataBuilder()
                .getOwnerReferencesBuilder(0)
                .setKind("DaemonSet")
                .setName(name);
        return pod.build();
    }

    @Test
    void staticPods_belongToNoWorkload() {
        feedNodes();
        List<Pod> pods = new ArrayList<>();
        pods.add(of("web", "1", 1, "a1", hard(ZONE)));
        for (int i = 2; i < 4; i++) {
            Pod.Builder pod = of("web", "1", i, "a1").toBuilder();
            pod.getMetadataBuilder()
                    .getOwnerReferencesBuilder(0)
                    .setApiVersion("v1")
                    .setKind("Node")
                    .setName("a1");
            pods.add(pod.build());
        }
        feed(pods.toArray(Pod[]::new));

        ListSpreadResponse response = list();

        assertEquals(List.of("web"), names(response));
        assertEquals(
                List.of(0L, 3L, 3L, 2L, 1L, 2L),
                figures(response.getWorkloads(0).getTemplates(0).getConstraints(0)));
    }

    // ---- lists

    /** Hard and soft violations, a skew without constraint, and an even workload. */
    private void feedFour() {
        feedNodes();
        TopologySpreadConstraint own = hard(ZONE).toBuilder()
                .setLabelSelector(hard(ZONE).getLabelSelector().toBuilder().putMatchLabels("app", "hard"))
                .build();
        TopologySpreadConstraint softOwn = constraint(ZONE, 1, "ScheduleAnyway").toBuilder()
                .setLabelSelector(hard(ZONE).getLabelSelector().toBuilder().putMatchLabels("app", "soft"))
                .build();
        List<Pod> pods = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            pods.add(of("free", "1", i, "a1"));
            pods.add(of("even", "1", i, i < 2 ? "a1" : "b1"));
        }
        for (int i = 0; i < 3; i++) {
            pods.add(of("soft", "1", i, "b1", softOwn));
        }
        pods.add(of("hard", "1", 0, "b1", own));
        pods.add(of("hard", "1", 1, "b1", own));
        feed(pods.toArray(Pod[]::new));
    }

    @Test
    void worstWorkloads_comeFirst_unlessTheyAreSortedByName() {
        feedFour();
        assertEquals(List.of("hard", "soft", "free", "even"), names(list()));
        assertEquals(
                List.of("even", "free", "hard", "soft"),
                names(list(ListSpreadRequest.newBuilder().setOrder(SpreadOrder.SPREAD_ORDER_NAME))));
    }

    @Test
    void conditions_selectWorkloads() {
        feedFour();
        assertEquals(
                List.of("hard", "soft"),
                names(list(ListSpreadRequest.newBuilder().setViolatedOnly(true))));
        assertEquals(
                List.of("soft", "free"),
                names(list(ListSpreadRequest.newBuilder().setMinSkew(3))));
        assertEquals(
                List.of("free"),
                names(list(ListSpreadRequest.newBuilder()
                        .addNamespaces(NAMESPACE)
                        .addWorkloads(deployment("free"))
                        .addWorkloads(deployment("no such")))));
    }

    @Test
    void pages_continueWhereTheLastOneEnded_andStayAtItsRevision() {
        feedFour();
        ListSpreadRequest.Builder request = ListSpreadRequest.newBuilder().setPageSize(3);
        ListSpreadResponse first = list(request);
        assertEquals(List.of("hard", "soft", "free"), names(first));
        feed(pod("news", "a1"));

        ListSpreadResponse second = list(request.setPageToken(first.getNextPageToken()));
        assertEquals(first.getRevision(), second.getRevision());
        assertEquals(List.of("even"), names(second));
        assertEquals("", second.getNextPageToken());

        // A list of the new state replaces the one before; the page continues in it.
        assertNotEquals(first.getRevision(), list().getRevision());
        assertEquals(List.of("even"), names(list(request)));
    }

    @Test
    void pageToken_isRefused_withOtherFieldsThanThoseOfItsPage() {
        feedFour();
        ListSpreadRequest request =
                ListSpreadRequest.newBuilder().setPageSize(1).build();
        String token = list(request.toBuilder()).getNextPageToken();
        assertEquals(List.of("soft"), names(list(request.toBuilder().setPageToken(token))));
        for (ListSpreadRequest.Builder other : List.of(
                request.toBuilder().setOrder(SpreadOrder.SPREAD_ORDER_NAME),
                request.toBuilder().setMinSkew(1),
                request.toBuilder().setViolatedOnly(true),
                request.toBuilder().addNamespaces(NAMESPACE),
                request.toBuilder().addWorkloads(deployment("web")),
                request.toBuilder().setPageSize(2))) {
            list(other);
            assertRefused("pageToken", other.setPageToken(token));
        }
    }

    @Test
    void answer_isKept_untilTheStateChanges() {
        feedFour();
        ListSpreadResponse before = list();
        assertEquals(before, list());
        server.clusterState.apply(ApplyRequest.newBuilder()
                .addEvents(deleted(object(of("hard", "1", 0, "b1"))))
                .build());
        ListSpreadResponse after = list();
        assertNotEquals(before.getRevision(), after.getRevision());
        assertEquals(List.of("soft", "free", "even", "hard"), names(after));
    }

    @Test
    void keptAnswer_meetsTheDemand_thatABookmarkMeets() {
        feedNodes();
        SyncSession feed = server.server.instance().clusterState().sync();
        feed.handle(SyncRequest.newBuilder()
                .setBeginSnapshot(BeginSnapshot.newBuilder().addKinds(ObjectKind.OBJECT_KIND_POD))
                .build());
        feed.handle(SyncRequest.newBuilder()
                .setObjects(Objects.newBuilder().addObjects(object(of("web", "1", 1, "a1", hard(ZONE)))))
                .build());
        feed.handle(SyncRequest.newBuilder()
                .setEndSnapshot(EndSnapshot.newBuilder().addKinds(version("5")))
                .build());
        ListSpreadResponse before = list();
        ClusterEvent bookmark = event(
                ClusterEvent.Type.TYPE_BOOKMARK,
                object(Pod.newBuilder()
                        .setMetadata(ObjectMeta.newBuilder().setResourceVersion("7"))
                        .build()));
        feed.handle(SyncRequest.newBuilder()
                .setEvents(Events.newBuilder().addEvents(bookmark))
                .build());
        KindVersion wanted = version("7");
        ListSpreadResponse after = list(ListSpreadRequest.newBuilder()
                .setFreshness(Freshness.newBuilder().addResourceVersions(wanted).setIncludeResourceVersions(true)));
        assertEquals(before, after.toBuilder().clearResourceVersions().build());
        assertTrue(after.getResourceVersionsCount() > 0, after::toString);
    }

    private static KindVersion version(String version) {
        return KindVersion.newBuilder()
                .setKind(ObjectKind.OBJECT_KIND_POD)
                .setResourceVersion(version)
                .build();
    }

    @Test
    void keptReadings_areNotUsed_afterAServiceComes() {
        feedNodes();
        feed(of("two", "1", 1, "a1"), of("two", "1", 2, "a2"));
        assertFalse(list().getWorkloads(0).getTemplates(0).getDefaultConstraints());
        server.clusterState.apply(apply(List.of(ClusterObjects.of(Service.newBuilder()
                .setMetadata(ObjectMeta.newBuilder()
                        .setNamespace(NAMESPACE)
                        .setName("two")
                        .setUid("service")
                        .setResourceVersion("1"))
                .setSpec(ServiceSpec.newBuilder().putSelector("app", "two"))
                .build()))));
        TemplateSpread template = list().getWorkloads(0).getTemplates(0);
        assertTrue(template.getDefaultConstraints());
        assertEquals("app=two", template.getConstraints(0).getEffectiveSelector());
    }

    @Test
    void podThatReplacesATerminatingOne_isListed() {
        feedNodes();
        Pod.Builder terminating = of("web", "1", 1, "a1", hard(ZONE)).toBuilder();
        terminating.getMetadataBuilder().getDeletionTimestampBuilder().setSeconds(1);
        feed(terminating.build(), of("api", "1", 1, "a1", hard(ZONE)));
        assertEquals(List.of("api"), names(list()));
        feed(of("web", "1", 2, "b1", hard(ZONE)));
        assertEquals(List.of("api", "web"), names(list()));
    }

    @Test
    void sessions_areAsked() {
        feedFour();
        SimulationGrpc.SimulationBlockingStub simulation = SimulationGrpc.newBlockingStub(server.channel);
        String session =
                simulation.openSession(OpenSessionRequest.getDefaultInstance()).getSession();
        simulation.changeSession(ChangeSessionRequest.newBuilder()
                .setSession(session)
                .addOperations(SessionOperation.newBuilder()
                        .setMovePod(MovePod.newBuilder()
                                .setPod(PodReference.newBuilder().setUid("hard-1-0"))
                                .setNode("a2")))
                .build());
        ListSpreadResponse response = list(ListSpreadRequest.newBuilder().setSession(session));
        assertEquals(session, response.getRevision().getSession());
        assertEquals(List.of("soft", "free", "even", "hard"), names(response));
        assertEquals(List.of("hard", "soft", "free", "even"), names(list()));
    }

    // ---- bad input

    @Test
    void invalidFields_areNamed() {
        feedFour();
        assertRefused(
                "namespaces[1]",
                ListSpreadRequest.newBuilder().addNamespaces(NAMESPACE).addNamespaces("none"));
        assertRefused("namespaces[0]", ListSpreadRequest.newBuilder().addNamespaces(""));
        assertRefused("pageSize", ListSpreadRequest.newBuilder().setPageSize(-1));
        assertRefused("pageToken", ListSpreadRequest.newBuilder().setPageToken("no token"));
        assertRefused("pageToken", ListSpreadRequest.newBuilder().setPageToken("AAAA"));
        assertRefused("minSkew", ListSpreadRequest.newBuilder().setMinSkew(-1));
        assertRefused("order", ListSpreadRequest.newBuilder().setOrderValue(99));
        assertRefused("includeDomains", ListSpreadRequest.newBuilder().setIncludeDomains(true));
        assertRefused(
                "workloads[0]",
                ListSpreadRequest.newBuilder()
                        .addWorkloads(deployment("web").toBuilder().clearKind()));
    }

    private void assertRefused(String field, ListSpreadRequest.Builder request) {
        TestServer.assertRefused(field, () -> list(request));
    }

    @Test
    void domains_ofTooManyWorkloadsTogether_areRefused() {
        try (TestServer small = TestServer.start(InstanceOptions.standard()
                .withLimits(Limits.builder().responseBytes(1_000).build()))) {
            for (int i = 0; i < 10; i++) {
                small.clusterState.apply(apply(List.of(object(node("n" + i, "a")))));
            }
            small.clusterState.apply(apply(List.of(
                    object(of("web", "1", 1, "n1", hard(HOSTNAME))), object(of("api", "1", 1, "n1", hard(HOSTNAME))))));
            ListSpreadRequest.Builder request = ListSpreadRequest.newBuilder()
                    .addWorkloads(deployment("web"))
                    .setIncludeDomains(true);
            WorkloadSpread web = small.placement.listSpread(request.build()).getWorkloads(0);
            assertEquals(10, web.getTemplates(0).getConstraints(0).getDomainsCount());
            request.addWorkloads(deployment("api"));
            TestServer.assertRefused("includeDomains", () -> small.placement.listSpread(request.build()));
        }
    }

    @Test
    void pages_continue_afterAWorkloadWithALongName() {
        feedNodes();
        String name = "a".repeat(5_000);
        Pod.Builder first = of("web", "1", 1, "a1", hard(ZONE)).toBuilder();
        first.getMetadataBuilder().getOwnerReferencesBuilder(0).setKind("App").setName(name);
        feed(first.build(), of("web", "1", 2, "a1", hard(ZONE)));
        ListSpreadRequest.Builder request =
                ListSpreadRequest.newBuilder().setPageSize(1).setOrder(SpreadOrder.SPREAD_ORDER_NAME);
        ListSpreadResponse page = list(request);
        assertEquals(List.of(name), names(page));
        assertEquals(List.of("web"), names(list(request.setPageToken(page.getNextPageToken()))));
    }

    @Test
    void workloadThatIsLargerThanAnAnswer_isRefused() {
        try (TestServer small = TestServer.start(InstanceOptions.standard()
                .withLimits(Limits.builder().responseBytes(50).build()))) {
            small.clusterState.apply(apply(List.of(
                    object(node("a1", "a")), object(of("web", "1", 1, "a1")), object(of("web", "1", 2, "a1")))));
            TestServer.assertRefused(
                    "includeDomains", () -> small.placement.listSpread(ListSpreadRequest.getDefaultInstance()));
        }
    }
}
