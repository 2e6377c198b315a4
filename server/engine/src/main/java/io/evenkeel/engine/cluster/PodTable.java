package io.evenkeel.engine.cluster;

import io.evenkeel.engine.labels.LabelClasses;
import io.evenkeel.engine.labels.Namespace;
import io.evenkeel.engine.memory.CapacityException;
import io.evenkeel.engine.memory.IdTable;
import io.evenkeel.engine.memory.KeyedHash;
import io.evenkeel.engine.memory.RecycledIds;
import io.evenkeel.engine.memory.StringTable;
import io.evenkeel.engine.model.Drainability;
import io.evenkeel.engine.model.PodKey;
import io.evenkeel.engine.model.PodRecord;
import io.evenkeel.engine.model.Uid;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntConsumer;
import org.agrona.collections.Int2IntHashMap;
import org.agrona.collections.IntHashSet;

/**
 * Stores the pods of the cluster, each as a row of 16 ints. The number of a row is the pod's id; ids are dense and
 * recycled. Rows suit this table better than columns: an event reads and writes one pod, and a row takes one or two
 * cache lines.
 *
 * <pre>
 *   uid       128 bits if it is a UUID in canonical form;
 *             otherwise [ 0 | id in the string table ] with the flag OPAQUE_UID
 *   version   64 bits: resourceVersion, 0 if unknown
 *   host      the host that it is bound to or assumed on, NONE if it is pending; below it 8 bits: 5 flags, and what
 *             happens to it when its node is removed
 *   class     its label class, which also gives its namespace; NONE if the row is not a pod:
 *             the pod was deleted ({@link DeletedPods}), or the id is free
 *   name      its address in the string table
 *   requests  the id of its requests in {@link RequestTable}
 *   links     next and previous pod on its host; next and previous pod in its class
 *   priority  and when it started, in seconds without a sign, 0 if unknown: both decide only which pods are preempted
 * </pre>
 *
 * A pod is found by its UID, and by its namespace and name. Several pods may share a name (a StatefulSet's pod and its
 * successor): the table then finds one of them by name, and {@link Namesakes} leads to the others.
 *
 * <p>A copy of a table shares its pages of rows until either changes one of them. {@code isShared} says of each page
 * whether another table may have it, so that it must be copied before it is changed.
 */
public final class PodTable {
    public static final int NONE = -1;

    /** Flag: the pod has a deletionTimestamp. */
    public static final int TERMINATING = 1;
    /** Flag: the pod's phase is Succeeded or Failed. */
    public static final int FINISHED = 1 << 1;
    /** Flag: the pod's host is an assumption. */
    public static final int ASSUMED = 1 << 2;
    /** Flag: the pod is known only from an assumption. */
    public static final int UNSEEN = 1 << 3;

    private static final int OPAQUE_UID = 1 << 4;
    private static final int DRAINABILITY = 5;
    private static final int DRAINABILITY_MASK = 7 << DRAINABILITY;
    private static final int FLAG_BITS = 8;

    /** Ids of hosts are below this, since they share an int with the flags. */
    static final int HOST_LIMIT = 1 << Integer.SIZE - 1 - FLAG_BITS;

    /** The first of the two links on a host; see {@link PodList}. */
    public static final int HOST_LINKS = 10;
    /** The first of the two links in a class. */
    public static final int CLASS_LINKS = 12;

    private static final int UID_HIGH = 0;
    private static final int UID_LOW = 2;
    private static final int VERSION = 4;
    private static final int HOST_AND_FLAGS = 6;
    private static final int CLASS = 7;
    private static final int NAME = 8;
    private static final int REQUESTS = 9;
    private static final int PRIORITY = 14;
    private static final int STARTED = 15;
    private static final int ROW = 16;

    private static final int PAGE_BITS = 12;
    private static final int PAGE_MASK = (1 << PAGE_BITS) - 1;
    private static final int PAGE_INTS = ROW << PAGE_BITS;

    private final StringTable strings;
    private final LabelClasses classes;
    private final int most;
    private final UidTable byUid = new UidTable();
    private final NameTable byName = new NameTable();
    private final Namesakes namesakes;
    private int[][] pages;
    private boolean[] isShared;
    private final RecycledIds ids;

    /** {@link PodRecord#goneAt} of the terminating pods of which it is known, without a sign. */
    private final Int2IntHashMap goneAt;

