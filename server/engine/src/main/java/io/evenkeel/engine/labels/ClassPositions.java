package io.evenkeel.engine.labels;

import java.util.Arrays;

/**
 * Lists the label classes of one namespace in pages, so that a new group can go through them by position. When a class
 * is removed it leaves a hole. Holes are closed a few positions at a time, whenever a class is added or removed; but
 * not while a group is being built, since its cursor moves over positions.
 *
 * <pre>
 *   position   | 0 … classes and new holes … closedTo | holes … | lookedTo … classes and holes … limit
 * </pre>
 *
 * Invariant: there is no class from {@code closedTo} up to {@code lookedTo}, exclusive. Both are 0 unless holes are
 * being closed. When {@code lookedTo} reaches the limit, {@code closedTo} becomes the limit.
 */
public final class ClassPositions {
    /** Called with the new position of a class. */
    @FunctionalInterface
    interface Mover {
        void move(int labelClass, int position);
    }

    private static final int NONE = LabelClasses.NONE;
    private static final int PAGE_BITS = 11;
    private static final int PAGE = 1 << PAGE_BITS;
    private static final int MIN_PAGE = 4;

    /** With fewer positions than this, holes are not closed. */
    private static final int FEW = 16;

    /** How many positions are checked for each class that is added or removed. */
    private static final int LOOKS = 8;

    private int[][] pages = {new int[MIN_PAGE]};
    private int limit;
    private int count;
    private int builds;
    private boolean closes;
    private int closedTo;
    private int lookedTo;

    ClassPositions() {}

    /** A copy without builds. */
    ClassPositions(ClassPositions other) {
        pages = new int[other.pages.length][];
        for (int number = 0; number < pages.length; number++) {
            pages[number] = other.pages[number] == null ? null : other.pages[number].clone();
        }
        limit = other.limit;
        count = other.count;
        closes = other.closes;
        closedTo = other.closedTo;
        lookedTo = other.lookedTo;
    }

    int count() {
        return count;
    }

    /** Positions are below this. */
    public int limit() {
        return limit;
    }

    /** The class at a position, or NONE. */
    public int at(int position) {
        return pages[position >>> PAGE_BITS][position & PAGE - 1];
    }

    /** Adds a class; returns its position. */
    int add(int labelClass, Mover mover) {
        // Before the class gets its position, so that the returned position stays right.
        closeSome(mover);
        int number = limit >>> PAGE_BITS;
        if (number == pages.length) {
            pages = Arrays.copyOf(pages, number + Math.max(1, number >>> 1));
        }
        if (pages[number] == null) {
            pages[number] = new int[PAGE];
        } else if ((limit & PAGE - 1) == pages[number].length) {
            pages[number] = Arrays.copyOf(pages[number], pages[number].length * 2);
        }
        int position = limit++;
        put(position, labelClass);
        count++;
        return position;
    }

    void remove(int position, Mover mover) {
        put(position, NONE);
        count--;
        closeSome(mover);
    }

    /** Keeps all classes at their positions until as many builds have ended as have begun. */
    public void buildBegins() {
        builds++;
    }

    public void buildEnds() {
        builds--;
    }

    private void closeSome(Mover mover) {
        if (builds > 0) {
            return;
        }
        closes |= limit > FEW && count < limit / 2;
        for (int look = 0; closes && look < LOOKS; look++) {
            closeNext(mover);
        }
    }

    private void closeNext(Mover mover) {
        if (lookedTo < limit) {
            int labelClass = at(lookedTo);
            if (labelClass != NONE && lookedTo != closedTo) {
                put(lookedTo, NONE);
                put(closedTo, labelClass);
                mover.move(labelClass, closedTo);
            }
            closedTo += labelClass == NONE ? 0 : 1;
            lookedTo++;
        } else {
            dropPages(closedTo);
            limit = closedTo;
            closedTo = 0;
            lookedTo = 0;
            closes = false;
        }
    }

    /** Drops the pages that hold no position below {@code to}, except the first. */
    private void dropPages(int to) {
        int kept = Math.max(1, to + PAGE - 1 >>> PAGE_BITS);
        pages = kept < pages.length ? Arrays.copyOf(pages, kept) : pages;
    }

    private void put(int position, int labelClass) {
        pages[position >>> PAGE_BITS][position & PAGE - 1] = labelClass;
    }
}
