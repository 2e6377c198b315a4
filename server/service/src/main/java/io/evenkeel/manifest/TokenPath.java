package io.evenkeel.manifest;

import com.fasterxml.jackson.core.JsonToken;
import io.evenkeel.objects.FieldPath;
import java.io.IOException;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The path of the current token. Not thread-safe. */
final class TokenPath {
    /** The index of an object, which has fields instead. */
    private static final int OBJECT = -2;

    /** For each open object, the name of its current field; null before the first, and for lists. */
    private @Nullable String[] names = new String[16];

    /** For each open list, the index of its current element; -1 before the first. */
    private int[] indexes = new int[16];

    private int depth;

    /** Follows the current token of {@code tokens}. */
    void follow(JsonToken token, Tokens tokens) throws IOException {
        if (token == JsonToken.FIELD_NAME) {
            names[depth - 1] = tokens.text();
            return;
        }
        if (token.isStructEnd()) {
            depth--;
            return;
        }
        if (depth > 0 && indexes[depth - 1] != OBJECT) {
            indexes[depth - 1]++;
        }
        if (token.isStructStart()) {
            if (depth == names.length) {
                names = Arrays.copyOf(names, 2 * depth);
                indexes = Arrays.copyOf(indexes, 2 * depth);
            }
            names[depth] = null;
            indexes[depth++] = token == JsonToken.START_OBJECT ? OBJECT : -1;
        }
    }

    /** The name of the current field of the innermost object. */
    String field() {
        return Objects.requireNonNull(names[depth - 1]);
    }

    FieldPath under(FieldPath root) {
        FieldPath path = root;
        for (int i = 0; i < depth; i++) {
            String name = names[i];
            if (name != null) {
                path = path.fieldOrKey(name);
            } else if (indexes[i] >= 0) {
                path = path.index(indexes[i]);
            }
        }
        return path;
    }
}
