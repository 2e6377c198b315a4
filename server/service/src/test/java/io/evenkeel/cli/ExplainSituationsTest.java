package io.evenkeel.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.util.JsonFormat;
import io.evenkeel.v1.Advice;
import io.evenkeel.v1.CountedPods;
import io.evenkeel.v1.CountedPods.Relation;
import io.evenkeel.v1.ExplainResponse;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Asks about situations that people reported, rebuilt with few objects. */
final class ExplainSituationsTest {
    private static final Path FILES = Path.of("src/test/resources/situations");
    private static final String CONSTRAINT = "spec.topologySpreadConstraints[0].";

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private static Path directory;

    private static String file(String name) {
        return FILES.resolve(name).toString();
    }

    private static Run run(String command, String cluster, String... question) {
        List<String> arguments = new ArrayList<>(List.of(command, "--cluster", cluster));
        arguments.addAll(Arrays.asList(question));
        return Run.of(arguments.toArray(String[]::new));
    }

    private static ExplainResponse explained(String cluster, String... question) throws InvalidProtocolBufferException {
        List<String> arguments = new ArrayList<>(Arrays.asList(question));
        arguments.addAll(List.of("-o", "json"));
        Run run = run("explain", cluster, arguments.toArray(String[]::new));
        assertEquals(0, run.exitCode(), run.err());
        ExplainResponse.Builder response = ExplainResponse.newBuilder();
        JsonFormat.parser().merge(run.out(), response);
        return response.build();
    }

    private static CountedPods counted(Relation relation, String kind, String name, String revision, int pods) {
        return CountedPods.newBuilder()
                .setRelation(relation)
                .setKind(kind)
                .setName(name)
                .setRevision(revision)
                .setPodCount(pods)
                .build();
    }

    private static List<CountedPods> counted(ExplainResponse response) {
        return response.getConstraints(0).getCountedList().stream()
                .map(each -> each.toBuilder().clearLabels().build())
                .toList();
    }

    private static List<String> advised(ExplainResponse response) {
        return response.getAdviceList().stream()
                .map(Advice::getField)
                .map(field -> field.replace(CONSTRAINT, ""))
                .toList();
    }

    @Test
    void rollout_countsTheOtherRevision_andIsAdvisedThoughANodeIsLeft() throws IOException {
        ExplainResponse response = explained(file("rollout.json"), "--pod", file("rollout-deployment.yaml"));
        assertEquals(1, response.getPassedCount());
        assertEquals(
                List.of(counted(Relation.RELATION_OTHER_REVISION, "Deployment", "app1", "aaa", 5)), counted(response));
        assertEquals(List.of("matchLabelKeys"), advised(response));
    }

    @Test
    void owners_areKnown_ifThePodsHaveConstraintsThemselves() throws IOException {
        String constrained = Files.readString(Path.of(file("rollout.json")))
                .replace(
                        "\"nodeName\"",
                        "\"topologySpreadConstraints\": [{\"maxSkew\": 1, \"topologyKey\": \"kubernetes.io/hostname\","
                                + " \"whenUnsatisfiable\": \"DoNotSchedule\"}], \"nodeName\"")
                .replace("\"ReplicaSet\", \"name\": \"app1-aaa\"", "\"DaemonSet\", \"name\": \"agent\"");
        Path cluster = Files.writeString(directory.resolve("constrained.json"), constrained);
        ExplainResponse response = explained(cluster.toString(), "--pod", file("rollout-deployment.yaml"));
        assertEquals(5, response.getConstraints(0).getCounted(0).getPodCount());
        assertFalse(response.getConstraints(0).getCounted(0).getName().isEmpty());
    }

    @Test
    void singleEligibleDomain_isReported_withMinDomains() throws IOException {
        ExplainResponse response = explained(file("one-zone.json"), "--pod", file("one-zone-deployment.yaml"));
        assertEquals(1, response.getPassedCount());
        assertEquals(List.of("minDomains"), advised(response));
    }