    /** The terminating pods of which it is known that they were preempted. */
    private final IntHashSet preempted;

    private int live;

    public PodTable(StringTable strings, LabelClasses classes, int most) {
        this.strings = strings;
        this.classes = classes;
        this.most = most;
        namesakes = new Namesakes();
        pages = new int[][] {new int[16 * ROW]};
        isShared = new boolean[1];
        ids = new RecycledIds();
        goneAt = new Int2IntHashMap(0);
        preempted = new IntHashSet();
    }

    /**
     * A copy with the same ids.
     *
     * @param strings a copy of the other's
     * @param classes a copy of the other's
     */
    public PodTable(PodTable other, StringTable strings, LabelClasses classes) {
        this.strings = strings;
        this.classes = classes;
        most = other.most;
        byUid.shareWith(other.byUid);
        byName.shareWith(other.byName);
        namesakes = new Namesakes(other.namesakes);
        pages = other.pages.clone();
        Arrays.fill(other.isShared, true);
        isShared = other.isShared.clone();
        ids = new RecycledIds(other.ids);
        goneAt = new Int2IntHashMap(other.goneAt);
        preempted = new IntHashSet();
        preempted.addAll(other.preempted);
        live = other.live;
    }

    /** The row of the pod or deleted pod with a UID, or NONE. */
    public int locate(Uid uid) {
        if (!uid.isOpaque()) {
            return byUid.find(uid.high(), uid.low(), 0);
        }
        int id = uid.find(strings);
        return id == StringTable.NONE ? NONE : byUid.find(0, id, OPAQUE_UID);
    }

    /** The row of the pod with a UID, or NONE. */
    public int find(Uid uid) {
        int row = locate(uid);
        return row != NONE && isLive(row) ? row : NONE;
    }

    /** The row of the pod that a key names by its UID, or NONE. */
    public int find(PodKey key) {
        if (!key.isUuid()) {
            return find(Uid.of(key.uid()));
        }
        int row = byUid.find(key.high(), key.low(), 0);
        return row != NONE && isLive(row) ? row : NONE;
    }

    /**
     * Loads the memory that {@link #find(PodKey)} needs into the processor's cache, for all of these keys at the same
     * time, as {@link PodFetch} does for events. The result has no meaning.
     */
    public int fetch(List<PodKey> keys, int from, int to) {
        int[] hashes = new int[to - from];
        int uuids = 0;
        for (int i = from; i < to; i++) {
            PodKey key = keys.get(i);
            if (key.isUuid()) {
                hashes[uuids++] = KeyedHash.of(key.high(), key.low());
            }
        }
        int all = fetchCells(hashes, uuids, hashes, 0);
        int[] rows = new int[uuids];
        int found = probable(hashes, uuids, rows);
        for (int i = 0; i < found; i++) {
            all += fetchRow(rows[i]);
        }
        return all;
    }

    // ---- for PodFetch: these only read memory, and their results have no meaning

    /** Reads the cells at which the searches for these hashes of UIDs and names begin. */
    int fetchCells(int[] uidHashes, int uids, int[] nameHashes, int names) {
        return byUid.fetch(uidHashes, uids) + byName.fetch(nameHashes, names);
    }

    /**
     * Collects the rows whose UID probably has one of these hashes; returns how many. A tag may match by chance: the
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

    /** Reads the rows of the pod's neighbours in its lists, and its name. */
    int fetchAround(int pod) {
        int all = 0;
        for (int link = HOST_LINKS; link < HOST_LINKS + 4; link++) {
            int other = get(pod, link);
            all += other == NONE ? 0 : get(other, HOST_LINKS);
        }
        return labelClass(pod) == NONE ? all : all + strings.fetch(get(pod, NAME));
    }

    /** Adds all pods with this namespace and name to {@code found}. */
    public void findByName(Namespace namespace, byte[] podName, List<Integer> found) {
        int pod = byName.find(namespace, podName, 0, podName.length, KeyedHash.of(podName, 0, podName.length));
        if (pod != NONE) {
            namesakes.addAll(pod, found);
        }
    }

