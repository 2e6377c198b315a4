package io.evenkeel.objects;

import org.jspecify.annotations.Nullable;

/**
 * The path of a value within an object, as {@code spec.topologySpreadConstraints[1].maxSkew}, for error messages. It is
 * cheap to make: the text is built only when it is needed.
 */
public final class FieldPath {
    /** The path of the object itself. The paths of its fields are their bare names. */
    public static final FieldPath ROOT = new FieldPath(null, "", false);

    private final @Nullable FieldPath parent;
    private final String segment;
    private final boolean bracketed;

    private FieldPath(@Nullable FieldPath parent, String segment, boolean bracketed) {
        this.parent = parent;
        this.segment = segment;
        this.bracketed = bracketed;
    }

    /** The path of the field {@code name}, where a message stands at this path. */
    public FieldPath field(String name) {
        return new FieldPath(this, name, false);
    }

    /** The path of an element, where a list stands at this path. */
    public FieldPath index(int index) {
        return new FieldPath(this, Integer.toString(index), true);
    }

    /** The path of a value, where a map stands at this path. */
    FieldPath key(String key) {
        return new FieldPath(this, Quotes.shortened(key), true);
    }

    /**
     * The path of {@code name}, where either a message or a map stands at this path. Names that are not plain words are
     * keys of a map.
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
