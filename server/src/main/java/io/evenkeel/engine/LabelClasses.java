package io.evenkeel.engine;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Distinct (namespace, labels) sets; a class lives while a pod has it. Its id is where its record stands.
 *
 * <pre>
 *   record:  [ set | position | first pod | key id | value id | … ]      ints, in pages
 *
 *   set         24 bits: the selectors in use that match it, and by that its namespace ({@link SelectorSets}); 8 bits: how many labels; 255 where there are
 *               as many or more, then the number stands before the labels
 *   position    where the class stands in its namespace
 *   first pod   of its pods ({@link PodList})
 *   labels      as LabelIds
 * </pre>
 *
 * Which selectors match is worked out once for a class, not once for a pod. A pod with labels of its own costs a record of its own, so records are small.
 */
final class LabelClasses implements PodList.Heads {
    static final int NONE = -1;

    private static final int SET = 0;
    private static final int POSITION = 1;
    private static final int FIRST_POD = 2;
    private static final int HEADER = 3;
    private static final int LABEL_BITS = 8;
    private static final int MANY = (1 << LABEL_BITS) - 1;
    private static final int MOST_SETS = 1 << (Integer.SIZE - LABEL_BITS);

    private final StringTable strings;
    private final SelectorSets sets = new SelectorSets();
    private final PagedSpace space = new PagedSpace();
    private final Table table = new Table();
    private int[][] pages = new int[4][];
    private int[] draft = new int[64];
    private final ClassMemo memo = new ClassMemo();

    LabelClasses(StringTable strings) {
        this.strings = strings;
    }

    /** The class of a pod's labels; made where there is none. */
    int acquire(Namespace in, PodRecord pod) {
        int found = find(in, pod);
        return found != NONE ? found : add(in, LabelIds.acquire(pod, strings, draft));
    }

    /** The class of a pod's labels, or NONE where no pod has them. */
    int find(Namespace in, PodRecord pod) {
        if (pod.labelCount() == 0) {
            return table.find(in, 0);
        }
        int remembered = memo.find(in, pod);
        if (remembered != ClassMemo.NONE) {
            return remembered;
        }
        int found = lookUp(in, pod);
        if (found != NONE) {
            memo.put(in, pod, found);
        }
        return found;
    }

    private int lookUp(Namespace in, PodRecord pod) {
        int most = pod.labelEnd / PodRecord.LABEL * 2;
        if (most > draft.length) {
            draft = new int[most * 2];
        }
        int length = LabelIds.find(pod, strings, draft);
        return length == StringTable.NONE ? NONE : table.find(in, length);
    }

    /** Drops a class that no pod has any more. */
    void drop(int labelClass) {
        memo.forgetAll();
        table.remove(labelClass);
        Namespace in = namespaceOf(labelClass);
        in.removeClass(get(labelClass, POSITION));
        if (in.isSparse()) {
            in.compact(this);
        }
        int[] page = page(labelClass);
        for (int at = labelsFrom(labelClass); at < labelsTo(labelClass); at++) {
            strings.release(page[at]);
        }
        sets.release(set(labelClass));
        int size = labelsTo(labelClass) - PagedSpace.unit(labelClass);
        space.give(labelClass, size);
        if (PagedSpace.hasOwnPage(size)) {
            pages[PagedSpace.page(labelClass)] = null;
        }
    }

    Namespace namespaceOf(int labelClass) {
        return sets.namespace(set(labelClass));
    }

    /** Whether its labels meet all requirements. */
    boolean isMatched(int labelClass, LabelRequirements by) {
        return by.match(page(labelClass), labelsFrom(labelClass), labelsTo(labelClass));
    }

    int position(int labelClass) {
        return get(labelClass, POSITION);
    }

    void setPosition(int labelClass, int to) {
        put(labelClass, POSITION, to);
    }

    @Override
    public int first(int labelClass) {
        return get(labelClass, FIRST_POD);
    }

    @Override
    public void setFirst(int labelClass, int pod) {
        put(labelClass, FIRST_POD, pod);
    }

