package io.evenkeel.engine.cluster;

import io.evenkeel.engine.labels.LabelClasses;
import io.evenkeel.engine.labels.Namespace;
import io.evenkeel.engine.memory.CapacityException;
import io.evenkeel.engine.memory.IdTable;
import io.evenkeel.engine.memory.KeyedHash;
import io.evenkeel.engine.memory.StringTable;
import io.evenkeel.engine.model.PodRecord;
import io.evenkeel.engine.model.Uid;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntConsumer;
import org.agrona.collections.IntArrayList;

/**
 * Pods by id, a row of 13 ints each, in pages; ids are dense and recycled. Rows rather than columns: an event touches
 * one pod, and a row is one cache line or two.
 *
 * <pre>
 *   uid       128 bits where it is a UUID in canonical form; else [ 0 | id in the string table ] with the flag
 *             OPAQUE_UID
 *   version   64 bits: resourceVersion, 0 where unknown
 *   host      the host it is bound to or assumed on, NONE where it is pending; and below it 5 bits of flags
 *   class     its label class, and by that its namespace; NONE where the row is no pod: it was deleted ({@link
 *             DeletedPods}), or its id is free
 *   name      its address in the string table
 *   links     next and previous on its host; next and previous in its class
 * </pre>
 *
 * Found by UID and by namespace and name; several pods may share a name (a StatefulSet's pod and its successor): then
 * one of them is found by it, and the others from there ({@link Namesakes}).
 */
public final class PodTable {
    public static final int NONE = -1;

    /** Has a deletionTimestamp. */
    public static final int TERMINATING = 1;
    /** Succeeded or Failed. */
    public static final int FINISHED = 1 << 1;
    /** Its host is an assumption. */
    public static final int ASSUMED = 1 << 2;
    /** Known from an assumption alone. */
    public static final int UNSEEN = 1 << 3;

    private static final int OPAQUE_UID = 1 << 4;
    private static final int FLAG_BITS = 5;

    /** Hosts are below this: their ids stand above the flags. */
    static final int HOST_LIMIT = 1 << Integer.SIZE - 1 - FLAG_BITS;

    /** The first of the two links on a host; see {@link PodList}. */
    public static final int HOST_LINKS = 9;
    /** The first of the two links in a class. */
    public static final int CLASS_LINKS = 11;

    private static final int UID_HIGH = 0;
    private static final int UID_LOW = 2;
    private static final int VERSION = 4;
    private static final int HOST_AND_FLAGS = 6;
    private static final int CLASS = 7;
    private static final int NAME = 8;
    private static final int ROW = 13;

    private static final int PAGE_BITS = 12;
    private static final int PAGE_MASK = (1 << PAGE_BITS) - 1;
    private static final int PAGE_INTS = ROW << PAGE_BITS;

    private final StringTable strings;
    private final LabelClasses classes;
    private final int most;
    private final UidTable byUid = new UidTable();
    private final NameTable byName = new NameTable();
    private final Namesakes namesakes = new Namesakes();
    private int[][] pages = {new int[16 * ROW]};
    private final IntArrayList freeIds = new IntArrayList();
    private int limit;
    private int live;

    public PodTable(StringTable strings, LabelClasses classes, int most) {
        this.strings = strings;
        this.classes = classes;
        this.most = most;
    }

    /** The row of a UID, of a pod or of a deleted one, or NONE. */
    public int locate(Uid uid) {
        if (!uid.isOpaque()) {
            return byUid.find(uid.high(), uid.low(), 0);
        }
        int id = uid.find(strings);
        return id == StringTable.NONE ? NONE : byUid.find(0, id, OPAQUE_UID);
    }

    /** The pod of a UID, or NONE. */
    public int find(Uid uid) {
        int row = locate(uid);
        return row != NONE && isLive(row) ? row : NONE;
    }

    // ---- for PodFetch: what these answer means nothing, but makes sure that it is read

