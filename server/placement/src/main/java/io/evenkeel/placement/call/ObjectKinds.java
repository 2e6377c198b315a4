package io.evenkeel.placement.call;

import io.evenkeel.engine.model.KindVersions;
import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.objects.KindMessages;
import io.evenkeel.v1.KindVersion;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** Reads object kinds and their versions from requests, and writes them. */
public final class ObjectKinds {
    private ObjectKinds() {}

    /**
     * The kinds with these numbers.
     *
     * @param field the list in the request
     * @throws RequestException if one is unknown or duplicate
     */
    public static Set<ObjectKind> of(List<Integer> numbers, String field) {
        Set<ObjectKind> kinds = EnumSet.noneOf(ObjectKind.class);
        for (int i = 0; i < numbers.size(); i++) {
            add(numbers.get(i), kinds, field + "[" + i + "]");
        }
        return kinds;
    }

    /**
     * The versions of these kinds; 0 if omitted.
     *
     * @param mayBeEmpty whether versions may be omitted
     * @param field the list in the request
     * @throws RequestException if a kind is unknown or duplicate, or a version is invalid
     */
    public static Map<ObjectKind, Long> ofVersions(List<KindVersion> versions, boolean mayBeEmpty, String field) {
        Set<ObjectKind> kinds = EnumSet.noneOf(ObjectKind.class);
        Map<ObjectKind, Long> byKind = new EnumMap<>(ObjectKind.class);
        for (int i = 0; i < versions.size(); i++) {
            String at = field + "[" + i + "]";
            ObjectKind kind = add(versions.get(i).getKindValue(), kinds, at + ".kind");
            String version = versions.get(i).getResourceVersion();
            if (!(mayBeEmpty && version.isEmpty()) && !ResourceVersionReader.isValid(version)) {
                throw RequestException.invalid(at + ".resourceVersion", ResourceVersionReader.wrong(version));
            }
            byKind.put(kind, version.isEmpty() ? 0 : ResourceVersionReader.parse(version));
        }
        return byKind;
    }

    /** The reported versions of a state, without kinds that have none. */
    public static List<KindVersion> versions(KindVersions state) {
        List<KindVersion> reported = new ArrayList<>();
        for (ObjectKind kind : ObjectKind.ALL) {
            if (state.reported(kind) > 0) {
                reported.add(KindVersion.newBuilder()
                        .setKind(KindMessages.inMessages(kind))
                        .setResourceVersion(Long.toString(state.reported(kind)))
                        .build());
            }
        }
        return reported;
    }

    /** The names of kinds, for a message. */
    static String names(Set<ObjectKind> kinds) {
        return kinds.stream().map(ObjectKind::name).collect(Collectors.joining(", "));
    }

    private static ObjectKind add(int number, Set<ObjectKind> kinds, String field) {
        ObjectKind kind = KindMessages.ofNumber(number);
        if (kind == null) {
            throw RequestException.invalid(field, "must be a known kind, was " + number);
        }
        if (!kinds.add(kind)) {
            throw RequestException.invalid(field, "must not be repeated, was " + KindMessages.inMessages(kind));
        }
        return kind;
    }
}
