package io.evenkeel.manifest;

import io.evenkeel.manifest.FieldTable.Field;
import io.evenkeel.manifest.FieldTable.ObjectType;
import io.evenkeel.manifest.FieldTable.Shape;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.TreeSet;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * Finds the field that was probably meant by an unknown one: in the same object, or in an object around or below it.
 */
final class FieldHints {
    /** More fields at the same distance say nothing. */
    private static final int MAX_NAMED = 3;

    /** The levels from a CronJob down to a constraint of its pods. */
    private static final int MAX_LEVELS = 7;

    /** Shorter names are often similar by chance. */
    private static final int MIN_SIMILAR_LENGTH = 8;

    private FieldHints() {}

    /** The paths that were probably meant by the unknown field {@code name} of the innermost object; or null. */
    static @Nullable String meant(FieldCheck check, String name) {
        ObjectType type = check.level(check.depth() - 1).type();
        if (type == null) {
            return null;
        }
        String within = check.path(check.depth() - 1);
        String near = type.nearest(name);
        if (near == null) {
            near = longer(name, type);
        }
        if (near != null) {
            return join(within, near);
        }
        String elsewhere = nearestPlace(check, name, (its, wanted) -> its.field(wanted) == null ? null : wanted);
        if (elsewhere == null && name.length() >= MIN_SIMILAR_LENGTH) {
            elsewhere = nearestPlace(check, name, ObjectType::nearest);
        }
        return elsewhere != null ? elsewhere : key(name, type, within);
    }

    /** The only field whose name ends with the unknown one; or null. */
    private static @Nullable String longer(String name, ObjectType type) {
        List<String> longer = type.fields().stream()
                .map(Field::name)
                .filter(each ->
                        name.length() > 2 && each.toLowerCase(Locale.ROOT).endsWith(name.toLowerCase(Locale.ROOT)))
                .toList();
        return longer.size() == 1 ? longer.get(0) : null;
    }

    /** The unknown field as a key of the only map of the object; or null. */
    private static @Nullable String key(String name, ObjectType type, String within) {
        List<Field> maps = type.fields().stream()
                .filter(each -> each.shape() == Shape.MAP_OF_VALUES)
                .toList();
        return maps.size() == 1 ? join(within, maps.get(0).name()) + "[" + name + "]" : null;
    }

    /**
     * The places of a field with the fewest steps up and down from the innermost object.
     *
     * @param find the name of the field in a type; null if the type has none
     */
    private static @Nullable String nearestPlace(
            FieldCheck check, String name, BiFunction<ObjectType, String, @Nullable String> find) {
        TreeSet<String> places = new TreeSet<>();
        int fewest = Integer.MAX_VALUE;
        int up = 0;
        for (int at = check.depth() - 1; at >= 0; at--) {
            ObjectType type = check.level(at).type();
            if (type == null) {
                continue;
            }
            for (int down = 1; down <= MAX_LEVELS && up + down <= fewest; down++) {
                List<String> found = new ArrayList<>();
                descend(type, check.path(at), down, name, find, found);
                if (!found.isEmpty()) {
                    if (up + down < fewest) {
                        places.clear();
                    }
                    fewest = up + down;
                    places.addAll(found);
                    break;
                }
            }
            up++;
        }
        return places.isEmpty() || places.size() > MAX_NAMED ? null : String.join(" or ", places);
    }

    private static void descend(
            ObjectType type,
            String path,
            int levels,
            String name,
            BiFunction<ObjectType, String, @Nullable String> find,
            List<String> found) {
        if (levels == 1) {
            String near = find.apply(type, name);
            if (near != null) {
                found.add(join(path, near));
            }
            return;
        }
        for (Field field : type.fields()) {
            ObjectType inner = field.type();
            if (inner != null) {
                String list = field.shape() == Shape.LIST_OF_OBJECTS ? "[]" : "";
                descend(inner, join(path, field.name()) + list, levels - 1, name, find, found);
            }
        }
    }

    private static String join(String path, String name) {
        return path.isEmpty() ? name : path + "." + name;
    }
}