    /** Reads the cells where UIDs and names of these hashes are looked for. */
    int fetchCells(int[] uidHashes, int uids, int[] nameHashes, int names) {
        return byUid.fetch(uidHashes, uids) + byName.fetch(nameHashes, names);
    }

    /**
     * Collects the rows whose UID probably has one of these hashes; answers how many. A tag may match by chance: the
     * caller compares the UIDs.
     */
    int probable(int[] uidHashes, int uids, int[] into) {
        int found = 0;
        for (int i = 0; i < uids; i++) {
            int cell = byUid.first(uidHashes[i]);
            if (cell != NONE) {
                into[found++] = byUid.at(cell);
            }
        }
        return found;
    }

    int fetchRow(int pod) {
        return get(pod, UID_HIGH) + get(pod, CLASS_LINKS + 1);
    }

    /** Reads the rows next to a pod's in its lists, and its name. */
    int fetchAround(int pod) {
        int all = 0;
        for (int link = HOST_LINKS; link < HOST_LINKS + 4; link++) {
            int other = get(pod, link);
            all += other == NONE ? 0 : get(other, HOST_LINKS);
        }
        return labelClass(pod) == NONE ? all : all + strings.fetch(get(pod, NAME));
    }

    /** Adds the pods of a name to {@code found}. */
    public void findByName(Namespace namespace, byte[] podName, List<Integer> found) {
        int pod = byName.find(namespace, podName, 0, podName.length, KeyedHash.of(podName, 0, podName.length));
        if (pod != NONE) {
            namesakes.addAll(pod, found);
        }
    }

    /**
     * A new row for a UID that has none; no pod yet.
     *
     * @throws CapacityException where there is no room for it; nothing is changed
     */
    public int addRow(Uid uid) {
        if (freeIds.isEmpty() && limit == most) {
            throw new CapacityException("pods and UIDs of deleted pods must be at most " + most + ": delete pods");
        }
        int text = uid.isOpaque() ? uid.acquire(strings) : StringTable.NONE;
        int pod = freeIds.isEmpty() ? newId() : freeIds.popInt();
        int[] page = page(pod);
        int row = row(pod);
        setLong(page, row + UID_HIGH, uid.isOpaque() ? 0 : uid.high());
        setLong(page, row + UID_LOW, uid.isOpaque() ? text : uid.low());
        setLong(page, row + VERSION, 0);
        page[row + HOST_AND_FLAGS] = NONE << FLAG_BITS | (uid.isOpaque() ? OPAQUE_UID : 0);
        page[row + CLASS] = NONE;
        byUid.insert(pod, byUid.hashOf(pod));
        return pod;
    }

    /** The hash that a pod's name is found by. */
    static int nameHash(PodRecord record, Namespace in) {
        return NameTable.hash(record.nameHash, in);
    }

    /**
     * The address of a record's name, for one pod.
     *
     * @throws CapacityException where there is no room for it; nothing is changed
     */
    public int holdName(PodRecord record) {
        return strings.hold(record.bytes, record.nameFrom, record.nameTo, record.nameHash);
    }

    /** Lets go of a name that no pod took. */
    public void letGoName(int name) {
        strings.letGo(name);
    }

    /**
     * A row becomes a pod, bound to no host, without flags.
     *
     * @param name of {@link #holdName}
     */
    public void fill(int pod, PodRecord record, int ofClass, int name) {
        int[] page = page(pod);
        int row = row(pod);
        page[row + HOST_AND_FLAGS] = NONE << FLAG_BITS | page[row + HOST_AND_FLAGS] & OPAQUE_UID;
        page[row + CLASS] = ofClass;
        page[row + NAME] = name;
        nameIt(pod, record, classes.namespaceOf(ofClass));
        live++;
    }

    /** A pod whose class still lives is none any more; its row stays. */
    public void strip(int pod) {
        unname(pod);
        strings.letGo(get(pod, NAME));
        set(pod, CLASS, NONE);
        live--;
    }