    /** With matchLabelKeys, one pod would be placed, and the next one would be pending again. */
    @Test
    void advice_thatHelpsOnePodOnly_isNotGiven() throws IOException {
        ExplainResponse response = explained(file("one-zone.json"), "--pod", file("one-zone-min-domains.yaml"));
        assertEquals(0, response.getPassedCount());
        assertFalse(advised(response).contains("matchLabelKeys"));
        Run text = run("explain", file("one-zone.json"), "--pod", file("one-zone-min-domains.yaml"));
        assertFalse(text.out().contains("lowest maxSkew"), text.out());

        ExplainResponse stranded = explained(file("stranded-replica.json"), "new-1");
        assertEquals(List.of(counted(Relation.RELATION_SAME_REVISION, "", "", "n", 1)), counted(stranded));
        assertFalse(advised(stranded).contains("matchLabelKeys"));
    }

    @Test
    void otherWorkload_isNamed_andNoAdviceIsAboutRevisions() throws IOException {
        ExplainResponse response = explained(file("canary.json"), "main-1");
        assertEquals(
                List.of(counted(Relation.RELATION_OTHER_WORKLOAD, "Deployment", "canary", "k", 3)), counted(response));
        assertTrue(advised(response).contains("labelSelector"));
        assertFalse(advised(response).contains("matchLabelKeys"));
    }

    @Test
    void podsWithoutOwner_areDistinguishedByTheLabelsOfTheSelector() throws IOException {
        List<CountedPods> counted = explained(file("shared-selector.json"), "osd-2")
                .getConstraints(0)
                .getCountedList();
        assertEquals(
                List.of("app=osd-prepare", "app=osd"),
                counted.stream().map(CountedPods::getLabels).toList());
        assertTrue(counted.stream().allMatch(each -> each.getRelation() == Relation.RELATION_NO_OWNER));
    }

    @Test
    void minimum_isNotInsteadOfItself() {
        Run run = run("explain", file("first-pod.json"), "ngx-1");
        assertEquals("1/1 nodes are available.", run.lines().get(1));
        assertTrue(run.out().contains("Global minimum 0: only 1 eligible domain"), run.out());
        assertFalse(run.out().contains("1 of the 1"), run.out());
    }

    @Test
    void nodes_canBeRemovedForAQuestion() throws IOException {
        String cluster = file("scale-down.json");
        ExplainResponse response =
                explained(cluster, "kube-system/dns-5", "--without-node", "n5", "--without-node", "n4");
        assertEquals(3, response.getCandidateCount());
        assertEquals(3, response.getPassedCount());
        assertEquals(3, response.getConstraints(0).getDomainCount());
        Run unknown = run("place", cluster, "kube-system/dns-5", "--without-node", "n9");
        assertEquals(ExitCodes.NOT_DONE, unknown.exitCode());
        assertTrue(unknown.err().contains("n9"), unknown.err());
    }

    @ParameterizedTest
    @ValueSource(strings = {"explain", "place"})
    void placedPod_alwaysShowsItsOwnNode(String command) throws IOException {
        String cluster = file("placed-among-many.json");
        Run run = run(command, cluster, "--rows", "3", "sandbox/st-x");
        assertTrue(run.lines().stream().anyMatch(line -> line.startsWith("  rack1-01 ")), run.out());
        ExplainResponse response = explained(cluster, "sandbox/st-x");
        assertEquals("rack1-01", response.getOwnNode().getName());
        int margin = response.getVerdicts(0).getScore() - response.getOwnNode().getScore();
        assertTrue(run.out().contains(margin + " below the best"), run.out());
    }

    @Test
    void placedPod_hasTheScoresOfAPendingOne() throws IOException {
        String placed = Files.readString(Path.of(file("placed-among-many.json")));
        Path pending = Files.writeString(
                directory.resolve("pending.json"),
                placed.replaceFirst("(?s)(.*\\]),\\s*\"nodeName\": \"rack1-01\"", "$1"));
        ExplainResponse asked = explained(pending.toString(), "sandbox/st-x");
        assertFalse(asked.hasOwnNode());
        assertEquals(
                explained(file("placed-among-many.json"), "sandbox/st-x").getVerdictsList(), asked.getVerdictsList());
    }

