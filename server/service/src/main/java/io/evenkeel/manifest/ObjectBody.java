package io.evenkeel.manifest;

import com.fasterxml.jackson.core.JsonToken;
import com.google.protobuf.Message;
import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.objects.FieldPath;
import io.evenkeel.objects.KindMessages;
import io.evenkeel.objects.Quotes;
import io.evenkeel.v1.PersistentVolume;
import io.evenkeel.v1.PersistentVolumeClaim;
import java.io.IOException;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Reads the fields of one Kubernetes object into a message. Fields that precede the kind are buffered until it is
 * known. Objects of kinds that are not needed are skipped.
 */
final class ObjectBody {
    private static final String LIST_SUFFIX = "List";

    /** Kinds that no answer depends on, and that {@link ObjectReader#storage} receives. Their apiVersion is v1. */
    private static final Map<String, Message> STORAGE = Map.of(
            "PersistentVolumeClaim", PersistentVolumeClaim.getDefaultInstance(),
            "PersistentVolume", PersistentVolume.getDefaultInstance());

    private final TokenReader input;
    private final FieldPath path;
    private final @Nullable String defaultKind;
    private final FieldProblemCounts problems;

    /** The kind; null until it is known. */
    private @Nullable String kind;

    private @Nullable String apiVersion;

    /**
     * The error that {@code items} is not a list. It applies only if the object turns out to be a list, because its
     * kind may follow later.
     */
    private @Nullable ObjectFormatException noList;

    private @Nullable DeferredFields setAside;

    /** The message to fill; null until the kind is known, and if the kind is not needed. */
    private Message.@Nullable Builder builder;

    /**
     * Begins an object. The input must be at its start.
     *
     * @param defaultKind the kind if the object does not name one
     * @param defaultApiVersion the apiVersion if the object does not name one
     * @param problems counts the fields of needed objects that Kubernetes would reject
     */
    ObjectBody(
            TokenReader input,
            @Nullable String defaultKind,
            @Nullable String defaultApiVersion,
            FieldProblemCounts problems) {
        this.input = input;
        this.path = input.path();
        this.defaultKind = defaultKind;
        this.problems = problems;
        this.apiVersion = defaultApiVersion;
    }

    /**
     * Reads the fields to the end of the object and returns false. If {@code mayBeList} and the object is a list, stops
     * at the start of its items and returns true.
     */
    boolean readToItemsOrEnd(boolean mayBeList) throws IOException {
        for (Token field = input.nextFieldToken(); field != null; field = input.nextFieldToken()) {
            String name = field.text();
            if (mayBeList && name.equals("items") && isListSoFar()) {
                if (input.isAt(JsonToken.START_ARRAY)) {
                    return true;
                }
                if (!input.isAt(JsonToken.VALUE_NULL)) {
                    noList = input.wrongType("a list");
                }
            }
            readField(field, name);
        }
        input.endFollowing();
        if (kind == null) {
            if (defaultKind == null) {
                throw input.wrong(path.field("kind"), "must not be missing");
            }
            become(defaultKind, null);
        }
        if (noList != null && kind != null && hasNeededItems(kind)) {
            throw noList;
        }
        return false;
    }

    /** The object, once it is read to its end; null if its kind is not needed. */
    @Nullable
    Message message() {
        return builder == null ? null : builder.build();
    }

    /** Counts an object whose kind is not needed, once it is read to its end, unless it is a list. */
    void countSkipped(KindCounts skipped) {
        if (kind != null && !isList(kind)) {
            skipped.add(kind, apiVersion);
        }
    }

    /** The kind; null if it has not been named yet. */
    @Nullable
    String kind() {
        return kind;
    }

    /** The apiVersion; null if it has not been named yet. */
    @Nullable
    String apiVersion() {
        return apiVersion;
    }

    /** Whether {@code kind} is that of a list. */
    static boolean isList(String kind) {
        return kind.endsWith(LIST_SUFFIX);
    }

    /** The kind of the items in a list of that kind; null if each item names its kind. */
    static @Nullable String kindOfItems(@Nullable String listKind) {
        return listKind == null || listKind.equals(LIST_SUFFIX)
                ? null
                : listKind.substring(0, listKind.length() - LIST_SUFFIX.length());
    }

    /** Whether it is the kind of a list that can contain needed objects. Others can have any fields. */
    private static boolean hasNeededItems(String kind) {
        if (!isList(kind)) {
            return false;
        }
        String items = kindOfItems(kind);
        return items == null || ObjectKind.named(items) != null;
    }

    private boolean isListSoFar() {
        return kind == null ? defaultKind == null : isList(kind);
    }

    private void readField(Token field, String name) throws IOException {
        if (name.equals("kind")) {
            String named = input.string();
            if (named.isEmpty()) {
                return;
            }
            if (kind == null) {
                become(named, name);
            } else if (!kind.equals(named)) {
                throw input.wrong("must be " + Quotes.shortened(kind) + ", was " + Quotes.quoted(named));
            }
        } else if (name.equals("apiVersion")) {
            apiVersion = input.string();
            if (!isNeeded()) {
                builder = null;
                input.endFollowing();
            }
        } else {
            if (kind == null && defaultKind != null) {
                become(defaultKind, name);
            }
            readContent(field, name);
        }
    }

    private void readContent(Token field, String name) throws IOException {
        if (builder != null) {
            new MessageFiller(input, false).fillField(builder, MessageShape.of(builder.getDescriptorForType()), name);
        } else if (kind == null) {
            if (setAside == null) {
                setAside = new DeferredFields(input, path);
            }
            setAside.add(field);
        } else {
            input.skipValue();
        }
    }

    /** @param field the name of the current field; null if the object has been read to its end */
    private void become(String known, @Nullable String field) throws IOException {
        kind = known;
        if (!isNeeded()) {
            return;
        }
        ObjectKind needed = ObjectKind.named(known);
        Message prototype = needed == null ? STORAGE.get(known) : KindMessages.prototype(needed);
        builder = Objects.requireNonNull(prototype).newBuilderForType();
        FieldCheck check = new FieldCheck(FieldTable.of(known, apiVersion), problems.of(known));
        if (setAside != null) {
            TokenReader replay = setAside.replay();
            replay.follow(check, null);
            new MessageFiller(replay, false).fill(builder);
        }
        if (field != null) {
            input.follow(check, field);
        }
    }

    /**
     * Whether the kind is needed, as far as it is known. The API group counts too, because other groups can have kinds
     * with the same names.
     */
    private boolean isNeeded() {
        if (kind == null) {
            return false;
        }
        ObjectKind needed = ObjectKind.named(kind);
        String version = needed != null ? needed.apiVersion() : STORAGE.containsKey(kind) ? "v1" : null;
        return version != null && (apiVersion == null || apiVersion.equals(version));
    }

    /** Whether a message is a claim or a volume. */
    static boolean isStorage(Message message) {
        return message instanceof PersistentVolumeClaim || message instanceof PersistentVolume;
    }
}
