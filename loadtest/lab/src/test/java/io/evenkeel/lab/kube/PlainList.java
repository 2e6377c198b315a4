package io.evenkeel.lab.kube;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnknownFieldSet;
import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.lab.controlplane.ApiServer;
import io.evenkeel.loadtest.load.DirectChannel;
import io.evenkeel.objects.KindMessages;
import io.evenkeel.v1.BeginSnapshot;
import io.evenkeel.v1.ClusterStateGrpc;
import io.evenkeel.v1.EndSnapshot;
import io.evenkeel.v1.Objects;
import io.evenkeel.v1.SyncRequest;
import io.evenkeel.v1.SyncResponse;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Feeds the plain lists of an API server to a server, replacing its feed. A server that holds exactly the listed
 * objects changes nothing.
 */
final class PlainList {
    private static final int OBJECTS_IN_A_MESSAGE = 500;

    private PlainList() {}

    /** What the lists change in the server: the numbers of added, changed and removed objects; empty if nothing. */
    static List<String> changes(ApiServer admin, String target) throws IOException {
        List<String> changes = new ArrayList<>();
        try (DirectChannel channel = new DirectChannel(target)) {
            for (ObjectKind kind : ObjectKind.values()) {
                int applied = 0;
                int removed = 0;
                for (SyncResponse response : fed(channel, messages(kind, admin.listBytes(kind)))) {
                    applied += response.getAppliedCount();
                    removed += response.getRemovedCount();
                    response.getRefusalsList().forEach(refusal -> changes.add(refusal.toString()));
                }
                if (applied + removed > 0) {
                    changes.add("%s: %d put, %d removed".formatted(kind.kindName(), applied, removed));
                }
            }
        }
        return changes;
    }

    private static List<SyncRequest> messages(ObjectKind kind, List<ByteString> listed) {
        List<SyncRequest> messages = new ArrayList<>();
        messages.add(SyncRequest.newBuilder()
                .setBeginSnapshot(BeginSnapshot.newBuilder()
                        .addKinds(KindMessages.inMessages(kind))
                        .setFeeder("plain-list")
                        .setTakeover(true))
                .build());
        for (int from = 0; from < listed.size(); from += OBJECTS_IN_A_MESSAGE) {
            List<ByteString> some = listed.subList(from, Math.min(listed.size(), from + OBJECTS_IN_A_MESSAGE));
            List<ByteString> objects = some.stream()
                    .map(object -> bytes(KindMessages.number(kind), List.of(object)))
                    .toList();
            messages.add(SyncRequest.newBuilder()
                    .setUnknownFields(field(
                            SyncRequest.OBJECTS_FIELD_NUMBER, List.of(bytes(Objects.OBJECTS_FIELD_NUMBER, objects))))
                    .build());
        }
        messages.add(SyncRequest.newBuilder()
                .setEndSnapshot(EndSnapshot.getDefaultInstance())
                .build());
        return messages;
    }

    /** The bytes of a message with a single field set. The objects in it are copied unchanged. */
    private static ByteString bytes(int number, List<ByteString> values) {
        return field(number, values).toByteString();
    }

    private static UnknownFieldSet field(int number, List<ByteString> values) {
        UnknownFieldSet.Field.Builder field = UnknownFieldSet.Field.newBuilder();
        values.forEach(field::addLengthDelimited);
        return UnknownFieldSet.newBuilder().addField(number, field.build()).build();
    }

    private static List<SyncResponse> fed(DirectChannel channel, List<SyncRequest> messages) {
        CompletableFuture<List<SyncResponse>> ended = new CompletableFuture<>();
        List<SyncResponse> responses = new ArrayList<>();
        StreamObserver<SyncRequest> requests = ClusterStateGrpc.newStub(channel.channel())
                .sync(new StreamObserver<>() {
                    @Override
                    public void onNext(SyncResponse response) {
                        responses.add(response);
                    }

                    @Override
                    public void onError(Throwable failure) {
                        ended.completeExceptionally(failure);
                    }

                    @Override
                    public void onCompleted() {
                        ended.complete(responses);
                    }
                });
        messages.forEach(requests::onNext);
        requests.onCompleted();
        return ended.join();
    }
}
