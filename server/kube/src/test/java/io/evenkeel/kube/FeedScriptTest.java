package io.evenkeel.kube;

import io.evenkeel.engine.model.ObjectKind;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Follows a server through random changes and faults. At the end the state must match a plain list. */
final class FeedScriptTest {
    private static final int STEPS = 120;
    private static final int NUMBERS = 30;

    @TempDir
    private Path directory = Path.of("");

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
    void state_equalsAPlainList_afterChangesAndFaults(long seed) throws Exception {
        Random random = new Random(seed);
        ScriptedApiServer server = ScriptedApiServer.start();
        server.setPageSize(1 + random.nextInt(9));
        try (FollowedServer followed = FollowedServer.follow(server, directory)) {
            for (int i = 0; i < STEPS; i++) {
                step(followed, random);
            }
            server.heal();
            followed.awaitAll();
            followed.assertHoldsWhatTheServerHas();
        }
    }

    private static void step(FollowedServer followed, Random random) throws InterruptedException {
        ScriptedApiServer server = followed.server;
        ObjectKind kind = List.copyOf(ObjectKind.ALL).get(random.nextInt(ObjectKind.ALL.size()));
        int number = random.nextInt(NUMBERS);
        switch (random.nextInt(20)) {
            case 0, 1, 2, 3, 4, 5 -> followed.put(kind, number, random.nextInt(9));
            case 6, 7 -> followed.delete(kind, number);
            case 8 -> server.bookmark();
            case 9 -> server.compact(kind);
            case 10 ->
                server.putUnseen(
                        kind,
                        KubeWorld.uid(kind, number),
                        random.nextBoolean() ? null : KubeWorld.object(kind, number, 2, server.nextVersion()));
            case 11 -> server.cutAfter(kind, random.nextInt(600));
            case 12 -> server.inject(kind, wrong(kind, random));
            case 13 -> {
                int[] statuses = {401, 403, 410, 429, 500, 503};
                server.refuse(
                        kind,
                        new ScriptedApiServer.Refusal(statuses[random.nextInt(statuses.length)], "for a test", "1"));
            }
            case 14 ->
                server.setStreamingLists(List.of(
                                ScriptedApiServer.StreamingLists.SERVED,
                                ScriptedApiServer.StreamingLists.REFUSED,
                                ScriptedApiServer.StreamingLists.FAILED)
                        .get(random.nextInt(3)));
            case 15 -> server.expirePages(random.nextInt(4));
            case 16 -> server.repeatEvents(random.nextInt(20));
            case 17 -> {
                int most = 1 + random.nextInt(80);
                server.writeInPieces(left -> Math.min(left, most));
            }
            case 18 -> Thread.sleep(random.nextInt(20));
            default -> {
                for (int i = 0; i < 10; i++) {
                    followed.put(kind, random.nextInt(NUMBERS), random.nextInt(9));
                }
            }
        }
    }

    private static byte[] wrong(ObjectKind kind, Random random) {
        List<byte[]> all = new ArrayList<>();
        all.add(new byte[] {-1, 0, 0, 0});
        all.add(Frames.frame("MOVED", "Object", KubeWorld.object(kind, 1, 1, 1)));
        all.add(Frames.frame("ERROR", "Status", Frames.status(500, "", "for a test")));
        all.add(Frames.frame("ERROR", "Status", Frames.status(410, "Expired", "for a test")));
        all.add(new byte[] {0, 0, 0, 2, 0x0A, 0x7F});
        return all.get(random.nextInt(all.size()));
    }
}
