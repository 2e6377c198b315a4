package io.evenkeel.lab.kube;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import io.evenkeel.client.PlacementClient;
import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.lab.controlplane.ApiServer;
import io.evenkeel.lab.peer.PeerAnswer;
import io.evenkeel.lab.peer.PeerQuestion;
import io.evenkeel.lab.peer.PluginSide;
import io.evenkeel.loadtest.cluster.ClusterGenerator;
import io.evenkeel.loadtest.cluster.Spread;
import io.evenkeel.loadtest.local.Checkout;
import io.evenkeel.objects.KindMessages;
import io.evenkeel.v1.ClusterObject;
import io.evenkeel.v1.Freshness;
import io.evenkeel.v1.Pod;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

/** Answers of kube-scheduler's own plugin about the objects that an API server lists. */
final class PluginAnswers {
    private static final String PASSED = "Success";

    /** Why a node does not pass: the plugin's codes, and those of {@link VersionedAnswer}. */
    private static final Map<String, String> CODES =
            Map.of("Unschedulable", "UNSCHEDULABLE", "UnschedulableAndUnresolvable", "UNSCHEDULABLE_AND_UNRESOLVABLE");

    /** The kinds that the plugin's program reads, nodes first. Controllers of other kinds own no pods here. */
    private static final List<ObjectKind> KINDS =
            List.of(ObjectKind.NODE, ObjectKind.POD, ObjectKind.SERVICE, ObjectKind.REPLICA_SET);

    private static final Set<String> FINISHED = Set.of("Succeeded", "Failed");

    private final Map<PeerQuestion, Map<String, String>> answers = new LinkedHashMap<>();

    /**
     * Asks about a pod of each shape.
     *
     * @param generated the cluster whose objects the API server had at first
     * @param directory for the plugin's program
     */
    PluginAnswers(ApiServer server, ClusterGenerator generated, Path directory)
            throws IOException, InterruptedException {
        List<PeerQuestion> questions = Stream.of(Spread.values())
                .map(shape -> new PeerQuestion(shape, shape.in(generated), List.of(), 0))
                .toList();
        Path sources = Checkout.loadtest("peer/go.mod").resolve("peer");
        PrintWriter out = new PrintWriter(new OutputStreamWriter(System.out, StandardCharsets.UTF_8), true);
        Map<String, PeerAnswer> byName =
                new PluginSide(sources, directory, out).ask(listed(server).iterator(), questions, 1);
        for (PeerQuestion question : questions) {
            answers.put(question, values(Objects.requireNonNull(byName.get(question.name()))));
        }
    }

    /**
     * All objects, except finished pods and pods on nodes that are not listed. A scheduler's snapshot does not contain
     * these either.
     */
    private static List<ClusterObject> listed(ApiServer server) throws IOException {
        Set<String> nodes = new HashSet<>();
        List<ClusterObject> objects = new ArrayList<>();
        for (ObjectKind kind : KINDS) {
            FieldDescriptor field = ClusterObject.getDescriptor().findFieldByNumber(KindMessages.number(kind));
            for (Message listed : server.list(kind)) {
                ClusterObject object =
                        ClusterObject.newBuilder().setField(field, listed).build();
                if (object.hasNode()) {
                    nodes.add(object.getNode().getMetadata().getName());
                }
                Pod pod = object.getPod();
                if (!object.hasPod()
                        || nodes.contains(pod.getSpec().getNodeName())
                                && !FINISHED.contains(pod.getStatus().getPhase())) {
                    objects.add(object);
                }
            }
        }
        return objects;
    }

    private static Map<String, String> values(PeerAnswer answer) {
        Map<String, String> values = new TreeMap<>();
        answer.codes()
                .forEach((node, code) -> values.put(
                        node,
                        code.equals(PASSED)
                                ? "SUCCESS " + answer.scores().getOrDefault(node, 0)
                                : Objects.requireNonNull(CODES.get(code), code)));
        return values;
    }

    /** Requires the same verdicts and scores of all nodes from a server. */
    void require(PlacementClient client) {
        answers.forEach((question, values) -> assertEquals(
                values,
                VersionedAnswer.ask(client, question.pod(), Freshness.getDefaultInstance())
                        .values(),
                question.name()));
    }
}
