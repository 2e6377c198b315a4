package io.evenkeel.client.embedded;

import com.google.protobuf.InvalidProtocolBufferException;
import io.evenkeel.client.Payload;
import io.evenkeel.client.PlacementException;
import io.evenkeel.client.Transport;
import io.evenkeel.placement.answer.WatchUnblockedHandler;
import io.evenkeel.placement.answer.WatchedVerdicts;
import io.evenkeel.placement.call.Call;
import io.evenkeel.placement.call.RequestException;
import io.evenkeel.placement.call.TaskPool;
import io.evenkeel.v1.WatchUnblockedRequest;
import io.evenkeel.v1.WatchUnblockedResponse;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A client stream that watches pods in the same process. The thread that changes the state passes on which pods are
 * unblocked, so the answers of such a stream must return at once, and must not call the client.
 */
final class WatchExchange implements EmbeddedStream<WatchUnblockedRequest> {
    private final TaskPool pool;
    private final WatchedVerdicts pods;
    private final OrderedExchange<WatchUnblockedRequest, Boolean, Boolean> messages;

    /** @param atEnd called once, before {@code answers} receives the end */
    WatchExchange(
            WatchUnblockedHandler handler,
            TaskPool pool,
            Transport.Answers<WatchUnblockedResponse> answers,
            Consumer<WatchExchange> atEnd) {
        this.pool = pool;
        pods = handler.open(new WatchedVerdicts.Outlet() {
            @Override
            public boolean isReady() {
                return true;
            }

            @Override
            public void send(WatchUnblockedResponse response) {
                answers.answered(response);
            }

            @Override
            public void fail(Throwable why) {
                end(why);
            }
        });
        messages = new OrderedExchange<>(
                this::handle,
                Function.identity(),
                pool,
                new Transport.Answers<>() {
                    @Override
                    public void answered(Boolean handled) {}

                    @Override
                    public void ended(@Nullable PlacementException failure) {
                        answers.ended(failure);
                    }
                },
                ended -> {
                    pods.close();
                    atEnd.accept(this);
                });
    }

    private void handle(Payload<WatchUnblockedRequest> payload, Call<Boolean> call) {
        call.attempt(() -> {
            pods.handle(request(payload), call);
            call.answer(true);
        });
    }

    private static WatchUnblockedRequest request(Payload<WatchUnblockedRequest> payload) {
        WatchUnblockedRequest message = payload.message();
        try {
            return message == null ? WatchUnblockedRequest.parseFrom(payload.bytes()) : message;
        } catch (InvalidProtocolBufferException malformed) {
            throw RequestException.malformed(malformed);
        }
    }

    @Override
    public void send(Payload<WatchUnblockedRequest> message) {
        messages.send(message);
    }

    /** The pods stay watched. */
    @Override
    public void finish() {}

    @Override
    public void cancel(String reason) {
        messages.cancel(reason);
    }

    /** Ends the stream in another thread, because this one may be changing the state. */
    @Override
    public void end(Throwable why) {
        pool.execute(() -> messages.end(why), full -> messages.end(why));
    }
}