    /** A row that is no pod goes; its id may be another's. */
    public void free(int pod) {
        byUid.remove(pod);
        if (is(pod, OPAQUE_UID)) {
            strings.release((int) uidLow(pod));
        }
        freeIds.addInt(pod);
    }

    /**
     * Gives a live pod another class, and the name of the record.
     *
     * @param name of {@link #holdName}; NONE where the pod has that name
     */
    public void rename(int pod, PodRecord record, int ofClass, int name) {
        boolean sameName = name == NONE;
        if (sameName && classes.namespaceOf(ofClass) == classes.namespaceOf(labelClass(pod))) {
            set(pod, CLASS, ofClass);
            return;
        }
        unname(pod);
        set(pod, CLASS, ofClass);
        if (!sameName) {
            strings.letGo(get(pod, NAME));
            set(pod, NAME, name);
        }
        nameIt(pod, record, classes.namespaceOf(ofClass));
    }

    /** Has a pod of the record's name found by it. */
    private void nameIt(int pod, PodRecord record, Namespace in) {
        int first = byName.find(in, record.bytes, record.nameFrom, record.nameTo, record.nameHash);
        if (first == NONE) {
            byName.insert(pod, nameHash(record, in));
        } else {
            namesakes.join(first, pod);
        }
    }

    private void unname(int pod) {
        if (!namesakes.has(pod)) {
            byName.remove(pod);
            return;
        }
        int other = namesakes.leave(pod);
        if (byName.has(pod)) {
            int hash = byName.hashOf(pod);
            byName.remove(pod);
            byName.insert(other, hash);
        }
    }

    public boolean hasNameOf(int pod, PodRecord record) {
        return strings.is(get(pod, NAME), record.bytes, record.nameFrom, record.nameTo);
    }

    /**
     * Tells {@code use} of each text that a row uses: opaque UIDs of pods and deleted ones, and names that are in use
     * otherwise too.
     */
    public void forEachText(IntConsumer use) {
        byUid.forEachId(row -> {
            if (is(row, OPAQUE_UID)) {
                use.accept((int) uidLow(row));
            }
            if (isLive(row) && strings.isText(get(row, NAME))) {
                use.accept(get(row, NAME));
            }
        });
    }

    public boolean isLive(int pod) {
        return pod < limit && labelClass(pod) != NONE;
    }

    public String uid(int pod) {
        return is(pod, OPAQUE_UID) ? strings.get((int) uidLow(pod)) : Uid.text(uidHigh(pod), uidLow(pod));
    }

    public String name(int pod) {
        return strings.get(get(pod, NAME));
    }

    public long version(int pod) {
        return getLong(page(pod), row(pod) + VERSION);
    }

    /** Of a pod or a deleted one. */
    public void setVersion(int pod, long resourceVersion) {
        setLong(page(pod), row(pod) + VERSION, resourceVersion);
    }

    public int host(int pod) {
        return get(pod, HOST_AND_FLAGS) >> FLAG_BITS;
    }

    public void setHost(int pod, int toHost) {
        int flags = get(pod, HOST_AND_FLAGS) & (1 << FLAG_BITS) - 1;
        set(pod, HOST_AND_FLAGS, toHost << FLAG_BITS | flags);
    }

    public int labelClass(int pod) {
        return get(pod, CLASS);
    }

    public boolean is(int pod, int flag) {
        return (get(pod, HOST_AND_FLAGS) & flag) != 0;
    }

    public void set(int pod, int flag, boolean on) {
        int now = get(pod, HOST_AND_FLAGS);
        set(pod, HOST_AND_FLAGS, on ? now | flag : now & ~flag);
    }

    /** Whether it counts on the node of its host. */
    public boolean counts(int pod) {
        return !is(pod, TERMINATING | FINISHED);
    }