    @Test
    void daemonPod_isJudgedOnItsNodeAlone_withoutAdviceAboutOtherDomains() throws IOException {
        ExplainResponse response = explained(file("daemon-pod.json"), "agent-x");
        assertEquals(1, response.getPassedCount());
        assertEquals("b", response.getVerdicts(0).getName());
        assertEquals(List.of("spec.topologySpreadConstraints[0]"), advised(response));
        assertTrue(response.getAdvice(0).getMessage().contains("DaemonSet"), response::toString);
    }

    /** Its pods count only their own nodes, so no skew excludes one. */
    @ParameterizedTest
    @CsvSource({"Honor, 2, spec.topologySpreadConstraints[0]", "Ignore, 1,"})
    void daemonSet_isJudgedOnEachNodeForItsOwnPod(String policy, int passed, @Nullable String advised)
            throws IOException {
        String pods = Files.readString(Path.of(file("daemon-pod.json")));
        String ofDaemonSet = pods.substring(
                pods.indexOf("\"ownerReferences\""), pods.indexOf("]", pods.indexOf("\"ownerReferences\"")) + 1);
        Path cluster = Files.writeString(
                directory.resolve("daemon-pods.json"),
                pods.replaceFirst(
                        "\"app\": \"agent\"\\s*}",
                        "\"app\": \"agent\", \"controller-revision-hash\": \"old\"}, " + ofDaemonSet));
        Path manifest = Files.writeString(directory.resolve("daemons.yaml"), """
                apiVersion: apps/v1
                kind: DaemonSet
                metadata: {name: agent}
                spec:
                  selector: {matchLabels: {app: agent}}
                  template:
                    metadata: {name: ignored, labels: {app: agent}}
                    spec:
                      containers: [{name: c, image: x}]
                      topologySpreadConstraints:
                      - maxSkew: 1
                        topologyKey: topology.kubernetes.io/zone
                        whenUnsatisfiable: DoNotSchedule
                        nodeAffinityPolicy: %s
                        labelSelector: {matchLabels: {app: agent}}
                """.formatted(policy));
        ExplainResponse response = explained(cluster.toString(), "--pod", manifest.toString());
        assertEquals(passed, response.getPassedCount());
        assertEquals(advised == null ? List.of() : List.of(advised), advised(response));
        assertEquals(
                Relation.RELATION_OTHER_REVISION,
                response.getConstraints(0).getCounted(0).getRelation());
        assertEquals(1, response.getConstraints(0).getConstraint().getMaxSkew());
        Run placed = run("place", cluster.toString(), "--pod", manifest.toString());
        assertTrue(placed.out().contains(passed + "/2 nodes are available"), placed.out());
    }

    /** Also if its UID was removed, as kubectl-neat does. */
    @ParameterizedTest
    @ValueSource(strings = {"\"uid\": \"p-default-web-2\",", ""})
    void placedPod_isJudgedTheSame_byItsNameAndFromItsFile(String uid) throws IOException {
        String cluster = file("pod-in-cluster.json");
        Run byName = run("explain", cluster, "web-2");
        assertTrue(byName.out().contains("Its own node b would still pass."), byName.out());
        String pod = Files.readString(Path.of(file("pod-of-cluster.json")));
        Path own = Files.writeString(directory.resolve("own.json"), pod.replace("\"uid\": \"p-default-web-2\",", uid));
        assertEquals(byName, run("explain", cluster, "--pod", own.toString()));
        assertEquals(byName, run("explain", cluster, "--pod", cluster, "--workload", "Pod/web-2"));
        Run listed = run("explain", cluster, "--pod", file("pod-list.json"));
        assertEquals("2/2 nodes are available.", listed.lines().get(1));
    }

    @Test
    void placedPod_showsWhyItsNodeWouldNotPass() {
        Run skewed = run("explain", file("placed-in-violation.json"), "h-2");
        assertTrue(skewed.lines().get(3).startsWith("Its own node rack2-14 would not pass: "), skewed.out());
        Run tainted = run("explain", file("scale-down-taint.json"), "kube-system/dns-5");
        assertTrue(tainted.lines().get(3).contains("taint ToBeDeletedByClusterAutoscaler=1"), tainted.out());
        Run gone = run("explain", file("scale-down-done.json"), "kube-system/dns-5");
        assertEquals("4/4 nodes are available.", gone.lines().get(1));
        assertTrue(gone.err().contains("1 pod is bound to nodes that the input lacks (n5)"), gone.err());
    }

