package io.evenkeel.placement.change;

import com.google.protobuf.InvalidProtocolBufferException;
import io.evenkeel.objects.WireCursor;
import io.evenkeel.objects.WireShape;
import io.evenkeel.v1.SyncRequest;

/**
 * One message of {@code Sync}, read from its bytes.
 *
 * @param changes the events, or the objects of a snapshot; unused for other steps
 */
public record SyncStep(SyncRequest.StepCase step, ChangeList changes) {
    private static final WireShape SHAPE = WireShape.of(SyncRequest.getDescriptor());

    /**
     * Reads a message.
     *
     * @param most how many changes the message may have
     */
    public static SyncStep read(byte[] bytes, int most) throws InvalidProtocolBufferException {
        WireCursor wire = new WireCursor(bytes, 0, bytes.length);
        ChangeList objects = new ChangeList(most);
        ChangeList events = new ChangeList(most);
        ChangeScanner objectScanner = new ChangeScanner(wire, objects);
        ChangeScanner eventScanner = new ChangeScanner(wire, events);
        SyncRequest.StepCase step = SyncRequest.StepCase.STEP_NOT_SET;
        while (wire.next()) {
            SyncRequest.StepCase told = wire.isDelimited() ? SyncRequest.StepCase.forNumber(wire.field()) : null;
            if (told == null) {
                wire.skip();
                continue;
            }
            step = told;
            if (step == SyncRequest.StepCase.OBJECTS) {
                int outer = wire.enter();
                objectScanner.scanObjects();
                wire.leave(outer);
            } else if (step == SyncRequest.StepCase.EVENTS) {
                int outer = wire.enter();
                eventScanner.scanEvents();
                wire.leave(outer);
            } else {
                SHAPE.checkValue(wire);
            }
        }
        return new SyncStep(step, step == SyncRequest.StepCase.OBJECTS ? objects : events);
    }
}