    /**
     * Adds a row for a UID that has none. The row is not a pod until {@link #fill}.
     *
     * @throws CapacityException if there is no room for it; nothing is changed
     */
    public int addRow(Uid uid) {
        if (ids.areAllTaken(most)) {
            throw new CapacityException("there is no room for another pod: there are already " + most
                    + " pods and UIDs of deleted pods; delete pods");
        }
        int text = uid.isOpaque() ? uid.acquire(strings) : StringTable.NONE;
        int pod = ids.take();
        int[] page = pageFor(pod);
        int row = row(pod);
        setLong(page, row + UID_HIGH, uid.isOpaque() ? 0 : uid.high());
        setLong(page, row + UID_LOW, uid.isOpaque() ? text : uid.low());
        setLong(page, row + VERSION, 0);
        page[row + HOST_AND_FLAGS] = NONE << FLAG_BITS | (uid.isOpaque() ? OPAQUE_UID : 0);
        page[row + CLASS] = NONE;
        byUid.insert(pod, byUid.hashOf(pod));
        return pod;
    }

    /** The hash by which a pod is found by its namespace and name. */
    static int nameHash(PodRecord record, Namespace in) {
        return NameTable.hash(record.nameHash, in);
    }

    /**
     * Stores the name of a record for one pod, and returns its address.
     *
     * @throws CapacityException if there is no room for it; nothing is changed
     */
    public int holdName(PodRecord record) {
        return strings.acquireName(record.bytes, record.nameFrom, record.nameTo, record.nameHash);
    }

    /** Releases a name from {@link #holdName} that no pod has taken. */
    public void releaseName(int name) {
        strings.releaseName(name);
    }

    /**
     * Turns a row into a pod without host and without flags.
     *
     * @param name the address from {@link #holdName}
     */
    public void fill(int pod, PodRecord record, int ofClass, int name) {
        int[] page = ownPage(pod);
        int row = row(pod);
        page[row + HOST_AND_FLAGS] = NONE << FLAG_BITS | page[row + HOST_AND_FLAGS] & OPAQUE_UID;
        page[row + CLASS] = ofClass;
        page[row + NAME] = name;
        nameIt(pod, record, classes.namespaceOf(ofClass));
        live++;
    }

    /** Makes a row stop being a pod. The row stays; the pod's class must still exist. */
    public void strip(int pod) {
        unname(pod);
        strings.releaseName(get(pod, NAME));
        set(pod, CLASS, NONE);
        if (!goneAt.isEmpty()) {
            goneAt.remove(pod);
        }
        if (!preempted.isEmpty()) {
            preempted.remove(pod);
        }
        live--;
    }

    /** Frees a row that is not a pod, so that its id can be used again. */
    public void free(int pod) {
        byUid.remove(pod);
        if (is(pod, OPAQUE_UID)) {
            strings.release((int) uidLow(pod));
        }
        ids.give(pod);
    }

    /**
     * Gives a live pod another class, and the name of the record.
     *
     * @param name the address from {@link #holdName}; NONE if the pod already has that name
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
            strings.releaseName(get(pod, NAME));
            set(pod, NAME, name);
        }
        nameIt(pod, record, classes.namespaceOf(ofClass));
    }

    /** Adds a pod to the look-up by name, under the record's name. */
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
     * For validation: calls {@code use} with each text that a row uses. These are opaque UIDs, also of deleted pods,
     * and names that are in use as labels too.
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
        return pod < ids.limit() && labelClass(pod) != NONE;
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

    /** Sets the resourceVersion of a pod or a deleted pod. */
    public void setVersion(int pod, long resourceVersion) {
        setLong(ownPage(pod), row(pod) + VERSION, resourceVersion);
    }

    public int host(int pod) {
        return get(pod, HOST_AND_FLAGS) >> FLAG_BITS;
    }

    public void setHost(int pod, int toHost) {
        int flags = get(pod, HOST_AND_FLAGS) & (1 << FLAG_BITS) - 1;
        set(pod, HOST_AND_FLAGS, toHost << FLAG_BITS | flags);
    }

    /** The id of its requests in {@link RequestTable}. */
    public int requests(int pod) {
        return get(pod, REQUESTS);
    }

