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
    /** The API groups of workloads. Other groups can have kinds with the same names. */
    private static final Set<String> GROUPS = Set.of("", "apps", "batch", "extensions");

    private final TokenReader input;
    private final Consumer<String> warnings;
    private final Consumer<PodManifest> found;
    private final Broken broken;
    private final boolean checksFields;
    private final KindCounts skipped = new KindCounts();

    /** Decides what becomes of a workload that is rejected. */
    interface Broken {
        /** Throws {@code problem}, or lets the reader continue with the next object. */
        void met(ObjectFormatException problem) throws ObjectFormatException;
    }

    /** @param found receives the workloads, in the order of the text */
    ManifestReader(TokenReader input, Consumer<String> warnings, Consumer<PodManifest> found, Broken broken) {
        this(input, warnings, found, broken, true);
    }

    /** Reads what an API server sent, whose fields may be those of a newer Kubernetes. */
    static ManifestReader ofServer(TokenReader input, Consumer<PodManifest> found, Broken broken) {
        return new ManifestReader(input, hint -> {}, found, broken, false);
    }

    private ManifestReader(
            TokenReader input,
            Consumer<String> warnings,
            Consumer<PodManifest> found,
            Broken broken,
            boolean checksFields) {
        this.checksFields = checksFields;
        this.input = input;
        this.warnings = warnings;
        this.found = found;
        this.broken = broken;
    }

    /** Reads the text to its end. */
    void read() throws IOException {
        while (input.nextDocument()) {
            readObject(null, null);
        }
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
        for (Token field = input.nextFieldToken(); field != null; field = input.nextFieldToken()) {
            String name = field.text();
            if (name.equals("apiVersion")) {
                apiVersion = input.string();
            } else if (name.equals("kind")) {
                kind = input.string();
            }
            if (name.equals("items") && input.isAt(JsonToken.START_ARRAY) && isListSoFar(kind)) {
                String itemKind = ObjectBody.kindOfItems(kind);
                while (input.nextElement()) {
                    readObject(itemKind, itemKind == null ? null : apiVersion);
                }
                kind = kind == null ? "List" : kind;
            } else if (kind == null || isWorkload(kind, apiVersion) || Workloads.isCustom(apiVersion)) {
                content.add(field);
            } else {
                input.skipValue();
            }
        }
        if (kind == null || kind.isEmpty()) {
            throw input.wrong(path.field("kind"), "must not be missing");
        }
        PodManifest workload;
        try {
            workload = workload(kind, apiVersion, content, path);
        } catch (ObjectFormatException e) {
            broken.met(e);
            return;
        }
        if (workload != null) {
            found.accept(workload);
            input.countObject();
        } else if (!ObjectBody.isList(kind)) {
            skipped.add(Workloads.KINDS.contains(kind) ? kind + " of " + apiVersion : kind);
        }
    }

    /** The workload with this content; null if the object is none. */
    private @Nullable PodManifest workload(
            String kind, @Nullable String apiVersion, DeferredFields content, FieldPath path) throws IOException {
        boolean builtIn = isWorkload(kind, apiVersion);
        if (builtIn) {
            checkFields(kind, apiVersion, content, path);
        } else if (!Workloads.isCustom(apiVersion) || ObjectBody.isList(kind)) {
            return null;
        }
        PodManifest workload = Workloads.read(kind, apiVersion == null ? "" : apiVersion, content.replay(), path);
        if (workload != null && !builtIn) {
            checkFields(kind, apiVersion, content, path);
        }
        return workload;
    }

    /**
     * Rejects an object with fields that Kubernetes would reject. Warns instead of fields that a newer Kubernetes, or
     * the definition of a custom resource, may have.
     */
    private void checkFields(String kind, @Nullable String apiVersion, DeferredFields content, FieldPath path)
            throws IOException {
        if (!checksFields) {
            return;
        }
        List<FieldProblem> problems = new ArrayList<>();
        FieldTable.ObjectType type = FieldTable.of(kind, apiVersion);
        boolean mayHaveOthers = readFields(content.replay(), type, problems) || type.isOpen();
        List<String> errors = new ArrayList<>();
        for (FieldProblem problem : problems) {
            boolean mayBeRight = mayHaveOthers
                    && !problem.isRepeated()
                    && (type.isOpen() && problem.isOutsideTemplate()
                            || !problem.isOfConstraints() && (type.isOpen() || problem.meant() == null));
            if (mayBeRight) {
                warnings.accept(problem.within(path) + " (ignored)");
            } else {
                errors.add(input.at(problem.line(), problem.column()) + problem.within(path));
            }
        }
        if (!errors.isEmpty()) {
            throw new ObjectFormatException(errors);
        }
    }

    /** Finds the problems of an object. Returns whether it comes from an API server. */
    private static boolean readFields(TokenReader object, FieldTable.ObjectType type, List<FieldProblem> problems)
            throws IOException {
        object.follow(new FieldCheck(type, FieldCheck.listing(problems)), null);
        boolean hasUid = false;
        for (String name = object.nextField(); name != null; name = object.nextField()) {
            if (name.equals("metadata") && object.isAt(JsonToken.START_OBJECT)) {
                for (String inner = object.nextField(); inner != null; inner = object.nextField()) {
                    hasUid |= inner.equals("uid");
                    object.skipValue();
                }
            } else {
                object.skipValue();
            }
        }
        return hasUid;
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
