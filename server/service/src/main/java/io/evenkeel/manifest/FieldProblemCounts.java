package io.evenkeel.manifest;

import io.evenkeel.objects.Quotes;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Counts the fields of many objects that Kubernetes would reject, by kind and path. The number of paths is bounded. */
final class FieldProblemCounts {
    private static final int MAX_PATHS = 20;

    /** What is counted together. The path has no indexes. */
    private record Key(String kind, String path, boolean isRepeated) {}

    private static final class Count {
        private long fields;

        /** The first one; null until it is described. */
        private @Nullable FieldProblem first;
    }

    private final Map<Key, Count> counts = new LinkedHashMap<>();
    private long others;

    /** Counts the problems of one object. */
    FieldCheck.Report of(String kind) {
        return new FieldCheck.Report() {
            private @Nullable Count described;

            @Override
            public boolean wants(String path, boolean isRepeated) {
                Key key = new Key(kind, FieldProblem.anyIndex(path), isRepeated);
                Count count = counts.get(key);
                if (count == null && counts.size() == MAX_PATHS) {
                    others++;
                    return false;
                }
                if (count == null) {
                    count = new Count();
                    counts.put(key, count);
                }
                count.fields++;
                described = count;
                return count.first == null;
            }

            @Override
            public void add(FieldProblem problem) {
                if (described != null) {
                    described.first = problem;
                }
            }
        };
    }

    List<String> lines() {
        List<String> lines = new ArrayList<>();
        counts.forEach((key, count) -> lines.add(line(key, count)));
        if (others > 0) {
            lines.add(others + " more unknown or duplicate fields");
        }
        return lines;
    }

    private static String line(Key key, Count count) {
        FieldProblem first = count.first;
        String where = count.fields == 1 ? "once in a " : count.fields + " times in ";
        String kind = count.fields == 1 ? key.kind : key.kind + "s";
        return Quotes.shortened(key.path) + ": "
                + (key.isRepeated ? "duplicate field, the last one counts" : "unknown field, ignored") + " (" + where
                + kind
                + (first == null ? "" : ", first in line " + first.line()) + ")"
                + (first == null || first.meant() == null
                        ? ""
                        : "; did you mean " + FieldProblem.anyIndex(first.meant()) + "?");
    }
}
