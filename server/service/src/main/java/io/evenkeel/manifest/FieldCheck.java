package io.evenkeel.manifest;

import com.fasterxml.jackson.core.JsonToken;
import io.evenkeel.manifest.FieldTable.Field;
import io.evenkeel.manifest.FieldTable.ObjectType;
import io.evenkeel.manifest.FieldTable.Shape;
import io.evenkeel.objects.Quotes;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Follows the tokens of one object and reports the fields that the strict decoder of Kubernetes rejects: unknown and
 * repeated ones. Not thread-safe.
 */
final class FieldCheck {
    private static final int MAX_LISTED = 20;

    /** An object, map or list that is being read. */
    static final class Level {
        /** The type of the object, or of the objects in the list; null if they can have any fields. */
        private @Nullable ObjectType type;

        private boolean isMap;
        private boolean isList;
        private int index = -1;

        /** The current field; null if it is unknown. */
        private @Nullable Field field;

        private String name = "";

        /** The fields that the object has so far, as bits. */
        private long seen;

        private final Set<String> keys = new HashSet<>();

        private void begin(@Nullable ObjectType of, boolean map, boolean list) {
            type = of;
            isMap = map;
            isList = list;
            index = -1;
            field = null;
            name = "";
            seen = 0;
            keys.clear();
        }

        /** The type of the object; null if it can have any fields, or is a map or a list. */
        @Nullable
        ObjectType type() {
            return isList ? null : type;
        }

        private void appendTo(StringBuilder path) {
            if (isList) {
                path.append('[').append(index).append(']');
            } else if (isMap) {
                path.append('[').append(Quotes.shortened(name)).append(']');
            } else {
                path.append(path.isEmpty() ? "" : ".").append(Quotes.shortened(name));
            }
        }
    }

    /** Receives the problems. */
    interface Report {
        /** Whether the problem is to be described. It is called for every problem. */
        boolean wants(String path, boolean isRepeated);

        void add(FieldProblem problem);
    }

    /** Adds the problems to a list, up to {@value #MAX_LISTED}. */
    static Report listing(List<FieldProblem> problems) {
        return new Report() {
            @Override
            public boolean wants(String path, boolean isRepeated) {
                return problems.size() < MAX_LISTED;
            }

            @Override
            public void add(FieldProblem problem) {
                problems.add(problem);
            }
        };
    }

    private final Report report;

    /** The levels up to the current one; those beyond {@link #depth} are used again. */
    private final List<Level> levels = new ArrayList<>();

    private int depth;

    /** A check of an object, after its start. */
    FieldCheck(ObjectType type, Report report) {
        this.report = report;
        push().begin(type, false, false);
    }

    private Level push() {
        if (depth == levels.size()) {
            levels.add(new Level());
        }
        return levels.get(depth++);
    }

    private Level top() {
        return levels.get(depth - 1);
    }

    /** Follows the current token of {@code tokens}. */
    void follow(JsonToken token, Tokens tokens) throws IOException {
        if (token == JsonToken.FIELD_NAME) {
            enterField(tokens.text(), tokens);
            return;
        }
        if (token.isStructEnd()) {
            depth = Math.max(1, depth - 1);
            return;
        }
        Level outer = top();
        if (outer.isList) {
            outer.index++;
        }
        if (token == JsonToken.START_OBJECT) {
            Field field = outer.field;
            if (outer.isList) {
                push().begin(outer.type, false, false);
            } else if (field != null && field.shape() == Shape.MAP_OF_VALUES) {
                push().begin(null, true, false);
            } else {
                push().begin(field != null && field.shape() == Shape.OBJECT ? field.type() : null, false, false);
            }
        } else if (token == JsonToken.START_ARRAY) {
            Field field = outer.field;
            push().begin(field != null && field.shape() == Shape.LIST_OF_OBJECTS ? field.type() : null, false, true);
        }
    }

    /** Follows the name of a field. */
    void enterField(String name, Tokens tokens) {
        Level level = top();
        level.name = name;
        level.field = null;
        ObjectType type = level.type;
        boolean isRepeated = false;
        if (level.isMap) {
            isRepeated = !tokens.isMerged() && !level.keys.add(name);
        } else if (type != null) {
            Field field = type.field(name);
            level.field = field;
            if (field == null) {
                // A custom resource may have them elsewhere, but they were probably meant for its pods.
                if (!type.isOpen() || name.equals(FieldProblem.CONSTRAINTS)) {
                    report(false, name, tokens);
                }
                return;
            }
            long bit = 1L << field.number();
            isRepeated = !tokens.isMerged() && (level.seen & bit) != 0;
            level.seen |= tokens.isMerged() ? 0 : bit;
        }
        if (isRepeated) {
            report(true, name, tokens);
        }
    }

    private void report(boolean isRepeated, String name, Tokens tokens) {
        String path = path(depth);
        if (report.wants(path, isRepeated)) {
            String meant = isRepeated ? null : FieldHints.meant(this, name);
            report.add(new FieldProblem(path, isRepeated, meant, tokens.line(), tokens.column()));
        }
    }

    int depth() {
        return depth;
    }

    Level level(int at) {
        return levels.get(at);
    }

    /** The path of the current field of the level before {@code count}. */
    String path(int count) {
        StringBuilder path = new StringBuilder();
        for (int i = 0; i < count; i++) {
            levels.get(i).appendTo(path);
        }
        return path.toString();
    }
}
