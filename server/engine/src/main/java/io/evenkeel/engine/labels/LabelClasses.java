package io.evenkeel.engine.labels;

import io.evenkeel.engine.memory.CapacityException;
import io.evenkeel.engine.memory.IdTable;
import io.evenkeel.engine.memory.ListHeads;
import io.evenkeel.engine.memory.PagedSpace;
import io.evenkeel.engine.memory.StringTable;
import io.evenkeel.engine.model.PodRecord;
import io.evenkeel.engine.model.PodTemplate;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Stores the label classes: each is a distinct set of labels in a namespace, with a template. A class exists while a
 * pod has it. Its id is the address of its record.
 *
 * <pre>
 *   record:  [ kind | position | first pod | pods | own value id | … ]      ints, in pages
 *
 *   kind        its namespace, the selectors in use that match it, and the {@link LabelBase} of its labels
 *               ({@link ClassKinds})
 *   position    the position of the class in its namespace
 *   first pod   the first of its pods ({@code PodList})
 *   pods        how many pods it has: decides how a group counts them
 *   own values  the values of the base's own keys
 * </pre>
 *
 * Which selectors match is determined once for a class, not for each pod. A pod with unique labels needs its own
 * record, so a record holds only values that other classes do not share. To find shared labels, a new class is compared
 * with the last classes that had one of its labels ({@link LatestClasses}). How labels are split into shared and own
 * ones affects memory only: equal labels are the same class, however they are split.
 *
 * <p>The {@link PodTemplate} is stored as one of the labels ({@link LabelIds}). Pods with equal labels nearly always
 * have equal templates, so this adds hardly any classes, and neither pods nor classes need memory for it.
 */
public final class LabelClasses implements ListHeads {
    public static final int NONE = -1;

    private static final int KIND = 0;
    private static final int POSITION = 1;
    private static final int FIRST_POD = 2;
    private static final int PODS = 3;
    private static final int HEADER = 4;

    /**
     * Up to this many bases are made freely. More are made only while there are many more classes than bases, so that
     * bases take little memory compared with classes.
     */
    private static final int FREE_BASES = 1024;

    private static final int BYTES_A_MATCH = 8;

    private static final byte[] NO_BYTES = {};

    private static final int CLASSES_A_BASE = 16;

    /** The most classes with which a new one is compared, because all readers wait meanwhile. */
    private static final int MAX_CHECKS = 64;

    private final StringTable strings;
    private final LabelBases bases;
    private final ClassKinds kinds;
    private final LatestClasses latest = new LatestClasses();
    private final PagedSpace space;
    private final Table table = new Table();
    private int[][] pages;
    private boolean[] isPageShared;
    private int[] draft = new int[64];
    private boolean[] isCommon = new boolean[32];
    private boolean[] mostCommon = new boolean[32];
    private final ClassMemo memo = new ClassMemo();
    private final ClassPositions.Mover mover = this::setPosition;
    private final Consumer<Selector> toKind;
    private long changes;

    public LabelClasses(StringTable strings, int maxPages) {
        this.strings = strings;
        bases = new LabelBases(strings);
        kinds = new ClassKinds();
        toKind = kinds::add;
        space = new PagedSpace("label sets", maxPages);
        pages = new int[4][];
        isPageShared = new boolean[4];
    }

    /**
     * A copy with the same ids, but without selectors. Both use the same pages until one of them changes a page, which
     * is then copied first.
     *
     * @param strings a copy of the other's
     * @param namespaces copies of the namespaces of the other's classes
     */
    public LabelClasses(LabelClasses other, StringTable strings, Namespaces namespaces) {
        this.strings = strings;
        bases = new LabelBases(other.bases, strings);
        kinds = new ClassKinds(other.kinds, namespaces);
        toKind = kinds::add;
        space = new PagedSpace(other.space);
        pages = other.pages.clone();
        Arrays.fill(other.isPageShared, true);
        isPageShared = other.isPageShared.clone();
        table.shareWith(other.table);
        changes = other.changes;
    }

    /**
     * The class of a pod's labels and template; created if there is none.
     *
     * @throws CapacityException if there is no room for it; nothing is changed
     */
    public int acquire(Namespace in, PodRecord pod) {
        int found = find(in, pod);
        return found != NONE ? found : add(in, LabelIds.acquire(pod, strings, draft));
    }