    @Test
    void rollout_withMatchLabelKeys_isNotAdvised() throws IOException {
        ExplainResponse uneven = explained(file("rollout-uneven.json"), "--pod", file("rollout-deployment.yaml"));
        assertEquals(List.of("matchLabelKeys"), advised(uneven));
        ExplainResponse followed =
                explained(file("rollout-uneven.json"), "--pod", file("rollout-match-label-keys.yaml"));
        assertEquals(3, followed.getPassedCount());
        assertEquals(List.of(), advised(followed));
    }

    @Test
    void unmetMinDomains_areNamed_forTheSecondPod() throws IOException {
        ExplainResponse response = explained(file("second-pod.json"), "ngx-1");
        assertEquals(0, response.getPassedCount());
        assertEquals(List.of("minDomains", "minDomains"), advised(response));
    }

    @Test
    void gates_comeFirst() {
        Run run = run("explain", file("gated.json"), "g");
        assertTrue(run.lines().get(1).contains("kueue.x-k8s.io/admission"), run.out());
    }

    @Test
    void schedulersMessage_isComparedWithTheAnswer() {
        Run run = run("explain", file("condition.json"), "stuck");
        assertTrue(run.out().contains("PodScheduled condition: 0/2 nodes are available"), run.out());
        assertTrue(run.out().contains("differs from the answer here in: 1 Insufficient cpu"), run.out());
    }

    @ParameterizedTest
    @ValueSource(strings = {"Rollout/web", "Service/kn", "DaemonSet/ds"})
    void kindsWithAPodTemplate_areJudgedByIt(String workload) {
        Run byFile = run("place", file("condition.json"), "--pod", file("kinds.yaml"), "--workload", workload);
        Run byName = run("place", file("condition.json"), "--cluster", file("kinds.yaml"), workload);
        assertEquals(0, byFile.exitCode(), byFile.err());
        assertEquals(byFile.out(), byName.out());
        assertEquals(
                workload.startsWith("DaemonSet"), byName.out().contains("A DaemonSet creates a pod for each node"));
    }

    @Test
    void workloadOfTheCluster_hasItsCurrentRevision_ifTheReplicaSetShowsIt() throws IOException {
        String deployment = Files.readString(Path.of(file("rollout-deployment.yaml")));
        Path current = Files.writeString(
                directory.resolve("current.yaml"),
                deployment.substring(0, deployment.indexOf("      topologySpreadConstraints:")));
        Run run = run("explain", file("rollout.json"), "--cluster", current.toString(), "shop/Deployment/app1");
        assertEquals(
                "Pod shop/app1-* (from the template of a Deployment)",
                run.lines().get(0),
                run.err());
        Run next = run(
                "place",
                file("rollout.json"),
                "--cluster",
                file("rollout-deployment.yaml"),
                "-n",
                "shop",
                "Deployment/app1");
        assertTrue(next.lines().get(0).contains("next revision"), next.out());
        Path broken = Files.writeString(directory.resolve("broken.yaml"), """
                kind: Deployment
                apiVersion: apps/v1
                metadata: {name: broken, namespace: shop}
                spec: {template: {topologySpreadConstraints: [], spec: {containers: [{name: web}]}}}
                """);
        assertEquals(
                run.out(),
                run(
                                "explain",
                                file("rollout.json"),
                                "--cluster",
                                broken.toString(),
                                "--cluster",
                                current.toString(),
                                "shop/Deployment/app1")
                        .out());
        Run rejected = run("explain", file("rollout.json"), "--cluster", broken.toString(), "shop/Deployment/broken");
        assertEquals(ExitCodes.NOT_DONE, rejected.exitCode());
        assertTrue(rejected.err().contains("spec.template.topologySpreadConstraints: unknown field"), rejected.err());
        Run unknown = run("place", file("rollout.json"), "shop/Deployment/app2");
        assertEquals(ExitCodes.NOT_DONE, unknown.exitCode());
        assertTrue(unknown.err().contains("Deployment/app2"), unknown.err());
    }
}
