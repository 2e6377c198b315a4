package io.evenkeel.objects;

/** Checks that names, UIDs and other short texts are neither empty nor too long. */
final class TextRules {
    /** The maximum length of an object name in Kubernetes. Also limits namespaces and UIDs, which are shorter there. */
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
