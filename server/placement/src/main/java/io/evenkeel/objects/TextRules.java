package io.evenkeel.objects;

/** Rules about names, identities and other short text. */
final class TextRules {
    /**
     * The most that Kubernetes allows for the names of objects; for namespaces and UIDs, which are shorter there, it is
     * generous.
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
