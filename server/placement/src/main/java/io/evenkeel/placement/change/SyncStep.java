package io.evenkeel.placement.change;

import com.google.protobuf.ByteString;
import com.google.protobuf.DiscardUnknownFieldsParser;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Parser;
import io.evenkeel.objects.PodScanner;
import io.evenkeel.objects.TemplateCache;
import io.evenkeel.objects.WireCursor;
import io.evenkeel.v1.SyncRequest;

/**
 * One {@code Sync} message, read from its bytes.
 *
 * @param changes the events, or the objects of a snapshot; unused for other steps
 * @param bounds the start or end of a snapshot; empty for other steps
 */
public record SyncStep(SyncRequest.StepCase step, ChangeList changes, SyncRequest bounds) {
    /** The most changes that are made in a thread that must not block: some tens of microseconds of work. */
    public static final int FEW_CHANGES = 32;

    private static final Parser<SyncRequest> BOUNDS = DiscardUnknownFieldsParser.wrap(SyncRequest.parser());

    /**
     * Reads a message. The bytes must not change until the step has been handled.
     *
     * @param most the maximum number of changes in the message
     * @param templates templates of earlier messages, which the pods of this one may share
     */
    public static SyncStep read(byte[] bytes, int most, TemplateCache templates) throws InvalidProtocolBufferException {
        WireCursor wire = new WireCursor(bytes, 0, bytes.length);
        ChangeList objects = new ChangeList(most);
        ChangeList events = new ChangeList(most);
        SyncRequest.StepCase step = SyncRequest.StepCase.STEP_NOT_SET;
        // Like the generated parser, this continues a step that occurs again after another one.
        ByteString begin = ByteString.EMPTY;
        ByteString end = ByteString.EMPTY;
        int from = 0;
        while (wire.next()) {
            SyncRequest.StepCase found = wire.isDelimited() ? SyncRequest.StepCase.forNumber(wire.field()) : null;
            if (found == null) {
                wire.skip();
                from = wire.position();
                continue;
            }
            step = found;
            if (step == SyncRequest.StepCase.OBJECTS) {
                int outer = wire.enter();
                new ChangeScanner(wire, objects, new PodScanner(templates)).scanObjects();
                wire.leave(outer);
            } else if (step == SyncRequest.StepCase.EVENTS) {
                int outer = wire.enter();
                new ChangeScanner(wire, events, new PodScanner(templates)).scanEvents();
                wire.leave(outer);
            } else {
                wire.skip();
                ByteString piece = ByteString.copyFrom(bytes, from, wire.position() - from);
                if (step == SyncRequest.StepCase.BEGIN_SNAPSHOT) {
                    begin = begin.concat(piece);
                } else {
                    end = end.concat(piece);
                }
            }
            from = wire.position();
        }
        // Both must be well-formed.
        SyncRequest beginning = BOUNDS.parseFrom(begin);
        SyncRequest ending = BOUNDS.parseFrom(end);
        SyncRequest bounds = switch (step) {
            case BEGIN_SNAPSHOT -> beginning;
            case END_SNAPSHOT -> ending;
            case OBJECTS, EVENTS, STEP_NOT_SET -> SyncRequest.getDefaultInstance();
        };
        return new SyncStep(step, step == SyncRequest.StepCase.OBJECTS ? objects : events, bounds);
    }

    /** Whether a thread that must not block can handle it. */
    public boolean isShort() {
        return switch (step) {
            case OBJECTS, EVENTS -> changes.count() <= FEW_CHANGES;
            // The end of a snapshot reads every pod.
            case END_SNAPSHOT -> false;
            case BEGIN_SNAPSHOT, STEP_NOT_SET -> true;
        };
    }
}
