package io.evenkeel.manifest;

import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.objects.SimilarNames;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The fields of the Kubernetes objects that are read from files, from {@code fields.txt}. The program in
 * {@code server/service/fields} generates that file from the Go types of k8s.io/api.
 */
final class FieldTable {
    /** What the values of a field are. */
    enum Shape {
        /** A value, a list of values, or anything that has no fixed fields. */
        VALUE,
        OBJECT,
        LIST_OF_OBJECTS,
        MAP_OF_VALUES
    }

    /**
     * A field of a type.
     *
     * @param number its position among the fields of its type
     * @param type the type of the objects in it; null if there are none
     */
    record Field(
            String name, int number, Shape shape, @Nullable ObjectType type) {}

    /** A type of objects. */
    static final class ObjectType {
        private final Map<String, Field> fields = new LinkedHashMap<>();
        private final boolean open;

        /** @param open whether it may have fields that are not known here */
        private ObjectType(boolean open) {
            this.open = open;
        }

        private void add(String name, Shape shape, @Nullable ObjectType type) {
            if (fields.size() == Long.SIZE) {
                throw new IllegalStateException("a type has more fields than FieldCheck has bits");
            }
            fields.put(name, new Field(name, fields.size(), shape, type));
        }

        @Nullable
        Field field(String name) {
            return fields.get(name);
        }

        Collection<Field> fields() {
            return fields.values();
        }

        boolean isOpen() {
            return open;
        }

        /** The name of the field that was probably meant, ignoring case, punctuation and typos; or null. */
        @Nullable
        String nearest(String name) {
            String near = SimilarNames.nearest(name, fields.keySet());
            String bare = name.replaceAll("[^A-Za-z0-9]", "");
            return near != null || bare.equals(name) ? near : SimilarNames.nearest(bare, fields.keySet());
        }
    }

    /** The API groups of the kinds in the table. Others can have kinds with the same names. */
    private static final Set<String> VERSIONS = Stream.concat(
                    ObjectKind.ALL.stream().map(ObjectKind::apiVersion), Stream.of("batch/v1"))
            .collect(Collectors.toUnmodifiableSet());

    private static final Map<String, ObjectType> TYPES = read();

    /** Custom resources have any fields, except in the pod template at spec.template. */
    private static final ObjectType CUSTOM = custom();

    private FieldTable() {}

    /** The type of the objects of a kind. */
    static ObjectType of(String kind, @Nullable String apiVersion) {
        ObjectType type = apiVersion == null || VERSIONS.contains(apiVersion) ? TYPES.get(kind) : null;
        // Only kinds name themselves.
        return type != null && type.field("apiVersion") != null && type.field("metadata") != null ? type : CUSTOM;
    }

    private static ObjectType custom() {
        ObjectType spec = new ObjectType(true);
        spec.add("template", Shape.OBJECT, TYPES.get("PodTemplateSpec"));
        ObjectType root = new ObjectType(true);
        root.add("spec", Shape.OBJECT, spec);
        return root;
    }

    private static Map<String, ObjectType> read() {
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(
                Objects.requireNonNull(FieldTable.class.getResourceAsStream("fields.txt")), StandardCharsets.UTF_8))) {
            Map<String, String[]> words = lines.lines()
                    .map(line -> line.split(" ", -1))
                    .collect(Collectors.toMap(each -> each[0], each -> each));
            Map<String, ObjectType> types = new HashMap<>();
            words.keySet().forEach(name -> types.put(name, new ObjectType(false)));
            words.forEach((name, its) -> {
                for (int i = 1; i < its.length; i++) {
                    add(Objects.requireNonNull(types.get(name)), its[i], types);
                }
            });
            return types;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void add(ObjectType type, String word, Map<String, ObjectType> types) {
        int colon = word.indexOf(':');
        String name = colon < 0 ? word : word.substring(0, colon);
        ObjectType in = colon < 0 ? null : Objects.requireNonNull(types.get(word.substring(colon + 1)), word);
        if (name.endsWith("{}")) {
            type.add(name.substring(0, name.length() - 2), Shape.MAP_OF_VALUES, in);
        } else if (name.endsWith("[]")) {
            type.add(name.substring(0, name.length() - 2), Shape.LIST_OF_OBJECTS, in);
        } else {
            type.add(name, in == null ? Shape.VALUE : Shape.OBJECT, in);
        }
    }
}
