package io.evenkeel.placement;

import static io.evenkeel.placement.Messages.apply;
import static io.evenkeel.placement.Messages.object;
import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.protobuf.util.JsonFormat;
import io.evenkeel.engine.lock.StopSignal;
import io.evenkeel.placement.answer.WatchedVerdicts;
import io.evenkeel.v1.ApplyRequest;
import io.evenkeel.v1.ClusterEvent;
import io.evenkeel.v1.ClusterObject;
import io.evenkeel.v1.Node;
import io.evenkeel.v1.PendingPod;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.Revision;
import io.evenkeel.v1.WatchUnblockedRequest;
import io.evenkeel.v1.WatchUnblockedResponse;
import java.io.BufferedReader;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;

/**
 * Compares WatchUnblocked with kube-scheduler's queueing hints and filters; {@code loadtest/peer/hints} has recorded
 * them. Counts how often each would have a pending pod tried again.
 */
final class HintsCorpusTest {
    private static final ObjectMapper JSON = new ObjectMapper();

    private int events;
    private int hinted;
    private int unblocked;

    /** Events without a hint that unblock the pod. */
    private final Map<String, Integer> withoutHint = new TreeMap<>();

    @Test
    void podsAreUnblocked_exactlyWhenANodeBeginsToPass_andSeldomerThanHinted() throws Exception {
        InputStream resource = Objects.requireNonNull(getClass().getResourceAsStream("/hints/hints.jsonl.gz"));
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(new GZIPInputStream(resource), StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                play(JSON.readTree(line));
            }
        }
        assertEquals(10990, events);
        assertEquals(3460, hinted);
        assertEquals(769, unblocked);
        assertEquals(Map.of("pod begins to terminate", 7, "node no longer counts", 1), withoutHint);
    }

    private static final class Sent implements WatchedVerdicts.Outlet {
        private final List<WatchUnblockedResponse> responses = new ArrayList<>();

        @Override
        public boolean isReady() {
            return true;
        }

        @Override
        public void send(WatchUnblockedResponse response) {
            responses.add(response);
        }

        @Override
        public void fail(Throwable why) {
            throw new AssertionError(why);
        }
    }

    private void play(JsonNode scenario) throws InvalidProtocolBufferException {
        String name = scenario.path("name").asText();
        List<ClusterObject> objects = new ArrayList<>();
        for (JsonNode node : scenario.path("nodes")) {
            objects.add(object(message(node, Node.newBuilder()).build()));
        }
        for (JsonNode pod : scenario.path("bound")) {
            objects.add(object(message(pod, Pod.newBuilder()).build()));
        }
        Sent sent = new Sent();
        try (Instance instance = new Instance(InstanceOptions.standard());
                WatchedVerdicts watched = instance.placement().watchUnblocked().open(sent)) {
            instance.clusterState().apply(apply(objects));
            watched.handle(
                    WatchUnblockedRequest.newBuilder()
                            .addAdd(PendingPod.newBuilder()
                                    .setKey("pod")
                                    .setPod(message(scenario.path("pod"), Pod.newBuilder())))
                            .build(),
                    StopSignal.NEVER);
            assertEquals(0, sent.responses.get(0).getAdded(0).getState().getPassedCount(), name);
            for (JsonNode event : scenario.path("events")) {
                sent.responses.clear();
                Revision revision = instance.clusterState()
                        .apply(ApplyRequest.newBuilder().addEvents(event(event)).build())
                        .getRevision();
                boolean accepted = !event.path("accepting").isEmpty();
                List<WatchUnblockedResponse> expected = accepted
                        ? List.of(WatchUnblockedResponse.newBuilder()
                                .setRevision(revision)
                                .addUnblocked("pod")
                                .build())
                        : List.of();
                assertEquals(expected, sent.responses, () -> name + ": " + event);
                count(event, accepted);
            }
        }
    }

    private void count(JsonNode event, boolean accepted) {
        boolean isHinted = event.path("hinted").asBoolean();
        events++;
        hinted += isHinted ? 1 : 0;
        unblocked += accepted ? 1 : 0;
        if (accepted && !isHinted) {
            boolean terminates = event.path("pod").path("metadata").has("deletionTimestamp");
            withoutHint.merge(terminates ? "pod begins to terminate" : "node no longer counts", 1, Integer::sum);
        }
    }

    private static ClusterEvent event(JsonNode event) throws InvalidProtocolBufferException {
        ClusterObject object = event.has("node")
                ? object(message(event.path("node"), Node.newBuilder()).build())
                : object(message(event.path("pod"), Pod.newBuilder()).build());
        return ClusterEvent.newBuilder()
                .setType(ClusterEvent.Type.valueOf("TYPE_" + event.path("type").asText()))
                .setObject(object)
                .build();
    }

    private static <B extends Message.Builder> B message(JsonNode json, B builder)
            throws InvalidProtocolBufferException {
        JsonFormat.parser().ignoringUnknownFields().merge(json.toString(), builder);
        return builder;
    }
}
