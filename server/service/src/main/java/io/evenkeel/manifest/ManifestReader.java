package io.evenkeel.manifest;

import com.fasterxml.jackson.core.JsonToken;
import io.evenkeel.objects.FieldPath;
import io.evenkeel.objects.SimilarNames;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Reads the workloads in a JSON or YAML text. They can be in several documents and in lists; other objects are skipped.
 */
final class ManifestReader {
    private static final Set<String> CONTENT = Set.of("metadata", "spec", "status", "template");
    private static final List<String> FIELDS =
            List.of("apiVersion", "kind", "metadata", "spec", "status", "template", "items");

    /** The API groups of workloads. Other groups can have kinds with the same names. */
    private static final Set<String> GROUPS = Set.of("", "apps", "batch", "extensions");

    private final TokenReader input;
    private final Consumer<String> hints;
    private final List<PodManifest> found = new ArrayList<>();
    private final KindCounts skipped = new KindCounts();

    ManifestReader(TokenReader input, Consumer<String> hints) {
        this.input = input;
        this.hints = hints;
    }

    /** The workloads, in the order of the text. */
    List<PodManifest> read() throws IOException {
        boolean any = false;
        JsonToken token = input.next();
        while (token != null || !input.isAtEnd()) {
            if (token != null && token != JsonToken.VALUE_NULL) {
                any = true;
                readObject(null, null);
            }
            token = input.next();
        }
        if (!any) {
            throw input.problem("the input is empty");
        }
        return found;
    }

    /** The error message if there is no workload. */
    String whyNone() {
        Map<String, Long> others = skipped.byKind();
        String kinds = String.join(", ", Workloads.KINDS);
        String none = "no workload found: expected one of " + kinds;
        if (others.isEmpty()) {
            return none;
        }
        return none + "; found only "
                + others.entrySet().stream()
                        .map(each -> each.getValue() + " " + each.getKey() + meant(each.getKey()))
                        .collect(Collectors.joining(", "));
    }

    private static String meant(String kind) {
        String near = SimilarNames.nearest(kind, Workloads.KINDS);
        return near == null ? "" : " (did you mean " + near + "?)";
    }

    /**
     * Reads the current object.
     *
     * @param listKind the kind of items that do not name one; null if they must
     */
    private void readObject(@Nullable String listKind, @Nullable String listApiVersion) throws IOException {
        input.expectObject();
        FieldPath path = input.path();
        DeferredFields content = new DeferredFields(input, path);
        String kind = listKind;
        String apiVersion = listApiVersion;
        for (String name = input.nextField(); name != null; name = input.nextField()) {
            if (name.equals("apiVersion")) {
                apiVersion = input.string();
            } else if (name.equals("kind")) {
                kind = input.string();
            } else if (name.equals("items") && input.isAt(JsonToken.START_ARRAY) && isListSoFar(kind)) {
                String itemKind = ObjectBody.kindOfItems(kind);
                while (input.nextElement()) {
                    readObject(itemKind, itemKind == null ? null : apiVersion);
                }
                kind = kind == null ? "List" : kind;
            } else if (CONTENT.contains(name)
                    && (kind == null || isWorkload(kind, apiVersion) || Workloads.isCustom(apiVersion))) {
                content.add(name);
            } else {
                hintAt(name, kind, apiVersion);
                input.skipValue();
            }
        }
        if (kind == null || kind.isEmpty()) {
            throw input.wrong(path.field("kind"), "must not be missing");
        }
        boolean mayBe = isWorkload(kind, apiVersion) || Workloads.isCustom(apiVersion) && !ObjectBody.isList(kind);
        PodManifest workload = mayBe
                ? Workloads.read(kind, apiVersion == null ? "" : apiVersion, content.replay(), path, hints)
                : null;
        if (workload != null) {
            found.add(workload);
            input.countObject();
        } else if (!ObjectBody.isList(kind)) {
            skipped.add(Workloads.KINDS.contains(kind) ? kind + " of " + apiVersion : kind);
        }
    }

    private void hintAt(String name, @Nullable String kind, @Nullable String apiVersion) {
        String near = SimilarNames.nearest(name, FIELDS);
        if (near != null && (kind == null || isWorkload(kind, apiVersion))) {
            hints.accept(input.path() + " is ignored; did you mean " + near + "?");
        }
    }

    private static boolean isListSoFar(@Nullable String kind) {
        return kind == null || ObjectBody.isList(kind);
    }

    private static boolean isWorkload(String kind, @Nullable String apiVersion) {
        return Workloads.KINDS.contains(kind)
                && (apiVersion == null
                        || GROUPS.contains(apiVersion.substring(0, Math.max(0, apiVersion.indexOf('/')))));
    }
}
