package io.evenkeel.objects;

import com.google.protobuf.InvalidProtocolBufferException;
import io.evenkeel.engine.model.Drainability;
import io.evenkeel.engine.model.PodRecord;
import io.evenkeel.v1.EmptyDirVolumeSource;
import io.evenkeel.v1.Volume;
import io.evenkeel.v1.VolumeSource;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/**
 * Collects what decides whether a pod prevents the removal of its node, while {@link PodScanner} reads the pod.
 *
 * <pre>
 *   mirror                annotation kubernetes.io/config.mirror
 *   daemon                annotation …/daemonset-pod
 *   evict                 annotation …/safe-to-evict
 *   localVolumes          [ name from | name to | … ] of volumes on the node's disk
 *   exempt                annotation …/safe-to-evict-local-volumes: names, separated by commas
 * </pre>
 *
 * An instance is used for one pod after another. Not thread-safe.
 */
final class DrainReader {
    private static final String PREFIX = "cluster-autoscaler.kubernetes.io/";
    private static final byte[] MIRROR = ascii("kubernetes.io/config.mirror");
    private static final byte[] EVICT = ascii(PREFIX + "safe-to-evict");
    private static final byte[] EXEMPT = ascii(PREFIX + "safe-to-evict-local-volumes");
    private static final byte[] DAEMON = ascii(PREFIX + "daemonset-pod");

    private static final int VOLUME_NAME = WireCursor.delimited(Volume.NAME_FIELD_NUMBER);
    private static final int SOURCE = WireCursor.delimited(Volume.VOLUME_SOURCE_FIELD_NUMBER);
    private static final int HOST_PATH = WireCursor.delimited(VolumeSource.HOST_PATH_FIELD_NUMBER);
    private static final int HOST_PATH_OF_JSON = WireCursor.delimited(Volume.HOST_PATH_FIELD_NUMBER);
    private static final int EMPTY_DIR = WireCursor.delimited(VolumeSource.EMPTY_DIR_FIELD_NUMBER);
    private static final int EMPTY_DIR_OF_JSON = WireCursor.delimited(Volume.EMPTY_DIR_FIELD_NUMBER);
    private static final int MEDIUM = WireCursor.delimited(EmptyDirVolumeSource.MEDIUM_FIELD_NUMBER);

    private static final int SECONDS = WireCursor.varint(1);

    /** Seconds after which a terminating pod counts as gone, in addition to its grace period. */
    private static final long MARGIN = 30;

    private static final long DEFAULT_GRACE = 30;
    private static final long LATEST = 0xFFFF_FFFFL;

    private byte[] bytes = {};
    private boolean mirror;
    private String daemon = "";
    private String evict = "";
    private String exempt = "";
    private int[] localVolumes = new int[4];
    private int localEnd;
    private long deletedAt;
    private long grace;

    /** Starts the next pod. */
    void begin(byte[] of) {
        bytes = of;
        mirror = false;
        daemon = "";
        evict = "";
        exempt = "";
        localEnd = 0;
        deletedAt = 0;
        grace = DEFAULT_GRACE;
    }

    /** Takes an annotation, given by the ranges of its key and its value. */
    void annotation(int keyFrom, int keyTo, int from, int to) {
        int length = keyTo - keyFrom;
        if (length == MIRROR.length) {
            mirror |= is(MIRROR, keyFrom, keyTo);
        } else if (length == EXEMPT.length) {
            exempt = is(EXEMPT, keyFrom, keyTo) ? text(from, to) : exempt;
        } else if (length == EVICT.length) {
            // Both keys have this length.
            evict = is(EVICT, keyFrom, keyTo) ? text(from, to) : evict;
            daemon = is(DAEMON, keyFrom, keyTo) ? text(from, to) : daemon;
        }
    }

    /** Reads a volume that has been checked, given with its tag. */
    void volume(int from, int to) throws InvalidProtocolBufferException {
        if (isUsual(from, to)) {
            return;
        }
        WireCursor wire = new WireCursor(bytes, from, to);
        wire.next();
        wire.enter();
        int nameFrom = 0;
        int nameTo = 0;
        boolean local = false;
        while (wire.next()) {
            int tag = wire.tag();
            if (tag == VOLUME_NAME) {
                wire.readBytes();
                nameFrom = wire.from();
                nameTo = wire.position();
            } else if (tag == SOURCE) {
                int outer = wire.enter();
                while (wire.next()) {
                    local |= isLocal(wire, wire.tag() == HOST_PATH, wire.tag() == EMPTY_DIR);
                }
                wire.leave(outer);
            } else {
                local |= isLocal(wire, tag == HOST_PATH_OF_JSON, tag == EMPTY_DIR_OF_JSON);
            }
        }
        if (local) {
            localVolumes = localEnd == localVolumes.length ? Arrays.copyOf(localVolumes, localEnd * 2) : localVolumes;
            localVolumes[localEnd++] = nameFrom;
            localVolumes[localEnd++] = nameTo;
        }
    }

