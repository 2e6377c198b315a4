package io.evenkeel.lab.kube;

import io.evenkeel.client.PlacementException;
import io.evenkeel.v1.ErrorReason;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.LongAdder;

/** Counts how calls ended, by method and reason. Thread-safe. */
final class CallOutcomes {
    private static final int MAX_UNEXPECTED = 10;

    /**
     * Why a correct call can fail because nodes and pods come and go. Sessions end if their caller is slow, and belong
     * to the holder of one token.
     */
    private static final Set<ErrorReason> EXPECTED = EnumSet.of(
            ErrorReason.ERROR_REASON_NODE_UNKNOWN,
            ErrorReason.ERROR_REASON_POD_UNKNOWN,
            ErrorReason.ERROR_REASON_POD_DELETED,
            ErrorReason.ERROR_REASON_SESSION_UNKNOWN);

    private final Map<String, LongAdder> ends = new ConcurrentSkipListMap<>();
    private final List<String> unexpected = new CopyOnWriteArrayList<>();

    /** Makes a call, and counts how it ends. */
    void count(String method, Runnable call) {
        try {
            call.run();
            count(method);
        } catch (PlacementException e) {
            count(method + ' ' + e.reason());
            if (!EXPECTED.contains(e.reason())) {
                isUnexpected(method, e);
            }
        } catch (RuntimeException e) {
            isUnexpected(method, e);
        }
    }

    private void count(String end) {
        ends.computeIfAbsent(end, key -> new LongAdder()).increment();
    }

    private void isUnexpected(String method, RuntimeException failure) {
        if (unexpected.size() < MAX_UNEXPECTED) {
            unexpected.add(method + ": " + failure);
        }
    }

    /** The first failures for other reasons than changes of the cluster. */
    List<String> unexpected() {
        return unexpected;
    }

    /** The number of calls that ended so. */
    long of(String end) {
        return ends.getOrDefault(end, new LongAdder()).sum();
    }

    /** The number of calls. */
    long all() {
        return ends.values().stream().mapToLong(LongAdder::sum).sum();
    }

    @Override
    public String toString() {
        return ends.toString();
    }
}
