package io.evenkeel.engine.labels;

import io.evenkeel.engine.memory.KeyedHash;
import java.util.Arrays;
import java.util.function.Consumer;
import org.agrona.collections.Long2ObjectHashMap;
import org.jspecify.annotations.Nullable;

/**
 * A namespace with its label classes and the selectors in use. Selectors only match classes of the same namespace.
 *
 * <p>A selector is filed under its anchor: one requirement that every match must meet. So a new class is compared with
 * few selectors: those anchored at one of its labels or keys, and those without an anchor.
 *
 * <pre>
 *   anchored             (key id, value id), scattered → selectors with key in (…, value, …);
 *       (key id, ANY) → selectors with key exists
 *   unanchored           selectors with only NotIn and DoesNotExist
 * </pre>
 */
public final class Namespace {
    private static final int ANY = -1;

    /**
     * A selector may be filed under a less crowded requirement only if that has at most this many times as many values.
     */
    private static final int MORE_VALUES = 4;

    private static final Selector[] NO_SELECTORS = {};

    /** The id, unique among the namespaces in use. */
    public final int id;

    public final String name;
    private final Long2ObjectHashMap<Selector[]> anchored = new Long2ObjectHashMap<>();
    private Selector[] unanchored = NO_SELECTORS;
    private final ClassPositions classes;
    private int selectors;
    private int selectorIds;
    long classesVersion;

    Namespace(int id, String name) {
        this.id = id;
        this.name = name;
        classes = new ClassPositions();
    }

    /** A copy with the same classes, but without selectors. */
    Namespace(Namespace other) {
        id = other.id;
        name = other.name;
        classes = new ClassPositions(other.classes);
        classesVersion = other.classesVersion;
    }

    /** A number that no other selector of this namespace has. */
    public int nextSelectorId() {
        return selectorIds++;
    }

    boolean isEmpty() {
        return selectors == 0 && classes.count() == 0;
    }

    /** Changes whenever one of its classes comes or goes, and was never that of other classes. */
    public long classesVersion() {
        return classesVersion;
    }

    /** Its classes by position. Positions do not change while a group is being built. */
    public ClassPositions classes() {
        return classes;
    }

    public void add(Selector selector) {
        selectors++;
        LabelRequirements requirements = selector.requirements;
        int anchor = leastCrowdedAnchor(requirements);
        selector.anchor = anchor;
        if (anchor == LabelRequirements.NONE) {
            unanchored = with(unanchored, selector);
        } else if (requirements.isExists(anchor)) {
            anchor(requirements.key(anchor), ANY, selector);
        } else {
            for (int value : requirements.values(anchor)) {
                anchor(requirements.key(anchor), value, selector);
            }
        }
    }

    public void remove(Selector selector) {
        selectors--;
        LabelRequirements requirements = selector.requirements;
        int anchor = selector.anchor;
        if (anchor == LabelRequirements.NONE) {
            unanchored = without(unanchored, selector);
        } else if (requirements.isExists(anchor)) {
            unanchor(requirements.key(anchor), ANY, selector);
        } else {
            for (int value : requirements.values(anchor)) {
                unanchor(requirements.key(anchor), value, selector);
            }
        }
    }

    /** For validation: whether a selector is filed under the labels of the classes that it matches. */
    public boolean isAnchored(Selector selector) {
        LabelRequirements requirements = selector.requirements;
        int anchor = selector.anchor;
        if (anchor == LabelRequirements.NONE) {
            return requirements.anchor() == LabelRequirements.NONE
                    && Arrays.asList(unanchored).contains(selector);
        }
        int key = requirements.key(anchor);
        int[] values = requirements.isExists(anchor) ? new int[] {ANY} : requirements.values(anchor);
        for (int value : values) {
            Selector[] there = anchored.get(pair(key, value));
            if (there == null || !Arrays.asList(there).contains(selector)) {
                return false;
            }
        }
        return true;
    }