    /** Whether a volume is only a short name and then a source that is not on the node's disk. */
    private boolean isUsual(int from, int to) {
        int at = afterLength(from + 1, to);
        if (at + 1 >= to || bytes[at] != VOLUME_NAME || bytes[at + 1] < 0) {
            return false;
        }
        at += 2 + bytes[at + 1];
        if (at + 1 >= to || bytes[at] != SOURCE) {
            return false;
        }
        at = afterLength(at + 1, to);
        return at < to && isLastField(at, to) && bytes[at] != HOST_PATH && bytes[at] != EMPTY_DIR;
    }

    /** The position after a length of one or two bytes; {@code to} after a longer one. */
    private int afterLength(int at, int to) {
        return bytes[at] >= 0 ? at + 1 : bytes[at + 1] >= 0 ? at + 2 : to;
    }

    /** Whether a delimited field ends at {@code to}. False if its tag or its length takes more than two bytes. */
    private boolean isLastField(int from, int to) {
        boolean isLong = bytes[from] < 0;
        int length = isLong ? from + 2 : from + 1;
        if ((bytes[from] & WireCursor.TYPE_MASK) != WireCursor.DELIMITED
                || length >= to
                || isLong && bytes[from + 1] <= 0) {
            return false;
        }
        if (bytes[length] >= 0) {
            return length + 1 + bytes[length] == to;
        }
        return bytes[length + 1] >= 0 && length + 2 + (bytes[length] & 0x7F | bytes[length + 1] << 7) == to;
    }

    /** Reads the current field; returns whether it is a source on the node's disk. */
    private boolean isLocal(WireCursor wire, boolean isHostPath, boolean isEmptyDir)
            throws InvalidProtocolBufferException {
        if (!isEmptyDir) {
            wire.skip();
            return isHostPath;
        }
        boolean memory = false;
        int outer = wire.enter();
        while (wire.next()) {
            if (wire.tag() == MEDIUM) {
                memory = wire.readText().equals("Memory");
            } else {
                wire.skip();
            }
        }
        wire.leave(outer);
        return !memory;
    }

    /** Reads the deletionTimestamp that the cursor has entered. */
    void deletion(WireCursor wire) throws InvalidProtocolBufferException {
        while (wire.next()) {
            if (wire.tag() == SECONDS) {
                deletedAt = wire.readVarint();
            } else {
                wire.skip();
            }
        }
    }

    void gracePeriod(long seconds) {
        grace = seconds;
    }

    /** Sets what was collected in the pod's record. */
    void finish(PodRecord record, KnownPod.Controller controller) {
        record.drainability = drainability(controller);
        if (deletedAt > 0) {
            // Each part is limited, so that their sum does not overflow.
            record.goneAt =
                    Math.min(LATEST, Math.min(deletedAt, LATEST) + Math.min(Math.max(0, grace), LATEST) + MARGIN);
        }
    }

    private Drainability drainability(KnownPod.Controller controller) {
        if (mirror) {
            return Drainability.MIRROR;
        }
        if (controller == KnownPod.Controller.DAEMON_SET || daemon.equals("true")) {
            return Drainability.DAEMON;
        }
        if (evict.equals("true")) {
            return Drainability.SAFE_TO_EVICT;
        }
        if (evict.equals("on-completion")) {
            return Drainability.RUNS_TO_COMPLETION;
        }
        if (controller == KnownPod.Controller.NONE) {
            return Drainability.NOT_REPLICATED;
        }
        if (evict.equals("false")) {
            return Drainability.NOT_SAFE_TO_EVICT;
        }
        return localEnd > 0 && !areExempt() ? Drainability.LOCAL_STORAGE : Drainability.MOVES;
    }

    private boolean areExempt() {
        List<String> names = List.of(exempt.split(",", -1));
        for (int at = 0; at < localEnd; at += 2) {
            // An empty annotation names no volume, not even one without a name.
            if (exempt.isEmpty() || !names.contains(text(localVolumes[at], localVolumes[at + 1]))) {
                return false;
            }
        }
        return true;
    }

    private boolean is(byte[] expected, int from, int to) {
        return Arrays.equals(bytes, from, to, expected, 0, expected.length);
    }

    private String text(int from, int to) {
        return new String(bytes, from, to - from, StandardCharsets.UTF_8);
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
