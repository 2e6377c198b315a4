package io.evenkeel.objects;

import org.jspecify.annotations.Nullable;

/**
 * The path of a value within an object, for error messages: {@code spec.topologySpreadConstraints[1].maxSkew}. A path
 * is cheap to create because its text is built only when needed.
 */
public final class FieldPath {
    /** The path of the object itself. The path of a top-level field is its name. */
    public static final FieldPath ROOT = new FieldPath(null, "", false);

    private final @Nullable FieldPath parent;
    private final String segment;
    private final boolean bracketed;

    private FieldPath(@Nullable FieldPath parent, String segment, boolean bracketed) {
        this.parent = parent;
        this.segment = segment;
        this.bracketed = bracketed;
    }

    /** The path of the field {@code name} of the message at this path. */
    public FieldPath field(String name) {
        return new FieldPath(this, name, false);
    }

    /** The path of an element of the list at this path. */
    public FieldPath index(int index) {
        return new FieldPath(this, Integer.toString(index), true);
    }

    /** The path of a value of the map at this path. */
    FieldPath key(String key) {
        return new FieldPath(this, Quotes.shortened(key), true);
    }

    /** The path of {@code name} in the message or map at this path. A name that is not a plain word is a map key. */
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