    /** The class of a pod's labels and template, or NONE if no pod has these. */
    public int find(Namespace in, PodRecord pod) {
        if (pod.labelCount() == 0 && pod.template.isEmpty()) {
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
        // The template takes the place of one label.
        int most = (pod.labelCount() + 1) * 2;
        if (most > draft.length) {
            draft = new int[most * 2];
            isCommon = new boolean[most];
            mostCommon = new boolean[most];
        }
        int length = LabelIds.find(pod, strings, draft);
        return length == StringTable.NONE ? NONE : table.find(in, length);
    }

    /** Removes a class that no pod has. */
    public void drop(int labelClass) {
        memo.forgetAll();
        table.remove(labelClass);
        Namespace in = namespaceOf(labelClass);
        in.classesVersion = ++changes;
        in.classes().remove(get(labelClass, POSITION), mover);
        LabelBase base = base(labelClass);
        int[] page = page(labelClass);
        int own = own(labelClass);
        for (int at = 0; at < base.shared.length; at += 2) {
            latest.remove(base.shared[at], base.shared[at + 1], labelClass);
        }
        for (int i = 0; i < base.ownKeys.length; i++) {
            latest.remove(base.ownKeys[i], page[own + i], labelClass);
            strings.release(page[own + i]);
        }
        int size = HEADER + base.ownKeys.length;
        kinds.release(get(labelClass, KIND));
        bases.release(base);
        space.give(labelClass, size);
        if (PagedSpace.hasOwnPage(size)) {
            pages[PagedSpace.page(labelClass)] = null;
            isPageShared[PagedSpace.page(labelClass)] = false;
        }
    }

    public Namespace namespaceOf(int labelClass) {
        return kinds.namespace(get(labelClass, KIND));
    }

    /** The base of its labels. */
    public LabelBase base(int labelClass) {
        return kinds.base(get(labelClass, KIND));
    }

    /** Its labels. */
    public Map<String, String> labels(int labelClass) {
        LabelBase base = base(labelClass);
        int templateKey = LabelIds.templateKey(strings);
        Map<String, String> labels = new HashMap<>();
        for (int at = 0; at < base.shared.length; at += 2) {
            if (base.shared[at] != templateKey) {
                labels.put(strings.get(base.shared[at]), strings.get(base.shared[at + 1]));
            }
        }
        for (int i = 0; i < base.ownKeys.length; i++) {
            if (base.ownKeys[i] != templateKey) {
                labels.put(strings.get(base.ownKeys[i]), strings.get(page(labelClass)[own(labelClass) + i]));
            }
        }
        return labels;
    }

    /** The bytes of its template. */
    public byte[] template(int labelClass) {
        int value = templateId(labelClass);
        return value == StringTable.NONE ? NO_BYTES : strings.bytes(value);
    }

    /**
     * The id of its template, or {@link StringTable#NONE} if that is empty. Classes with equal templates have one id.
     */
    public int templateId(int labelClass) {
        return valueOf(labelClass, LabelIds.templateKey(strings));
    }

    /** The id of the value of a label, or {@link StringTable#NONE} if it does not have the key. */
    public int valueOf(int labelClass, int key) {
        return base(labelClass).valueOf(key, page(labelClass), own(labelClass));
    }

    /** Whether its labels meet all the requirements. */
    public boolean isMatched(int labelClass, LabelRequirements by) {
        return by.match(base(labelClass), page(labelClass), own(labelClass));
    }

    public int position(int labelClass) {
        return get(labelClass, POSITION);
    }

    private void setPosition(int labelClass, int to) {
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

    @Override
    public void resize(int labelClass, int by) {
        put(labelClass, PODS, pods(labelClass) + by);
    }

    /** How many pods the class has, including pods that do not count. */
    public int pods(int labelClass) {
        return get(labelClass, PODS);
    }

    /** The selectors in use that match the class. The array must not be changed. */
    public Selector[] matches(int labelClass) {
        return kinds.members(get(labelClass, KIND));
    }

    /** Roughly how many bytes the lists of matching selectors take. */
    public long matchBytes() {
        return BYTES_A_MATCH * kinds.memberCount();
    }

    /** Adds a selector that matches the class and came into use. */
    public void addMatch(int labelClass, Selector selector) {
        int kind = get(labelClass, KIND);
        int with = kinds.with(kind, selector);
        if (with != kind) {
            put(labelClass, KIND, with);
        }
    }

    /** Removes a selector that goes out of use from all classes of its namespace. */
    public void removeMatches(Namespace namespace, Selector selector) {
        kinds.removeEverywhere(namespace, selector);
    }

    public int size() {
        return table.size();
    }

    /** For validation: calls {@code use} with each text that a class or a base uses. */
    public void forEachText(IntConsumer use) {
        bases.forEachText(use);
        table.forEachId(labelClass -> {
            int own = own(labelClass);
            for (int i = 0; i < base(labelClass).ownKeys.length; i++) {
                use.accept(page(labelClass)[own + i]);
            }
        });
    }

    /** How many bases there are. */
    public int bases() {
        return bases.size();
    }

    /** For validation: how many classes use a base, according to its count. */
    public int users(LabelBase base) {
        return bases.users(base);
    }

    /** Adds the class of the labels in {@code draft}, whose uses it takes over. */
    private int add(Namespace in, int length) {
        boolean[] isShared = mostCommon(length);
        int size = HEADER;
        for (int i = 0; i < length / 2; i++) {
            size += isShared[i] ? 0 : 1;
        }
        int added = place(size, length);
        LabelBase base = bases.acquire(draft, length, isShared);
        int[] page = pageFor(added, size);
        int at = PagedSpace.unit(added);
        for (int i = 0, from = 0; i < base.ownKeys.length; from += 2) {
            // Both are in ascending order of keys.
            if (draft[from] == base.ownKeys[i]) {
                page[at + HEADER + i++] = draft[from + 1];
            }
        }
        page[at + FIRST_POD] = ListHeads.NONE;
        page[at + PODS] = 0;
        page[at + POSITION] = in.classes().add(added, mover);
        kinds.begin();
        in.forEachMatch(draft, length, toKind);
        page[at + KIND] = kinds.acquire(in, base);
        table.insert(added, hash(in, LabelIds.hash(draft, length)));
        in.classesVersion = ++changes;
        for (int i = 0; i < length; i += 2) {
            latest.put(draft[i], draft[i + 1], added);
        }
        return added;
    }

    /** Allocates a record. If there is no room, the draft's uses of texts are released. */
    private int place(int size, int length) {
        try {
            return space.take(size);
        } catch (CapacityException full) {
            LabelIds.release(draft, length, strings);
            throw full;
        }
    }

    /**
     * Decides which labels of the draft are shared: those that it has in common with the most similar of some classes
     * with the same keys.
     */
    private boolean[] mostCommon(int length) {
        int most = 0;
        int looks = 0;
        for (int i = 0, before = NONE; i < length && looks < MAX_CHECKS; i += 2) {
            int other = latest.with(draft[i], draft[i + 1]);
            if (other != NONE && other != before) {
                looks++;
                int common = common(other, length);
                if (common > most) {
                    boolean[] better = isCommon;
                    isCommon = mostCommon;
                    mostCommon = better;
                    most = common;
                }
            }
            before = other;
        }
        if (most == 0
                || bases.size() > FREE_BASES + table.size() / CLASSES_A_BASE && !bases.has(draft, length, mostCommon)) {
            Arrays.fill(mostCommon, 0, length / 2, false);
        }
        return mostCommon;
    }

    /**
     * How many labels of the draft a class also has; {@link #isCommon} marks them. NONE if its keys are not the same.
     */
    private int common(int labelClass, int length) {
        return base(labelClass).common(page(labelClass), own(labelClass), draft, length, isCommon);
    }

    /** The place in its page at which its own values begin. */
    private static int own(int labelClass) {
        return PagedSpace.unit(labelClass) + HEADER;
    }

    private int get(int labelClass, int field) {
        return page(labelClass)[PagedSpace.unit(labelClass) + field];
    }

    private void put(int labelClass, int field, int value) {
        ownPage(PagedSpace.page(labelClass))[PagedSpace.unit(labelClass) + field] = value;
    }

    /** A page that this table may change. */
    private int[] ownPage(int number) {
        if (isPageShared[number]) {
            pages[number] = pages[number].clone();
            isPageShared[number] = false;
        }
        return pages[number];
    }

    private int[] page(int labelClass) {
        return pages[PagedSpace.page(labelClass)];
    }

    /** The page of a record that was just allocated. */
    private int[] pageFor(int labelClass, int size) {
        int number = PagedSpace.page(labelClass);
        if (number >= pages.length) {
            pages = Arrays.copyOf(pages, number * 2);
            isPageShared = Arrays.copyOf(isPageShared, pages.length);
        }
        int @Nullable [] page = pages[number];
        int length = PagedSpace.length(labelClass, size, page == null ? 0 : page.length);
        if (page == null || page.length < length) {
            pages[number] = page == null ? new int[length] : Arrays.copyOf(page, length);
            isPageShared[number] = false;
        }
        return ownPage(number);
    }

    private static int hash(Namespace in, int labels) {
        return labels + in.id * 0x9E3779B1;
    }

    private final class Table extends IdTable {
        @Override
        protected int hashOf(int labelClass) {
            return hash(namespaceOf(labelClass), base(labelClass).hash(page(labelClass), own(labelClass)));
        }

        /** The class of the labels in {@code draft}. */
        int find(Namespace in, int length) {
            int hash = hash(in, LabelIds.hash(draft, length));
            for (int cell = first(hash); cell != NONE; cell = next(cell, hash)) {
                int found = at(cell);
                if (namespaceOf(found) == in && common(found, length) == length / 2) {
                    return found;
                }
            }
            return NONE;
        }
    }
}
