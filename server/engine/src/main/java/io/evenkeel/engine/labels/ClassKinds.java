package io.evenkeel.engine.labels;

import io.evenkeel.engine.memory.IdTable;
import io.evenkeel.engine.memory.KeyedHash;
import io.evenkeel.engine.memory.RecycledIds;
import java.util.Arrays;
import java.util.Comparator;
import org.jspecify.annotations.Nullable;

/**
 * Stores what many label classes share, as kinds: a kind is a namespace, a base of labels, and the selectors in use
 * that match. Each kind is stored once, and counted by its classes. Ids are dense and recycled.
 *
 * <pre>
 *   namespaces[kind]
 *   bases[kind]
 *   members[kind]     the selectors, by ascending id; the array is never changed
 *   hashes[kind]      of namespace, base and members: a sum, so that a member can be added or removed
 *   uses[kind]        0 if the id is free
 *   draft             the members of the kind that is being built, by ascending id, and the sum of their hashes
 * </pre>
 *
 * Kinds become equal when the selectors by which they differed go out of use. Their classes then keep their kinds, but
 * only one of the equal kinds stays in the table, since thousands of equal hashes would fill it. New classes get that
 * one.
 */
final class ClassKinds {
    private static final Selector[] NO_SELECTORS = {};
    private static final Comparator<Selector> BY_ID = Comparator.comparingInt(selector -> selector.id);

    private final Table table = new Table();
    private Namespace[] namespaces = new Namespace[16];
    private LabelBase[] bases = new LabelBase[16];
    private Selector[][] members = new Selector[16][];
    private int[] hashes = new int[16];
    private int[] uses = new int[16];
    private final RecycledIds ids;
    private Selector[] draft = new Selector[4];
    private int drafted;
    private int draftHash;
    private long memberCount;

    /**
     * The last result of {@link #with}, because a new selector is added to many classes of the same kind in sequence.
     * Null once a kind was removed or changed.
     */
    private @Nullable Selector lastMore;

    private int lastWithout;
    private int lastWith;

    ClassKinds() {
        ids = new RecycledIds();
    }

    /**
     * A copy with the same ids, whose kinds have no selectors.
     *
     * @param copies the copies of the namespaces
     */
    ClassKinds(ClassKinds other, Namespaces copies) {
        ids = new RecycledIds(other.ids);
        bases = other.bases.clone();
        uses = other.uses.clone();
        namespaces = new Namespace[uses.length];
        members = new Selector[uses.length][];
        hashes = new int[uses.length];
        Arrays.fill(members, NO_SELECTORS);
        for (int kind = 0; kind < ids.limit(); kind++) {
            if (uses[kind] > 0) {
                namespaces[kind] = copies.get(other.namespaces[kind].id);
                hashes[kind] = hash(namespaces[kind], bases[kind]);
                insertIntoTable(kind);
            }
        }
    }

    /** Begins to build a kind, which has no selectors yet. */
    void begin() {
        drafted = 0;
        draftHash = 0;
    }

    /** Adds a selector to the kind that is being built. It must be new to the kind. */
    void add(Selector selector) {
        if (drafted == draft.length) {
            draft = Arrays.copyOf(draft, drafted * 2);
        }
        int place = drafted++;
        while (place > 0 && draft[place - 1].id > selector.id) {
            draft[place] = draft[place - 1];
            place--;
        }
        draft[place] = selector;
        draftHash += hash(selector);
    }

    /** Adds a use of the kind that was built, and returns its id. */
    int acquire(Namespace namespace, LabelBase base) {
        int hash = draftHash + hash(namespace, base);
        int kind = table.find(namespace, base, draft, drafted, hash);
        if (kind == IdTable.NONE) {
            kind = ids.take();
            if (kind == uses.length) {
                namespaces = Arrays.copyOf(namespaces, kind * 2);
                bases = Arrays.copyOf(bases, kind * 2);
                members = Arrays.copyOf(members, kind * 2);
                hashes = Arrays.copyOf(hashes, kind * 2);
                uses = Arrays.copyOf(uses, kind * 2);
            }
            namespaces[kind] = namespace;
            bases[kind] = base;
            members[kind] = drafted == 0 ? NO_SELECTORS : Arrays.copyOf(draft, drafted);
            memberCount += drafted;
            hashes[kind] = hash;
            table.insert(kind, hash);
        }
        uses[kind]++;
        return kind;
    }

