package io.evenkeel.attack;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.evenkeel.placement.Messages;
import io.evenkeel.v1.ClusterEvent;
import io.evenkeel.v1.ClusterStateGrpc;
import io.evenkeel.v1.Events;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.SyncRequest;
import io.evenkeel.v1.SyncResponse;
import io.grpc.stub.BlockingClientCall;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The attack with label values and UIDs that collide under well-known hashes, compared with random ones. */
@Timeout(600)
final class CollidingKeysAttack {
    private static final int KEYS = 1 << 15;
    private static final int EVENTS_A_MESSAGE = 1_024;
    private static final int ROUNDS = 15;

    /** The rate of events may drop by a tenth; the rest is for the noise in a median of {@link #ROUNDS}. */
    private static final double LEAST = 0.85;

    /** An unkeyed hash of 8 bytes: XOR, multiply, fold. */
    private static final long FACTOR = 0xD6E8FEB86659FD93L;

    private static final long START = 0xF1BBCDCBFA53E0A8L;

    @Test
    void uids() throws Exception {
        Random random = new Random(1);
        compare(
                "UIDs",
                i -> pod(new UUID(i, 777 - 31L * i).toString(), "v"),
                i -> pod(new UUID(random.nextLong(), random.nextLong()).toString(), "v"));
    }

    @Test
    void valuesOfOneStringHash() throws Exception {
        Random random = new Random(1);
        compare(
                "label values of one String.hashCode",
                i -> pod(uid(i), ofOneStringHash(i)),
                i -> pod(uid(i), ofOneStringHash(random.nextInt()).replace('a', (char) ('c' + random.nextInt(20)))));
    }

    @Test
    void valuesWhoseProductsEndAlike() throws Exception {
        Random random = new Random(1);
        List<String> values = valuesOfAlikeProducts();
        compare(
                "label values of alike products",
                i -> pod(uid(i), values.get(i)),
                i -> pod(uid(i), String.format(Locale.ROOT, "%08x", random.nextInt())));
    }

    private static String uid(int number) {
        return new UUID(number, number).toString();
    }

    private static Pod pod(String uid, String value) {
        Pod.Builder pod = FedCluster.pod("web", "node-7", Map.of("app", "app-7", "own", value)).toBuilder();
        pod.getMetadataBuilder().setUid(uid).setName("web-" + uid);
        return pod.build();
    }

    private static String ofOneStringHash(int number) {
        StringBuilder text = new StringBuilder();
        for (int bit = 0; bit < 15; bit++) {
            text.append((number >>> bit & 1) == 0 ? "Aa" : "BB");
        }
        return text.toString();
    }

    /**
     * Values of 8 letters and digits whose hashes end with the same 16 bits, so that they collide in any table of that
     * size.
     */
    private static List<String> valuesOfAlikeProducts() {
        byte[] letters = "abcdefghijklmnopqrstuvwxyz0123456789".getBytes(StandardCharsets.US_ASCII);
        Random random = new Random(1);
        List<String> values = new ArrayList<>();
        byte[] text = new byte[Long.BYTES];
        ByteBuffer word = ByteBuffer.wrap(text).order(ByteOrder.LITTLE_ENDIAN);
        while (values.size() < KEYS) {
            for (int i = 2; i < text.length; i++) {
                text[i] = letters[random.nextInt(letters.length)];
            }
            for (byte first : letters) {
                for (byte second : letters) {
                    text[0] = first;
                    text[1] = second;
                    long mixed = (START ^ word.getLong(0)) * FACTOR;
                    if ((short) (mixed ^ mixed >>> Integer.SIZE) == 12345 && values.size() < KEYS) {
                        values.add(new String(text, StandardCharsets.US_ASCII));
                    }
                }
            }
        }
        return values;
    }

    /**
     * Adds and deletes pods of each kind in turn, and compares the times of the prepared ones with those of the others.
     */
    private static void compare(String what, IntFunction<Pod> prepared, IntFunction<Pod> others) throws Exception {
        List<Pod> attack = IntStream.range(0, KEYS).mapToObj(prepared).toList();
        List<Pod> plain = IntStream.range(0, KEYS).mapToObj(others).toList();
        try (AttackedServer server = new AttackedServer()) {
            FedCluster.feed(server.bystander());
            BlockingClientCall<SyncRequest, SyncResponse> feed =
                    ClusterStateGrpc.newBlockingV2Stub(server.attacker()).sync();
            try (Bystander bystanders = new Bystander(server)) {
                int version = 0;
                for (int warm = 0; warm < 5; warm++) {
                    nanos(feed, attack, ++version);
                    nanos(feed, plain, ++version);
                }
                bystanders.forget();
                double[] ratios = new double[ROUNDS];
                for (int round = 0; round < ROUNDS; round++) {
                    boolean plainFirst = round % 2 == 0;
                    long first = nanos(feed, plainFirst ? plain : attack, ++version);
                    long second = nanos(feed, plainFirst ? attack : plain, ++version);
                    ratios[round] = plainFirst ? (double) first / second : (double) second / first;
                }
                Arrays.sort(ratios);
                double median = ratios[ROUNDS / 2];
                System.out.printf(
                        Locale.ROOT,
                        "%s: events at %.2f of the rate of others (%.2f to %.2f)%n",
                        what,
                        median,
                        ratios[0],
                        ratios[ROUNDS - 1]);
                Bystander.Seen seen = bystanders.tell(what);
                assertTrue(median >= LEAST, Arrays.toString(ratios));
                assertTrue(seen.p99() < 100, seen.toString());
            }
        }
    }

    /** The time to add and delete all pods. */
    private static long nanos(BlockingClientCall<SyncRequest, SyncResponse> feed, List<Pod> pods, int version)
            throws Exception {
        List<SyncRequest> messages = messages(pods, version);
        long began = System.nanoTime();
        for (SyncRequest message : messages) {
            feed.write(message);
            assertEquals(EVENTS_A_MESSAGE, feed.read().getAppliedCount());
        }
        return System.nanoTime() - began;
    }

    private static List<SyncRequest> messages(List<Pod> pods, int version) {
        List<SyncRequest> messages = new ArrayList<>();
        for (ClusterEvent.Type type : List.of(ClusterEvent.Type.TYPE_ADDED, ClusterEvent.Type.TYPE_DELETED)) {
            for (int from = 0; from < KEYS; from += EVENTS_A_MESSAGE) {
                Events.Builder events = Events.newBuilder();
                for (Pod pod : pods.subList(from, from + EVENTS_A_MESSAGE)) {
                    Pod.Builder versioned = pod.toBuilder();
                    // A deleted pod can only be added again with a newer version.
                    versioned.getMetadataBuilder().setResourceVersion(String.valueOf(version));
                    events.addEvents(Messages.event(type, Messages.object(versioned.build())));
                }
                messages.add(SyncRequest.newBuilder().setEvents(events).build());
            }
        }
        return messages;
    }
}
