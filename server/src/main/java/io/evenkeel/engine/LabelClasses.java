package io.evenkeel.engine;

import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import org.agrona.collections.IntArrayList;
import org.jspecify.annotations.Nullable;

/**
 * Distinct (namespace, labels) sets by id; ids are dense and recycled, and live while a pod has the class.
 *
 * <pre>
 *   labels[c]      as LabelIds
 *   namespace[c]
 *   position[c]    where the class stands in its namespace
 *   matches[c]     the selectors in use that match it
 * </pre>
 *
 * Which selectors match is worked out once for a class, not once for a pod.
 */
final class LabelClasses {
    static final int NONE = -1;

    private final StringTable strings;
    private final Table table = new Table();
    private int[][] labels = new int[64][];
    private @Nullable Namespace[] namespace = new Namespace[64];
    private int[] position = new int[64];
    private Selector[][] matches = new Selector[64][];
    private int[] hash = new int[64];
    private final IntArrayList freeIds = new IntArrayList();
    private int limit;
    private int[] scratch = new int[64];

    LabelClasses(StringTable strings) {
        this.strings = strings;
    }

    /** The class of these labels; made where there is none. */
    int acquire(Namespace in, Map<String, String> of) {
        int found = find(in, of);
        return found != NONE ? found : add(in, LabelIds.acquire(of, strings));
    }

    /** The class of these labels, or NONE where no pod has them. */
    int find(Namespace in, Map<String, String> of) {
        int length = of.size() * 2;
        if (length > scratch.length) {
            scratch = new int[length];
        }
        return LabelIds.find(of, strings, scratch) ? table.find(in, scratch, length) : NONE;
    }

    /** Drops a class that no pod has any more. */
    void drop(int labelClass) {
        table.remove(labelClass);
        Namespace in = namespaceOf(labelClass);
        in.removeClass(position[labelClass]);
        if (in.isSparse()) {
            in.compact(this);
        }
        LabelIds.release(labels[labelClass], strings);
        namespace[labelClass] = null;
        matches[labelClass] = new Selector[0];
        freeIds.addInt(labelClass);
    }

    boolean isLive(int labelClass) {
        return namespace[labelClass] != null;
    }

    Namespace namespaceOf(int labelClass) {
        return Objects.requireNonNull(namespace[labelClass]);
    }

    int[] labels(int labelClass) {
        return labels[labelClass];
    }

    int position(int labelClass) {
        return position[labelClass];
    }

    void setPosition(int labelClass, int to) {
        position[labelClass] = to;
    }

    Selector[] matches(int labelClass) {
        return matches[labelClass];
    }

    void setMatches(int labelClass, Selector[] selectors) {
        matches[labelClass] = selectors;
    }

    /** Ids are below this. */
    int limit() {
        return limit;
    }

    int size() {
        return table.size();
    }

    private int add(Namespace in, int[] ids) {
        int added = freeIds.isEmpty() ? limit++ : freeIds.removeAt(freeIds.size() - 1);
        if (added == labels.length) {
            int length = added * 2;
            labels = Arrays.copyOf(labels, length);
            namespace = Arrays.copyOf(namespace, length);
            position = Arrays.copyOf(position, length);
            matches = Arrays.copyOf(matches, length);
            hash = Arrays.copyOf(hash, length);
        }
        labels[added] = ids;
        namespace[added] = in;
        hash[added] = Table.hash(in, ids, ids.length);
        position[added] = in.addClass(added);
        matches[added] = in.matching(ids);
        table.insert(added);
        return added;
    }

    private final class Table extends IdTable {
        @Override
        int hashOf(int labelClass) {
            return hash[labelClass];
        }

        int find(Namespace in, int[] ids, int length) {
            for (int cell = first(hash(in, ids, length)); ; cell = next(cell)) {
                int found = at(cell);
                if (found == NONE
                        || namespace[found] == in
                                && Arrays.equals(labels[found], 0, labels[found].length, ids, 0, length)) {
                    return found;
                }
            }
        }

        static int hash(Namespace in, int[] ids, int length) {
            int hash = in.id;
            for (int i = 0; i < length; i++) {
                hash = hash * 31 + ids[i];
            }
            return hash;
        }
    }
}
