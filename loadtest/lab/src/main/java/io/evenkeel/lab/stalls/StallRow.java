package io.evenkeel.lab.stalls;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The measurements of an act in each repetition, in nanoseconds: the longest holds, the longest wait, and the longest
 * wait of the idle control.
 */
final class StallRow {
    private static final double NANOS_A_MILLI = 1e6;

    private final String name;
    private final List<Long> writeWork = new ArrayList<>();
    private final List<Long> writeWall = new ArrayList<>();
    private final List<Long> readWork = new ArrayList<>();
    private final List<Long> readWall = new ArrayList<>();
    private final List<Long> wait = new ArrayList<>();
    private final List<Long> idleWait = new ArrayList<>();

    StallRow(String name) {
        this.name = name;
    }

    void add(LockHoldTimes holds, long waited, long waitedIdle) {
        writeWork.add(holds.writeWork());
        writeWall.add(holds.writeWall());
        readWork.add(holds.readWork());
        readWall.add(holds.readWall());
        wait.add(waited);
        idleWait.add(waitedIdle);
    }

    String name() {
        return name;
    }

    /** The longest hold, for writing or for reading, in processor time, of the repetition in which it was shortest. */
    double holdMillis() {
        return Math.max(least(writeWork), least(readWork)) / NANOS_A_MILLI;
    }

    boolean holds(double maxMillis) {
        return holdMillis() <= maxMillis;
    }

    Object[] cells(double maxMillis) {
        return new Object[] {
            name,
            words(least(writeWork), most(writeWall)),
            words(least(readWork), most(readWall)),
            words(least(wait), most(wait)),
            words(least(idleWait), most(idleWait)),
            holds(maxMillis) ? "yes" : "NO"
        };
    }

    Map<String, Object> toJson(double maxMillis) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("act", name);
        json.put("repetitions", wait.size());
        addPair(json, "writeHold", least(writeWork), most(writeWall));
        addPair(json, "readHold", least(readWork), most(readWall));
        addPair(json, "wait", least(wait), most(wait));
        addPair(json, "idleWait", least(idleWait), most(idleWait));
        json.put("mostMillis", maxMillis);
        json.put("holds", holds(maxMillis));
        return json;
    }

    private static void addPair(Map<String, Object> json, String what, long least, long most) {
        json.put(what + "LeastMillis", least / NANOS_A_MILLI);
        json.put(what + "MostMillis", most / NANOS_A_MILLI);
    }

    private static long least(List<Long> nanos) {
        return nanos.stream().mapToLong(Long::longValue).min().orElse(0);
    }

    private static long most(List<Long> nanos) {
        return nanos.stream().mapToLong(Long::longValue).max().orElse(0);
    }

    private static String words(long least, long most) {
        return words(least) + "-" + words(most);
    }

    private static String words(long nanos) {
        double millis = nanos / NANOS_A_MILLI;
        return (millis < 10 ? "%.2f" : "%.0f").formatted(millis);
    }
}
