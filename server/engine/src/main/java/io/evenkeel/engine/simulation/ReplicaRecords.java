package io.evenkeel.engine.simulation;

import io.evenkeel.engine.model.PodRecord;
import java.nio.charset.StandardCharsets;

/**
 * The record of each of {@link ScheduledPods}, one at a time. If there is more than one, it is the same object with
 * another UID and name.
 *
 * <pre>
 *   bytes   [ texts of the given pod | UID | NAME-number ]
 *                                    ▲ from
 * </pre>
 */
final class ReplicaRecords {
    private static final int UID = 36;
    private static final int UID_DIGITS = 12;
    private static final int NUMBER = 11;

    private final PodRecord given;
    private final PodRecord record;
    private final int from;
    private final int numberFrom;

    /** @param count how many pods there are of that record; see {@link ScheduledPods} */
    ReplicaRecords(PodRecord given, int count) {
        this.given = given;
        from = given.bytes.length;
        int name = given.nameTo - given.nameFrom;
        numberFrom = from + UID + name;
        if (count == 1) {
            record = given;
        } else {
            record = given.withRoom(UID + name + NUMBER);
            byte[] uid = given.uid().getBytes(StandardCharsets.US_ASCII);
            System.arraycopy(uid, 0, record.bytes, from, UID);
            System.arraycopy(given.bytes, given.nameFrom, record.bytes, from + UID, name);
            record.bytes[numberFrom] = '-';
        }
    }

    /** The record of the pod with this number, from 1. It is valid until the next call. */
    PodRecord number(int number) {
        if (record != given) {
            long low = ScheduledPods.uidBits(given, number);
            writeUid(low);
            record.setUid(from, from + UID, given.uid.high(), low);
            record.setName(from + UID, writeNumber(number));
        }
        return record;
    }

    private void writeUid(long low) {
        long left = low;
        for (int at = from + UID - 1; at >= from + UID - UID_DIGITS; at--) {
            record.bytes[at] = (byte) Character.forDigit((int) left & 0xF, 16);
            left >>>= 4;
        }
    }

    /** Writes a number behind the name; returns its end. */
    private int writeNumber(int number) {
        int end = numberFrom + 2;
        for (int left = number / 10; left > 0; left /= 10) {
            end++;
        }
        int left = number;
        for (int at = end - 1; at > numberFrom; at--) {
            record.bytes[at] = (byte) ('0' + left % 10);
            left /= 10;
        }
        return end;
    }
}