    /** The selectors in use that match it; must not be changed. */
    Selector[] matches(int labelClass) {
        return sets.members(set(labelClass));
    }

    /** A selector that matches it comes into use. */
    void addMatch(int labelClass, Selector selector) {
        int set = set(labelClass);
        int with = sets.with(set, selector);
        if (with != set) {
            setSet(labelClass, with);
        }
    }

    /** A selector that matches it goes out of use. */
    void removeMatch(int labelClass, Selector selector) {
        setSet(labelClass, sets.without(set(labelClass), selector));
    }

    int size() {
        return table.size();
    }

    /** Adds the class of the labels in {@code draft}, whose uses it takes over. */
    private int add(Namespace in, int length) {
        boolean many = length / 2 >= MANY;
        int labels = many ? HEADER + 1 : HEADER;
        int added = space.take(labels + length);
        int[] page = pageFor(added, labels + length);
        int at = PagedSpace.unit(added);
        page[at + SET] = many ? MANY : length / 2;
        if (many) {
            page[at + HEADER] = length / 2;
        }
        System.arraycopy(draft, 0, page, at + labels, length);
        page[at + FIRST_POD] = PodList.NONE;
        page[at + POSITION] = in.addClass(added);
        setSet(added, in.acquireMatching(draft, 0, length, sets));
        table.insert(added, hash(in, draft, 0, length));
        return added;
    }

    private int set(int labelClass) {
        return get(labelClass, SET) >>> LABEL_BITS;
    }

    private void setSet(int labelClass, int set) {
        if (set >= MOST_SETS) {
            throw new IllegalStateException("there are more than " + MOST_SETS + " sets of selectors");
        }
        put(labelClass, SET, set << LABEL_BITS | get(labelClass, SET) & MANY);
    }

    private int labelsFrom(int labelClass) {
        boolean many = (get(labelClass, SET) & MANY) == MANY;
        return PagedSpace.unit(labelClass) + (many ? HEADER + 1 : HEADER);
    }

    private int labelsTo(int labelClass) {
        int labels = get(labelClass, SET) & MANY;
        return labelsFrom(labelClass) + 2 * (labels == MANY ? get(labelClass, HEADER) : labels);
    }

    private int get(int labelClass, int field) {
        return page(labelClass)[PagedSpace.unit(labelClass) + field];
    }

    private void put(int labelClass, int field, int value) {
        page(labelClass)[PagedSpace.unit(labelClass) + field] = value;
    }

    private int[] page(int labelClass) {
        return pages[PagedSpace.page(labelClass)];
    }

    /** The page of a record that was given its place just now. */
    private int[] pageFor(int labelClass, int size) {
        int number = PagedSpace.page(labelClass);
        if (number >= pages.length) {
            pages = Arrays.copyOf(pages, number * 2);
        }
        int @Nullable [] page = pages[number];
        int length = PagedSpace.length(labelClass, size, page == null ? 0 : page.length);
        if (page == null || page.length < length) {
            page = page == null ? new int[length] : Arrays.copyOf(page, length);
            pages[number] = page;
        }
        return page;
    }

    private static int hash(Namespace in, int[] ids, int from, int to) {
        int hash = in.id;
        for (int i = from; i < to; i++) {
            hash = (Integer.rotateLeft(hash, 5) ^ ids[i]) * 0x9E3779B1;
        }
        return hash;
    }

    private final class Table extends IdTable {
        @Override
        int hashOf(int labelClass) {
            return hash(namespaceOf(labelClass), page(labelClass), labelsFrom(labelClass), labelsTo(labelClass));
        }

        /** The class of the labels in {@code draft}. */
        int find(Namespace in, int length) {
            int hash = hash(in, draft, 0, length);
            for (int cell = first(hash); cell != NONE; cell = next(cell, hash)) {
                int found = at(cell);
                if (namespaceOf(found) == in
                        && Arrays.equals(page(found), labelsFrom(found), labelsTo(found), draft, 0, length)) {
                    return found;
                }
            }
            return NONE;
        }
    }
}