    /** At how many places selectors are filed. */
    public int anchors() {
        int anchors = unanchored.length;
        for (Selector[] there : anchored.values()) {
            anchors += there.length;
        }
        return anchors;
    }

    /**
     * Calls {@code visitor} with each selector that matches the first {@code length} of {@code labels}, as LabelIds.
     */
    void forEachMatch(int[] labels, int length, Consumer<Selector> visitor) {
        for (int i = 0; i < length; i += 2) {
            forEachMatch(anchored.get(pair(labels[i], labels[i + 1])), labels, length, visitor);
            forEachMatch(anchored.get(pair(labels[i], ANY)), labels, length, visitor);
        }
        forEachMatch(unanchored, labels, length, visitor);
    }

    private static void forEachMatch(
            Selector @Nullable [] candidates, int[] labels, int length, Consumer<Selector> visitor) {
        if (candidates != null) {
            for (Selector selector : candidates) {
                if (selector.requirements.match(labels, length)) {
                    visitor.accept(selector);
                }
            }
        }
    }

    /**
     * The selectors filed under the same label as {@code selector}. If it is filed under several labels, the most
     * crowded one is used. The array must not be changed.
     */
    public Selector[] sharingAnchorWith(Selector selector) {
        return selector.anchor == LabelRequirements.NONE ? unanchored : maxAt(selector.requirements, selector.anchor);
    }

    /** The selectors in the most crowded of the places in which the requirement would be filed. */
    private Selector[] maxAt(LabelRequirements requirements, int requirement) {
        int key = requirements.key(requirement);
        Selector[] most = NO_SELECTORS;
        int[] places = requirements.isExists(requirement) ? new int[] {ANY} : requirements.values(requirement);
        for (int place : places) {
            Selector[] there = anchored.get(pair(key, place));
            if (there != null && there.length > most.length) {
                most = there;
            }
        }
        return most;
    }

    /**
     * The anchor under which the fewest selectors are filed. Among equals, it is the one that the fewest label sets can
     * meet.
     */
    private int leastCrowdedAnchor(LabelRequirements requirements) {
        int best = requirements.anchor();
        int fewest = best == LabelRequirements.NONE ? 0 : maxAt(requirements, best).length;
        for (int i = 0; fewest > 0 && i < requirements.size(); i++) {
            boolean narrow = requirements.canAnchor(i)
                    && (requirements.isExists(best)
                            || !requirements.isExists(i)
                                    && requirements.values(i).length <= requirements.values(best).length * MORE_VALUES);
            int there = narrow ? maxAt(requirements, i).length : fewest;
            if (there < fewest) {
                best = i;
                fewest = there;
            }
        }
        return best;
    }

    private void anchor(int key, int value, Selector selector) {
        Selector[] there = anchored.get(pair(key, value));
        anchored.put(pair(key, value), with(there == null ? NO_SELECTORS : there, selector));
    }

    private void unanchor(int key, int value, Selector selector) {
        Selector[] there = anchored.get(pair(key, value));
        Selector[] left = without(there == null ? NO_SELECTORS : there, selector);
        if (left.length == 0) {
            anchored.remove(pair(key, value));
        } else {
            anchored.put(pair(key, value), left);
        }
    }

    private static Selector[] with(Selector[] selectors, Selector one) {
        Selector[] more = Arrays.copyOf(selectors, selectors.length + 1);
        more[selectors.length] = one;
        return more;
    }

    private static Selector[] without(Selector[] selectors, Selector one) {
        int kept = 0;
        Selector[] fewer = new Selector[selectors.length];
        for (Selector selector : selectors) {
            if (selector != one) {
                fewer[kept++] = selector;
            }
        }
        return kept == 0 ? NO_SELECTORS : Arrays.copyOf(fewer, kept);
    }

    private static long pair(int key, int value) {
        return KeyedHash.scatter((long) key << 32 | value & 0xFFFF_FFFFL);
    }
}
