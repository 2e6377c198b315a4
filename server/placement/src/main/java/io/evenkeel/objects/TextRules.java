package io.evenkeel.objects;

/** Checks names, UIDs and other short texts: that they are not empty and not too long. */
final class TextRules {
    /**
     * The longest name of an object in Kubernetes. It bounds namespaces and UIDs as well, which are shorter in
     * Kubernetes.
     */
    static final int MAX_NAME = 253;

    private TextRules() {}

    static void checkName(String name, FieldPath field, Violations violations) {
        if (name.isEmpty()) {
            violations.add(field, "must not be empty");
        } else {
            checkLength(name, MAX_NAME, field, violations);
        }
    }

    static void checkLength(String text, int most, FieldPath field, Violations violations) {
        if (text.length() > most) {
            violations.add(
                    field,
                    "must have at most " + most + " characters, had " + text.length() + ": " + Quotes.quoted(text));
        }
    }
}
