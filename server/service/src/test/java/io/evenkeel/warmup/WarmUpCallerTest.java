package io.evenkeel.warmup;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.evenkeel.client.PlacementClient;
import io.evenkeel.client.remote.RemotePlacement;
import io.evenkeel.service.TestServer;
import io.evenkeel.v1.GetStatusResponse;
import io.evenkeel.v1.KindStatus;
import io.evenkeel.v1.ObjectKind;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests that a server accepts everything that the warm-up sends. */
@Timeout(60)
final class WarmUpCallerTest {
    private static final int TURNS = 50 * WarmUpCaller.CALLS;

    private static PlacementClient connect(TestServer server) {
        return RemotePlacement.connect(target(server));
    }

    private static String target(TestServer server) {
        return "127.0.0.1:" + server.server.port();
    }

    private static KindStatus pods(TestServer server) {
        return server.status().getKindsList().stream()
                .filter(kind -> kind.getKind() == ObjectKind.OBJECT_KIND_POD)
                .findFirst()
                .orElseThrow();
    }

    @Test
    void callers_oneAfterAnother_areAnsweredWithoutAFailure_whileTheirFeederFeeds() throws Exception {
        try (TestServer server = TestServer.start();
                WarmUpFeeder feeder = new WarmUpFeeder(target(server))) {
            GetStatusResponse before = server.status();
            for (int first = 0; first < 2 * TURNS; first += TURNS) {
                try (PlacementClient client = connect(server);
                        WarmUpCaller caller = new WarmUpCaller(client, feeder)) {
                    for (int turn = first; turn < first + TURNS; turn++) {
                        caller.call(turn, turn % 2 == 0);
                    }
                    caller.awaitAnswers();
                }
            }
            GetStatusResponse after = server.status();
            // As many pods were added as removed; the last assumed one remains.
            assertEquals(before.getPodCount(), after.getPodCount() - after.getAssumedPodCount());
            // The last change is from the feed, which knows its version.
            assertEquals(
                    Integer.toString(2 * TURNS / WarmUpCaller.CALLS + 1),
                    pods(server).getResourceVersion());
        }
    }

    @Test
    void failure_isToldByTheNextCall() throws Exception {
        WarmUpCaller caller;
        try (TestServer server = TestServer.start();
                WarmUpFeeder feeder = new WarmUpFeeder(target(server));
                PlacementClient client = connect(server);
                WarmUpCaller open = new WarmUpCaller(client, feeder)) {
            caller = open;
        }
        caller.call(2, true);
        assertThrows(IllegalStateException.class, caller::awaitAnswers);
    }
}