    /**
     * The kind with one more selector. The use of {@code kind} becomes a use of that kind. Returns {@code kind} if it
     * already has the selector.
     */
    int with(int kind, Selector more) {
        if (more == lastMore && kind == lastWithout) {
            uses[lastWith]++;
            int with = lastWith;
            release(kind);
            return with;
        }
        if (more == lastMore && kind == lastWith || place(kind, more) >= 0) {
            return kind;
        }
        Selector[] from = members[kind];
        if (draft.length < from.length) {
            draft = new Selector[from.length * 2];
        }
        System.arraycopy(from, 0, draft, 0, from.length);
        drafted = from.length;
        draftHash = hashes[kind] - hash(namespaces[kind], bases[kind]);
        add(more);
        int with = acquire(namespaces[kind], bases[kind]);
        lastWithout = kind;
        lastMore = more;
        lastWith = with;
        release(kind);
        return with;
    }

    /** Removes a selector of a namespace from all kinds; O(kinds). */
    void removeEverywhere(Namespace namespace, Selector selector) {
        lastMore = null;
        for (int kind = 0; kind < ids.limit(); kind++) {
            int place = uses[kind] > 0 && namespaces[kind] == namespace ? place(kind, selector) : -1;
            if (place >= 0) {
                removeFromTable(kind);
                members[kind] = without(members[kind], place);
                memberCount--;
                hashes[kind] -= hash(selector);
                insertIntoTable(kind);
            }
        }
    }

    /** Removes a kind from the table, unless an equal kind is there in its place. */
    private void removeFromTable(int kind) {
        if (table.has(kind)) {
            table.remove(kind);
        }
    }

    /** Adds a kind to the table, unless an equal one is there. */
    private void insertIntoTable(int kind) {
        Selector[] its = members[kind];
        if (table.find(namespaces[kind], bases[kind], its, its.length, hashes[kind]) == IdTable.NONE) {
            table.insert(kind, hashes[kind]);
        }
    }

    private static Selector[] without(Selector[] members, int place) {
        if (members.length == 1) {
            return NO_SELECTORS;
        }
        Selector[] fewer = Arrays.copyOf(members, members.length - 1);
        System.arraycopy(members, place + 1, fewer, place, fewer.length - place);
        return fewer;
    }

    /** The position of the selector among the members; negative if it is not a member. */
    private int place(int kind, Selector selector) {
        return Arrays.binarySearch(members[kind], selector, BY_ID);
    }

    void release(int kind) {
        if (--uses[kind] == 0) {
            lastMore = null;
            memberCount -= members[kind].length;
            removeFromTable(kind);
            // Otherwise a free id would keep unused selectors for as long as it stays free.
            members[kind] = NO_SELECTORS;
            ids.give(kind);
        }
    }

    /** The sum of the numbers of members of all kinds in use. */
    long memberCount() {
        return memberCount;
    }

    /** The members of a kind. The array must not be changed. */
    Selector[] members(int kind) {
        return members[kind];
    }

    Namespace namespace(int kind) {
        return namespaces[kind];
    }

    LabelBase base(int kind) {
        return bases[kind];
    }

    private static int hash(Selector selector) {
        return KeyedHash.of(selector.id, 0);
    }

    private static int hash(Namespace namespace, LabelBase base) {
        return KeyedHash.of(namespace.id, base.id);
    }

    private final class Table extends IdTable {
        @Override
        protected int hashOf(int kind) {
            return hashes[kind];
        }

        /** The kind with the first {@code count} selectors of {@code sought}, or NONE. */
        int find(Namespace namespace, LabelBase base, Selector[] sought, int count, int hash) {
            for (int cell = first(hash); cell != NONE; cell = next(cell, hash)) {
                int kind = at(cell);
                if (namespaces[kind] == namespace
                        && bases[kind] == base
                        && Arrays.equals(members[kind], 0, members[kind].length, sought, 0, count)) {
                    return kind;
                }
            }
            return NONE;
        }
    }
}
