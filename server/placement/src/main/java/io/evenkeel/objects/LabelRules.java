package io.evenkeel.objects;

import io.evenkeel.engine.model.LabelSyntax;
import java.util.Map;

/** Validates label keys and values by the rules of the Kubernetes API server. */
final class LabelRules {
    private static final String NAME_RULE =
            "at most 63 letters, digits, '-', '_' and '.', starting and ending with a letter or digit";
    private static final String KEY_RULE = "must be a label key (" + NAME_RULE
            + ", optionally prefixed by a DNS subdomain of at most 253 characters and '/'), was ";
    private static final String VALUE_RULE = "must be a label value (empty, or " + NAME_RULE + "), was ";

    private LabelRules() {}

    static void checkKey(String key, FieldPath field, Violations violations) {
        if (key.isEmpty()) {
            violations.add(field, "must not be empty");
        } else if (!LabelSyntax.isKey(key)) {
            violations.add(field, KEY_RULE + Quotes.quoted(key));
        }
    }

    static void checkValue(String value, FieldPath field, Violations violations) {
        if (!LabelSyntax.isValue(value)) {
            violations.add(field, VALUE_RULE + Quotes.quoted(value));
        }
    }

    static void checkLabels(Map<String, String> labels, FieldPath field, Violations violations) {
        labels.forEach((key, value) -> {
            if (!LabelSyntax.isKey(key)) {
                violations.add(field, "key " + KEY_RULE + Quotes.quoted(key));
            }
            checkValue(value, field.key(key), violations);
        });
    }
}
