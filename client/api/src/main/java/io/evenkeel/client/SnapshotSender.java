package io.evenkeel.client;

import io.evenkeel.v1.ClusterObject;
import io.evenkeel.v1.ObjectKind;
import io.evenkeel.v1.Refusal;
import io.evenkeel.v1.SyncResponse;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.stream.Collectors;

/** Sends one snapshot: splits it into messages and adds up their acknowledgements. */
final class SnapshotSender {
    private static final int MESSAGE_BYTES = 128 << 10;
    /** Well below the server's limit for one message. */
    private static final int MESSAGE_OBJECTS = 1_000;

    private static final int MAX_REFUSALS_LISTED = 100;

    private record Sent(long first, CompletableFuture<SyncResponse> acknowledgement) {}

    private final ClusterFeed feed;
    private final Set<ObjectKind> kinds;
    private final Queue<Sent> unacknowledged = new ArrayDeque<>();
    private final List<Refusal> refusals = new ArrayList<>();
    private long sent;
    private long applied;
    private long refused;

    /** @param kinds the kinds that the snapshot covers; empty for all */
    SnapshotSender(ClusterFeed feed, Set<ObjectKind> kinds) {
        this.feed = feed;
        this.kinds = kinds;
    }

    SnapshotResult send(Iterator<ClusterObject> objects) {
        await(feed.beginSnapshot(kinds));
        List<ClusterObject> message = new ArrayList<>();
        int bytes = 0;
        while (objects.hasNext()) {
            ClusterObject object = objects.next();
            message.add(object);
            bytes += object.getSerializedSize();
            if (bytes >= MESSAGE_BYTES || message.size() == MESSAGE_OBJECTS) {
                send(message);
                message.clear();
                bytes = 0;
            }
        }
        if (!message.isEmpty()) {
            send(message);
        }
        CompletableFuture<SyncResponse> end =
                feed.endSnapshot(kinds.stream().collect(Collectors.toMap(kind -> kind, kind -> "")));
        while (!unacknowledged.isEmpty()) {
            addUp(unacknowledged.remove());
        }
        SyncResponse ended = await(end);
        return new SnapshotResult(ended.getRevision(), sent, applied, ended.getRemovedCount(), refused, refusals);
    }

    private void send(List<ClusterObject> message) {
        unacknowledged.add(new Sent(sent, feed.objects(message)));
        sent += message.size();
        Sent oldest = unacknowledged.peek();
        while (oldest != null && oldest.acknowledgement().isDone()) {
            addUp(unacknowledged.remove());
            oldest = unacknowledged.peek();
        }
    }

    private void addUp(Sent message) {
        SyncResponse acknowledgement = await(message.acknowledgement());
        applied += acknowledgement.getAppliedCount();
        refused += acknowledgement.getRefusalsCount();
        for (Refusal refusal : acknowledgement.getRefusalsList()) {
            if (refusals.size() < MAX_REFUSALS_LISTED) {
                long position = message.first() + refusal.getPosition();
                refusals.add(refusal.toBuilder().setPosition((int) position).build());
            }
        }
    }

    /** The value of the future. Throws its failure as {@link PlacementException}. */
    private static <A> A await(CompletableFuture<A> future) {
        try {
            return future.get();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new PlacementException(ErrorCode.CANCELLED, "interrupted while waiting for the answer", interrupted);
        } catch (ExecutionException failed) {
            Throwable cause = failed.getCause();
            throw PlacementException.of(cause == null ? failed : cause).asSeenByCaller();
        }
    }
}
