package io.evenkeel.attack;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.evenkeel.engine.Await;
import io.evenkeel.placement.Messages;
import io.evenkeel.v1.ClusterStateGrpc;
import io.evenkeel.v1.Events;
import io.evenkeel.v1.SyncRequest;
import io.evenkeel.v1.SyncResponse;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Status;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The attack of a feeder that leaves its acknowledgements unread. */
@Timeout(300)
final class UnreadAcknowledgementsAttack {
    private static final int STALLED_AFTER_SECONDS = 30;

    /** Messages that a client queues because the server accepts no more. */
    private static final int HELD_BACK = 2_000;

    @Test
    void endsItsStream_withAStatusThatSaysSo() throws Exception {
        try (AttackedServer server = new AttackedServer()) {
            FedCluster.feed(server.bystander());
            ManagedChannel narrow = server.builder(server.attackers())
                    .flowControlWindow(1 << 10)
                    .build();
            try (Bystander others = new Bystander(server)) {
                others.watch(3_000).forget();
                AtomicInteger read = new AtomicInteger();
                CompletableFuture<Status> ended = new CompletableFuture<>();
                ClientCall<SyncRequest, SyncResponse> feed =
                        narrow.newCall(ClusterStateGrpc.getSyncMethod(), CallOptions.DEFAULT);
                feed.start(
                        new ClientCall.Listener<>() {
                            @Override
                            public void onMessage(SyncResponse acknowledgement) {
                                read.incrementAndGet();
                            }

                            @Override
                            public void onClose(Status status, Metadata trailers) {
                                ended.complete(status);
                            }
                        },
                        new Metadata());
                double revision = server.metric("evenkeel_revision ");
                int sent = 0;
                long began = System.nanoTime();
                for (; sent < HELD_BACK || feed.isReady(); sent++) {
                    feed.sendMessage(SyncRequest.newBuilder()
                            .setEvents(Events.newBuilder()
                                    .addEvents(Messages.added(Messages.object(FedCluster.pod(10_000_000 + sent)))))
                            .build());
                }
                double refusedBefore = server.metric("evenkeel_server_refusals_total{why=\"stalled\"");
                Await.until(() -> server.metric("evenkeel_server_refusals_total{why=\"stalled\"") != refusedBefore);
                long seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - began);
                feed.request(sent);
                Status status = ended.get(30, TimeUnit.SECONDS);
                System.out.printf(
                        "%d messages sent, %d acknowledged, revision %.0f later, ended after %d s with %s%n",
                        sent, read.get(), server.metric("evenkeel_revision ") - revision, seconds, status);
                assertEquals(Status.Code.ABORTED, status.getCode());
                assertTrue(
                        String.valueOf(status.getDescription()).startsWith("answers were not read within PT30S"),
                        status.toString());
                assertTrue(
                        seconds >= STALLED_AFTER_SECONDS - 2 && seconds <= STALLED_AFTER_SECONDS + 10, seconds + " s");
                assertTrue(read.get() < sent, read + " of " + sent + " read");
                others.tell("acknowledgements unread");
            } finally {
                narrow.shutdownNow();
            }
        }
    }
}
