package io.evenkeel.objects;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Timestamp;
import io.evenkeel.engine.model.PodRecord;
import io.evenkeel.v1.PodCondition;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Collects what decides which pods are preempted: the priority of a pod, when it started, and whether it was preempted
 * already. The fields are given by {@link PodScanner}, in any order. Conditions matter only for a terminating pod, so
 * they are read at the end. Not thread-safe.
 */
final class ImportanceReader {
    private static final int SECONDS = WireCursor.varint(Timestamp.SECONDS_FIELD_NUMBER);
    private static final int TYPE = WireCursor.delimited(PodCondition.TYPE_FIELD_NUMBER);
    private static final int STATUS = WireCursor.delimited(PodCondition.STATUS_FIELD_NUMBER);
    private static final int REASON = WireCursor.delimited(PodCondition.REASON_FIELD_NUMBER);
    private static final byte[] DISRUPTION_TARGET = ascii("DisruptionTarget");
    private static final byte[] TRUE = ascii("True");
    private static final byte[] BY_SCHEDULER = ascii("PreemptionByScheduler");
    private static final long LATEST = 0xFFFF_FFFFL;

    private byte[] bytes = {};
    private int priority;
    private long startedAt;
    private int[] conditions = new int[16];
    private int end;

    /** Starts the next pod. */
    void begin(byte[] of) {
        bytes = of;
        priority = 0;
        startedAt = 0;
        end = 0;
    }

    void priority(long value) {
        priority = (int) value;
    }

    /** Reads the startTime that the cursor has entered. */
    void start(WireCursor wire) throws InvalidProtocolBufferException {
        while (wire.next()) {
            if (wire.tag() == SECONDS) {
                startedAt = wire.readVarint();
            } else {
                wire.skip();
            }
        }
    }

    /** Takes a condition that has been checked, given with its tag. */
    void condition(int from, int to) {
        if (end == conditions.length) {
            conditions = Arrays.copyOf(conditions, end * 2);
        }
        conditions[end++] = from;
        conditions[end++] = to;
    }

    /** Sets what was collected in the pod's record. */
    void finish(PodRecord record) {
        record.priority = priority;
        record.startedAt = Math.min(LATEST, Math.max(0, startedAt));
        record.preempted = record.terminating && isPreempted();
    }

    /** The first condition of the type counts. */
    private boolean isPreempted() {
        try {
            for (int at = 0; at < end; at += 2) {
                WireCursor wire = new WireCursor(bytes, conditions[at], conditions[at + 1]);
                wire.next();
                wire.enter();
                boolean target = false;
                boolean status = false;
                boolean reason = false;
                while (wire.next()) {
                    int tag = wire.tag();
                    if (tag == TYPE || tag == STATUS || tag == REASON) {
                        wire.readBytes();
                        target = tag == TYPE ? is(DISRUPTION_TARGET, wire) : target;
                        status = tag == STATUS ? is(TRUE, wire) : status;
                        reason = tag == REASON ? is(BY_SCHEDULER, wire) : reason;
                    } else {
                        wire.skip();
                    }
                }
                if (target) {
                    return status && reason;
                }
            }
            return false;
        } catch (InvalidProtocolBufferException e) {
            throw new IllegalStateException("bytes that were checked do not parse", e);
        }
    }

    private static boolean is(byte[] text, WireCursor wire) {
        return Arrays.equals(wire.bytes(), wire.from(), wire.position(), text, 0, text.length);
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
