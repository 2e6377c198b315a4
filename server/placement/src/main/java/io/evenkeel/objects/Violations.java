package io.evenkeel.objects;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Gathers the rules that one object breaks. Keeps the first {@value #MAX_KEPT}: an answer must stay readable, and
 * small.
 */
public final class Violations {
    static final int MAX_KEPT = 100;

    private final List<Violation> kept = new ArrayList<>();
    private int left;

    void add(FieldPath field, String description) {
        if (kept.size() < MAX_KEPT) {
            kept.add(new Violation(field.toString(), description));
        } else {
            left++;
        }
    }

    public boolean isEmpty() {
        return kept.isEmpty();
    }

    /** The violations kept; the last one says how many more there were. */
    List<Violation> list() {
        List<Violation> all = new ArrayList<>(kept);
        if (left > 0) {
            Violation last = all.remove(all.size() - 1);
            all.add(new Violation(last.field(), last.description() + " (and " + left + " more violations)"));
        }
        return all;
    }

    /** All that is kept, in one line. */
    public String message() {
        return list().stream().map(Violation::message).collect(Collectors.joining("; "));
    }

    void throwIfAny() throws InvalidObjectException {
        if (!kept.isEmpty()) {
            throw new InvalidObjectException(this);
        }
    }
}
