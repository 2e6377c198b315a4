package io.evenkeel.engine.memory;

import org.agrona.collections.IntArrayList;

/**
 * Allocates ranges of units within pages, and frees them. It holds no content: the owner keeps one array for each page,
 * with as many elements for a unit as it needs.
 *
 * <pre>
 *   address = page << 14 | unit within the page
 *
 *   shared page:   [ range | range | free | range | … | not given out yet ]      16,384 units; a range has 256 at most
 *   own page:      [ range                                             ]         as many units as the range; the page
 *                                                                                goes with it
 * </pre>
 *
 * A freed range is reused for the next range of its size, so memory does not grow while the content stays the same
 * size. If the page has no room left, a larger free range is cut. Pages are never moved, so growing copies nothing and
 * leaves no slack.
 */
public final class PagedSpace {
    private static final int PAGE_BITS = 14;
    private static final int PAGE_UNITS = 1 << PAGE_BITS;
    /** One less than addresses could express, so that each address is below {@link IdTable#LIMIT}. */
    public static final int MAX_PAGES = (1 << 31 - PAGE_BITS) - 1;

    private static final int MAX_SHARED = 256;
    private static final int MIN_UNITS = 64;
    private static final int NONE = -1;

    private final IntArrayList[] freeOfSize = new IntArrayList[MAX_SHARED + 1];
    private final long[] sizesWithFree = new long[NodeBits.words(MAX_SHARED + 1)];
    private final IntArrayList freePages = new IntArrayList();
    private final String what;
    private final int maxPages;
    private int pages;
    private int current = NONE;
    private int end = PAGE_UNITS;

    /** @param what what is stored, for error messages */
    public PagedSpace(String what, int maxPages) {
        this.what = what;
        this.maxPages = maxPages;
    }

    /** A copy that allocates the same ranges from now on. */
    public PagedSpace(PagedSpace other) {
        this(other.what, other.maxPages);
        for (int units = 0; units < freeOfSize.length; units++) {
            IntArrayList free = other.freeOfSize[units];
            if (free != null && !free.isEmpty()) {
                freeOfSize[units] = new IntArrayList();
                freeOfSize[units].addAll(free);
            }
        }
        System.arraycopy(other.sizesWithFree, 0, sizesWithFree, 0, sizesWithFree.length);
        freePages.addAll(other.freePages);
        pages = other.pages;
        current = other.current;
        end = other.end;
    }

    /** The page of an address. */
    public static int page(int address) {
        return address >>> PAGE_BITS;
    }

    /** The number of an address's unit within its page. */
    public static int unit(int address) {
        return address & PAGE_UNITS - 1;
    }

    /** Whether a range of this many units has its own page. */
    public static boolean hasOwnPage(int units) {
        return units > MAX_SHARED;
    }

    /**
     * How many units the array of a page must have room for after a range was allocated at {@code address}. The first
     * arrays stay small while little is stored.
     *
     * @param now how many units the array has room for now, 0 if there is none
     */
    public static int length(int address, int units, int now) {
        int needed = unit(address) + units;
        if (hasOwnPage(units) || needed <= now) {
            return Math.max(needed, now);
        }
        return page(address) > 0 ? PAGE_UNITS : Math.min(PAGE_UNITS, Math.max(needed, Math.max(MIN_UNITS, 2 * now)));
    }

    /**
     * Allocates a range of {@code units} units, at least 1, and returns its address.
     *
     * @throws CapacityException if there is no room for the range; nothing is changed
     */
    public int take(int units) {
        if (hasOwnPage(units)) {
            return newPage() << PAGE_BITS;
        }
        if (freeOfSize[units] != null && !freeOfSize[units].isEmpty()) {
            return pop(units);
        }
        if (end + units > PAGE_UNITS) {
            int larger = sizeWithFree(units + 1);
            if (larger != NONE) {
                int address = pop(larger);
                give(address + units, larger - units);
                return address;
            }
            int next = newPage();
            if (end < PAGE_UNITS) {
                give(current << PAGE_BITS | end, PAGE_UNITS - end);
            }
            current = next;
            end = 0;
        }
        int address = current << PAGE_BITS | end;
        end += units;
        return address;
    }

    /** Frees a range. If the range has its own page, the owner must drop that page's array. */
    public void give(int address, int units) {
        if (hasOwnPage(units)) {
            freePages.addInt(page(address));
            return;
        }
        if (freeOfSize[units] == null) {
            freeOfSize[units] = new IntArrayList();
        }
        freeOfSize[units].addInt(address);
        NodeBits.set(sizesWithFree, units);
    }

    private int pop(int units) {
        IntArrayList free = freeOfSize[units];
        int address = free.removeAt(free.size() - 1);
        if (free.isEmpty()) {
            NodeBits.clear(sizesWithFree, units);
        }
        return address;
    }

    private int sizeWithFree(int atLeast) {
        for (int word = atLeast >>> 6; word < sizesWithFree.length; word++) {
            long sizes = word == atLeast >>> 6 ? sizesWithFree[word] & -1L << atLeast : sizesWithFree[word];
            if (sizes != 0) {
                return word * Long.SIZE + Long.numberOfTrailingZeros(sizes);
            }
        }
        return NONE;
    }

    private int newPage() {
        if (!freePages.isEmpty()) {
            return freePages.removeAt(freePages.size() - 1);
        }
        if (pages == maxPages) {
            throw new CapacityException("there is no room for more " + what + ": all " + maxPages
                    + " pages of 64 KiB are in use; delete objects");
        }
        return pages++;
    }
}
