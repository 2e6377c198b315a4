package io.evenkeel.placement;

import com.google.protobuf.InvalidProtocolBufferException;
import io.evenkeel.engine.lock.StopSignal;
import io.evenkeel.objects.WireCursor;
import io.evenkeel.placement.answer.EvaluateStreamHandler;
import io.evenkeel.placement.answer.ResponseBytes;
import io.evenkeel.placement.call.BytesReader;
import io.evenkeel.placement.call.Call;
import io.evenkeel.placement.call.RequestException;
import io.evenkeel.placement.call.TaskPool;
import io.evenkeel.placement.change.SyncSession;
import io.evenkeel.placement.change.SyncStep;
import io.evenkeel.placement.query.StreamQuery;
import io.evenkeel.v1.SyncAndEvaluateRequest;
import io.evenkeel.v1.SyncAndEvaluateResponse;
import io.evenkeel.v1.SyncResponse;
import java.util.Arrays;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Answers the messages of {@code SyncAndEvaluate} streams: steps as {@code Sync} does, and requests as
 * {@code EvaluateStream} does. The transport passes the messages of a stream one by one, each after the answer to the
 * previous one. So the answer to a request includes exactly the steps before it. Thread-safe.
 */
public final class SyncAndEvaluateHandler implements BytesReader<SyncAndEvaluateHandler.Message> {
    private static final int STEP = WireCursor.delimited(SyncAndEvaluateRequest.SYNC_FIELD_NUMBER);
    private static final int REQUEST = WireCursor.delimited(SyncAndEvaluateRequest.REQUEST_FIELD_NUMBER);
    private static final int TAG = WireCursor.varint(SyncAndEvaluateRequest.TAG_FIELD_NUMBER);

    private final ClusterStateHandler clusterState;
    private final EvaluateStreamHandler evaluate;

    SyncAndEvaluateHandler(ClusterStateHandler clusterState, EvaluateStreamHandler evaluate) {
        this.clusterState = clusterState;
        this.evaluate = evaluate;
    }

    /**
     * A message of a stream: a step, a request, or neither if it is rejected because it does not contain one of the
     * two.
     *
     * @param tag the tag of a step
     */
    public record Message(
            long tag, @Nullable SyncStep step, @Nullable StreamQuery query) {}

    /** Opens the feed of a stream. Close it when the stream ends. */
    public SyncSession open() {
        return clusterState.sync();
    }

    @Override
    public Message read(byte[] bytes, StopSignal stop) throws InvalidProtocolBufferException {
        return has(REQUEST, bytes) && !has(STEP, bytes)
                ? new Message(0, null, evaluate.read(bytes, stop))
                : readStep(bytes);
    }

    @Override
    public @Nullable Message readAtOnce(byte[] bytes) throws InvalidProtocolBufferException {
        if (has(REQUEST, bytes) && !has(STEP, bytes)) {
            StreamQuery query = evaluate.readAtOnce(bytes);
            return query == null ? null : new Message(0, null, query);
        }
        return bytes.length <= MAX_READ_AT_ONCE ? readStep(bytes) : null;
    }

    /** Returns null for a step; the stream must then end. */
    @Override
    public @Nullable Message refuse(byte[] bytes, RequestException why) throws InvalidProtocolBufferException {
        return has(STEP, bytes) ? null : new Message(0, null, evaluate.refuse(bytes, why));
    }

    private static boolean has(int tag, byte[] bytes) throws InvalidProtocolBufferException {
        WireCursor wire = new WireCursor(bytes, 0, bytes.length);
        while (wire.next()) {
            if (wire.tag() == tag) {
                return true;
            }
            wire.skip();
        }
        return false;
    }

    private Message readStep(byte[] bytes) throws InvalidProtocolBufferException {
        WireCursor wire = new WireCursor(bytes, 0, bytes.length);
        long tag = 0;
        SyncStep step = null;
        boolean alone = true;
        while (wire.next()) {
            if (wire.tag() == STEP) {
                alone &= step == null;
                wire.readBytes();
                step = clusterState.readSync(Arrays.copyOfRange(bytes, wire.from(), wire.position()));
            } else if (wire.tag() == TAG) {
                tag = wire.readVarint();
            } else {
                alone &= wire.tag() != REQUEST;
                wire.skip();
            }
        }
        return new Message(tag, alone ? step : null, null);
    }

    /**
     * Answers a message. If a step is rejected as a whole, the call fails, and the stream must end.
     *
     * @param feed the feed of the stream
     * @param changes runs steps with many changes
     * @param refusal why there is no room for an answer of a given size; null if there is
     */
    public void handle(
            Message message,
            SyncSession feed,
            Call<ResponseBytes> call,
            TaskPool changes,
            IntFunction<@Nullable RequestException> refusal) {
        StreamQuery query = message.query;
        SyncStep step = message.step;
        if (query != null) {
            evaluate.handle(query, call, refusal);
        } else if (step == null) {
            call.fail(RequestException.invalid(
                    "sync", "must be set once if request is not set, and not at all if it is"));
        } else if (step.isShort()) {
            call.answerWith(true, () -> response(message.tag, feed.handle(step)));
        } else {
            call.answerOn(changes, () -> response(message.tag, feed.handle(step)));
        }
    }

    private static ResponseBytes response(long tag, SyncResponse acknowledgement) {
        return ResponseBytes.of(SyncAndEvaluateResponse.newBuilder()
                .setTag(tag)
                .setSync(acknowledgement)
                .build());
    }
}
