package io.evenkeel.engine;

import java.util.Arrays;
import org.agrona.collections.IntArrayList;

/**
 * Pods by id, in parallel arrays; ids are dense and recycled.
 *
 * <pre>
 *   uid       128 bits where it is a UUID in canonical form; else [ 0 | id in the string table ] with the flag OPAQUE_UID
 *   host      the host it is bound to or assumed on, NONE where it is pending
 *   class     its label class, and by that its namespace
 *   version   resourceVersion, 0 where unknown
 *   name      where its name begins in the name store
 *   flags     below
 * </pre>
 *
 * Found by UID and by namespace and name; several pods may share a name (a StatefulSet's pod and its successor).
 */
final class PodTable {
    static final int NONE = -1;

    /** Has a deletionTimestamp. */
    static final int TERMINATING = 1;
    /** Succeeded or Failed. */
    static final int FINISHED = 1 << 1;
    /** Its host is an assumption. */
    static final int ASSUMED = 1 << 2;
    /** Known from an assumption alone. */
    static final int UNSEEN = 1 << 3;

    private static final int OPAQUE_UID = 1 << 4;
    private static final int UUID_LENGTH = 36;

    private final StringTable strings;
    private final LabelClasses classes;
    private final UidTable byUid = new UidTable();
    private final NameTable byName = new NameTable();
    private NameStore names = new NameStore();

    private long[] uidHigh = new long[64];
    private long[] uidLow = new long[64];
    private long[] version = new long[64];
    private int[] host = new int[64];
    private int[] labelClass = new int[64];
    private int[] name = new int[64];
    private byte[] flags = new byte[64];
    private final IntArrayList freeIds = new IntArrayList();
    private int limit;
    private long high;
    private long low;

    PodTable(StringTable strings, LabelClasses classes) {
        this.strings = strings;
        this.classes = classes;
    }

    /** The pod of a UID, or NONE. */
    int find(String uid) {
        if (parse(uid)) {
            return byUid.find(high, low, 0);
        }
        int id = strings.find(uid);
        return id == StringTable.NONE ? NONE : byUid.find(0, id, OPAQUE_UID);
    }

    /** The pod of a name that comes after {@code pod} in no particular order, or the first where that is NONE; NONE where there is no more. */
    int findByName(Namespace namespace, String podName, int pod) {
        return byName.find(namespace.id, podName, pod);
    }

    /** A new pod, bound to no host, without flags. */
    int add(String uid, int ofClass, String podName) {
        int pod = freeIds.isEmpty() ? limit++ : freeIds.removeAt(freeIds.size() - 1);
        if (pod == version.length) {
            grow(pod + (pod >>> 1));
        }
        if (parse(uid)) {
            uidHigh[pod] = high;
            uidLow[pod] = low;
            flags[pod] = 0;
        } else {
            uidHigh[pod] = 0;
            uidLow[pod] = strings.acquire(uid);
            flags[pod] = OPAQUE_UID;
        }
        version[pod] = 0;
        host[pod] = NONE;
        labelClass[pod] = ofClass;
        name[pod] = names.add(podName);
        byUid.insert(pod);
        byName.insert(pod);
        return pod;
    }

    void remove(int pod) {
        byUid.remove(pod);
        byName.remove(pod);
        names.drop(name[pod]);
        if ((flags[pod] & OPAQUE_UID) != 0) {
            strings.release((int) uidLow[pod]);
        }
        labelClass[pod] = NONE;
        freeIds.addInt(pod);
        if (names.isSparse()) {
            compactNames();
        }
    }

    /** Gives a live pod another class and name. */
    void rename(int pod, int ofClass, String podName) {
        boolean sameName = podName.equals(name(pod));
        if (sameName && classes.namespaceOf(ofClass) == classes.namespaceOf(labelClass[pod])) {
            labelClass[pod] = ofClass;
            return;
        }
        byName.remove(pod);
        labelClass[pod] = ofClass;
        if (!sameName) {
            names.drop(name[pod]);
            name[pod] = names.add(podName);
        }
        byName.insert(pod);
    }