    /**
     * Writes class and host of each pod from {@code from} up to {@code to} by its id; the class is NONE where the pod
     * is on no host or does not count. A tight loop over many pods.
     */
    void copyCounting(int from, int to, int[] intoClasses, int[] intoHosts) {
        for (int first = from; first < to; first = (first | PAGE_MASK) + 1) {
            int[] page = page(first);
            int last = Math.min(to - 1, first | PAGE_MASK);
            int row = row(first);
            for (int pod = first; pod <= last; pod++, row += ROW) {
                int hostAndFlags = page[row + HOST_AND_FLAGS];
                boolean counts = hostAndFlags >= 0 && (hostAndFlags & (TERMINATING | FINISHED)) == 0;
                intoClasses[pod] = counts ? page[row + CLASS] : NONE;
                intoHosts[pod] = hostAndFlags >> FLAG_BITS;
            }
        }
    }

    /** Ids are below this. */
    public int limit() {
        return limit;
    }

    /** How many pods there are. */
    public int size() {
        return live;
    }

    /** How many rows have a UID: pods and deleted ones. */
    public int rows() {
        return byUid.size();
    }

    /** How many cells the longest search by UID or name looks at. Walks all. */
    public int longestSearch() {
        return Math.max(byUid.longestSearch(), byName.longestSearch());
    }

    /** A field of a pod's row. */
    int get(int pod, int field) {
        return page(pod)[row(pod) + field];
    }

    void set(int pod, int field, int value) {
        page(pod)[row(pod) + field] = value;
    }

    private long uidHigh(int pod) {
        return getLong(page(pod), row(pod) + UID_HIGH);
    }

    private long uidLow(int pod) {
        return getLong(page(pod), row(pod) + UID_LOW);
    }

    private int[] page(int pod) {
        return pages[pod >>> PAGE_BITS];
    }

    private static int row(int pod) {
        return (pod & PAGE_MASK) * ROW;
    }

    private static long getLong(int[] page, int at) {
        return (long) page[at] << Integer.SIZE | page[at + 1] & 0xFFFF_FFFFL;
    }

    private static void setLong(int[] page, int at, long value) {
        page[at] = (int) (value >>> Integer.SIZE);
        page[at + 1] = (int) value;
    }

    private int newId() {
        int pod = limit++;
        int number = pod >>> PAGE_BITS;
        if (number == pages.length) {
            pages = Arrays.copyOf(pages, number * 2);
        }
        if (number > 0 && row(pod) == 0) {
            pages[number] = new int[PAGE_INTS];
        } else if (row(pod) == pages[number].length) {
            // The first page grows to its size; the others have it from the first.
            pages[number] = Arrays.copyOf(pages[number], pages[number].length * 2);
        }
        return pod;
    }

    private final class UidTable extends IdTable {
        @Override
        protected int hashOf(int pod) {
            return KeyedHash.of(uidHigh(pod), uidLow(pod));
        }

        int find(long high, long low, int opaque) {
            int hash = KeyedHash.of(high, low);
            for (int cell = first(hash); cell != NONE; cell = next(cell, hash)) {
                int pod = at(cell);
                if (uidLow(pod) == low && uidHigh(pod) == high && (get(pod, HOST_AND_FLAGS) & OPAQUE_UID) == opaque) {
                    return pod;
                }
            }
            return NONE;
        }
    }

    private final class NameTable extends IdTable {
        @Override
        protected int hashOf(int pod) {
            return hash(strings.hash(get(pod, NAME)), classes.namespaceOf(labelClass(pod)));
        }

        static int hash(int nameHash, Namespace namespace) {
            return nameHash * 31 + namespace.id;
        }

        int find(Namespace namespace, byte[] text, int from, int to, int nameHash) {
            int hash = hash(nameHash, namespace);
            for (int cell = first(hash); cell != NONE; cell = next(cell, hash)) {
                int pod = at(cell);
                if (strings.is(get(pod, NAME), text, from, to) && classes.namespaceOf(labelClass(pod)) == namespace) {
                    return pod;
                }
            }
            return NONE;
        }
    }
}
