package io.evenkeel.objects;

import org.jspecify.annotations.Nullable;

/**
 * Where a value stands in an object, as {@code spec.topologySpreadConstraints[1].maxSkew}. Cheap to make; the text is
 * put together on demand.
 */
public final class FieldPath {
    /** The object itself: its children's paths are their bare names. */
    public static final FieldPath ROOT = new FieldPath(null, "", false);

    private final @Nullable FieldPath parent;
    private final String segment;
    private final boolean bracketed;

    private FieldPath(@Nullable FieldPath parent, String segment, boolean bracketed) {
        this.parent = parent;
        this.segment = segment;
        this.bracketed = bracketed;
    }

    /** The path of the field {@code name} of the message here. */
    public FieldPath field(String name) {
        return new FieldPath(this, name, false);
    }

    /** The path of the element of the list here. */
    public FieldPath index(int index) {
        return new FieldPath(this, Integer.toString(index), true);
    }

    /** The path of a value of the map here. */
    FieldPath key(String key) {
        return new FieldPath(this, Quotes.shortened(key), true);
    }

    /**
     * The path of {@code name} where it is not known whether a message or a map is here: only a map has names that are
     * no words.
     */
    public FieldPath fieldOrKey(String name) {
        return name.chars().allMatch(Character::isLetterOrDigit) ? field(name) : key(name);
    }

    private void appendTo(StringBuilder text) {
        if (parent != null) {
            parent.appendTo(text);
        }
        if (bracketed) {
            text.append('[').append(segment).append(']');
        } else {
            text.append(text.isEmpty() || segment.isEmpty() ? "" : ".").append(segment);
        }
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        appendTo(text);
        return text.toString();
    }
}