    boolean isLive(int pod) {
        return pod < limit && labelClass[pod] != NONE;
    }

    String uid(int pod) {
        return (flags[pod] & OPAQUE_UID) != 0
                ? strings.get((int) uidLow[pod])
                : new java.util.UUID(uidHigh[pod], uidLow[pod]).toString();
    }

    String name(int pod) {
        return names.get(name[pod]);
    }

    long version(int pod) {
        return version[pod];
    }

    void setVersion(int pod, long resourceVersion) {
        version[pod] = resourceVersion;
    }

    int host(int pod) {
        return host[pod];
    }

    void setHost(int pod, int toHost) {
        host[pod] = toHost;
    }

    int labelClass(int pod) {
        return labelClass[pod];
    }

    boolean is(int pod, int flag) {
        return (flags[pod] & flag) != 0;
    }

    void set(int pod, int flag, boolean on) {
        flags[pod] = (byte) (on ? flags[pod] | flag : flags[pod] & ~flag);
    }

    /** Whether it counts on the node of its host. */
    boolean counts(int pod) {
        return (flags[pod] & (TERMINATING | FINISHED)) == 0;
    }

    /** Ids are below this. */
    int limit() {
        return limit;
    }

    int size() {
        return byUid.size();
    }

    /** Reads a UUID in canonical form (lower case, dashes) into {@code high} and {@code low}. */
    private boolean parse(String uid) {
        if (uid.length() != UUID_LENGTH) {
            return false;
        }
        long first = 0;
        long second = 0;
        int digits = 0;
        for (int i = 0; i < UUID_LENGTH; i++) {
            char c = uid.charAt(i);
            if (i == 8 || i == 13 || i == 18 || i == 23) {
                if (c != '-') {
                    return false;
                }
                continue;
            }
            int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
            if (digit < 0) {
                return false;
            }
            if (digits++ < 16) {
                first = first << 4 | digit;
            } else {
                second = second << 4 | digit;
            }
        }
        high = first;
        low = second;
        return true;
    }

    private void compactNames() {
        NameStore compact = new NameStore();
        for (int pod = 0; pod < limit; pod++) {
            if (labelClass[pod] != NONE) {
                name[pod] = names.copyTo(compact, name[pod]);
            }
        }
        names = compact;
    }

    private void grow(int length) {
        uidHigh = Arrays.copyOf(uidHigh, length);
        uidLow = Arrays.copyOf(uidLow, length);
        version = Arrays.copyOf(version, length);
        host = Arrays.copyOf(host, length);
        labelClass = Arrays.copyOf(labelClass, length);
        name = Arrays.copyOf(name, length);
        flags = Arrays.copyOf(flags, length);
    }

    private final class UidTable extends IdTable {
        @Override
        int hashOf(int pod) {
            return hash(uidHigh[pod], uidLow[pod]);
        }

        int find(long ofHigh, long ofLow, int opaque) {
            for (int cell = first(hash(ofHigh, ofLow)); ; cell = next(cell)) {
                int pod = at(cell);
                if (pod == NONE
                        || uidHigh[pod] == ofHigh && uidLow[pod] == ofLow && (flags[pod] & OPAQUE_UID) == opaque) {
                    return pod;
                }
            }
        }

        private static int hash(long high, long low) {
            return Long.hashCode(high * 31 + low);
        }
    }

    private final class NameTable extends IdTable {
        @Override
        int hashOf(int pod) {
            return names.hash(name[pod]) * 31 + classes.namespaceOf(labelClass[pod]).id;
        }

        int find(int namespaceId, String podName, int after) {
            byte[] text = podName.getBytes(java.nio.charset.StandardCharsets.UTF_8);
            boolean past = after == NONE;
            for (int cell = first(NameStore.hash(text) * 31 + namespaceId); ; cell = next(cell)) {
                int pod = at(cell);
                if (pod == NONE) {
                    return NONE;
                }
                if (past && names.is(name[pod], text) && classes.namespaceOf(labelClass[pod]).id == namespaceId) {
                    return pod;
                }
                past |= pod == after;
            }
        }
    }
}