    public void setRequests(int pod, int id) {
        set(pod, REQUESTS, id);
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

    /** Sets what {@link #drainability} and {@link #goneAt} return. */
    public void setDraining(int pod, PodRecord record) {
        int rest = get(pod, HOST_AND_FLAGS) & ~DRAINABILITY_MASK;
        set(pod, HOST_AND_FLAGS, rest | record.drainability.ordinal() << DRAINABILITY);
        if (record.goneAt != 0) {
            goneAt.put(pod, (int) record.goneAt);
        } else if (!goneAt.isEmpty()) {
            goneAt.remove(pod);
        }
    }

    public Drainability drainability(int pod) {
        return Drainability.of((get(pod, HOST_AND_FLAGS) & DRAINABILITY_MASK) >> DRAINABILITY);
    }

    /** See {@link PodRecord#goneAt}. */
    public long goneAt(int pod) {
        return goneAt.isEmpty() ? 0 : Integer.toUnsignedLong(goneAt.get(pod));
    }

    /** For validation: calls {@code visitor} with each pod for which {@link #goneAt} is set. */
    public void forEachGoing(IntConsumer visitor) {
        goneAt.forEachInt((pod, at) -> visitor.accept(pod));
    }

    /**
     * Sets what {@link #priority}, {@link #startedAt} and {@link #wasPreempted} return; returns whether one of them
     * changes.
     */
    public boolean setImportance(int pod, PodRecord record) {
        int started = (int) record.startedAt;
        boolean news = get(pod, PRIORITY) != record.priority
                || get(pod, STARTED) != started
                || wasPreempted(pod) != record.preempted;
        if (news) {
            set(pod, PRIORITY, record.priority);
            set(pod, STARTED, started);
            if (record.preempted) {
                preempted.add(pod);
            } else {
                preempted.remove(pod);
            }
        }
        return news;
    }

    public int priority(int pod) {
        return get(pod, PRIORITY);
    }

    /** See {@link PodRecord#startedAt}. */
    public long startedAt(int pod) {
        return Integer.toUnsignedLong(get(pod, STARTED));
    }

    /** See {@link PodRecord#preempted}. */
    public boolean wasPreempted(int pod) {
        return !preempted.isEmpty() && preempted.contains(pod);
    }

    /** For validation: calls {@code visitor} with each pod that was preempted. */
    public void forEachPreempted(IntConsumer visitor) {
        preempted.forEachInt(visitor);
    }

    /** Compares the UIDs of two pods. The order has no meaning, but is the same in every table. */
    public int compareUids(int one, int other) {
        if (is(one, OPAQUE_UID) || is(other, OPAQUE_UID)) {
            return uid(one).compareTo(uid(other));
        }
        int high = Long.compareUnsigned(uidHigh(one), uidHigh(other));
        return high != 0 ? high : Long.compareUnsigned(uidLow(one), uidLow(other));
    }

    /** Whether the pod counts on its host: it is neither terminating nor finished. */
    public boolean counts(int pod) {
        return !is(pod, TERMINATING | FINISHED);
    }

    /**
     * Writes class and host of each pod from {@code from} up to {@code to}, exclusive, at the pod's id. The class is
     * NONE if the pod is on no host or does not count. This is a tight loop because it runs over many pods.
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
        return ids.limit();
    }

    /** How many pods there are. */
    public int size() {
        return live;
    }

    /** How many rows have a UID: pods and deleted pods. */
    public int rows() {
        return byUid.size();
    }

    /** How many cells the longest search by UID or name looks at. Visits all cells. */
    public int longestSearch() {
        return Math.max(byUid.longestSearch(), byName.longestSearch());
    }

    /** A field of a pod's row. */
    int get(int pod, int field) {
        return page(pod)[row(pod) + field];
    }

    void set(int pod, int field, int value) {
        ownPage(pod)[row(pod) + field] = value;
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

    /** The page of a pod, which this table may change. */
    private int[] ownPage(int pod) {
        int number = pod >>> PAGE_BITS;
        if (isShared[number]) {
            pages[number] = pages[number].clone();
            isShared[number] = false;
        }
        return pages[number];
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

    /** The page of an id, with room for its row. */
    private int[] pageFor(int pod) {
        int number = pod >>> PAGE_BITS;
        if (number == pages.length) {
            pages = Arrays.copyOf(pages, number * 2);
            isShared = Arrays.copyOf(isShared, pages.length);
        }
        if (pages[number] == null) {
            pages[number] = new int[PAGE_INTS];
        } else if (row(pod) == pages[number].length) {
            // The first page starts small and doubles; the others have their full size at once.
            pages[number] = Arrays.copyOf(pages[number], pages[number].length * 2);
            isShared[number] = false;
        }
        return ownPage(pod);
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
