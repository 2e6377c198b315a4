package io.evenkeel.manifest;

import com.fasterxml.jackson.core.JsonToken;
import com.google.protobuf.Message;
import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.objects.FieldPath;
import io.evenkeel.objects.Quotes;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Reads Kubernetes objects from JSON or YAML, plain or gzip, as {@code kubectl get -o json} and the API server write
 * them. The text can contain single objects, lists of mixed kinds, lists of one kind whose items do not name it, nested
 * lists, and several of these one after another. Objects are returned in the order of the text and one at a time: each
 * is returned before the text after it is read. Objects of kinds that topology spread does not depend on are skipped
 * and counted.
 *
 * <p>After an error the input cannot be read further. Not thread-safe.
 */
public final class ObjectReader implements Closeable {
    private final TokenReader input;
    private final Deque<OpenList> lists = new ArrayDeque<>();
    private final KindCounts skipped = new KindCounts();
    private final Consumer<Message> storage;
    private final FieldProblemCounts problems = new FieldProblemCounts();

    /** A list whose items are being read. */
    private static final class OpenList {
        private final FieldPath path;
        private final @Nullable String itemKind;
        private final @Nullable String itemApiVersion;
        private @Nullable String kind;

        OpenList(FieldPath path, @Nullable String kind, @Nullable String apiVersion) {
            this.path = path;
            this.kind = kind;
            this.itemKind = ObjectBody.kindOfItems(kind);
            this.itemApiVersion = itemKind == null ? null : apiVersion;
        }
    }

    private ObjectReader(TokenReader input, Consumer<Message> storage) {
        this.input = input;
        this.storage = storage;
    }

    /**
     * Reads the objects in {@code input}, and closes it with the reader.
     *
     * @param source the name of the input in error messages
     */
    public static ObjectReader of(InputStream input, String source) throws IOException {
        return of(input, source, skipped -> {});
    }

    /**
     * Like {@link #of(InputStream, String)}.
     *
     * @param storage receives each PersistentVolumeClaim and PersistentVolume, which count as skipped
     */
    public static ObjectReader of(InputStream input, String source, Consumer<Message> storage) throws IOException {
        return new ObjectReader(TokenReader.open(input, source), storage);
    }

    /**
     * The next object, one of the messages of {@link ObjectKind}; null at the end.
     *
     * @throws ObjectFormatException if the text is empty, malformed or truncated, a value has the wrong type, or a kind
     *     is missing
     * @throws IOException if the input cannot be read
     */
    public @Nullable Message next() throws IOException {
        while (true) {
            OpenList list = lists.peek();
            boolean inValue = list == null ? input.nextDocument() : nextItem(list);
            if (!inValue && list == null) {
                return null;
            }
            if (inValue) {
                Message message = readObject(list);
                if (message != null) {
                    input.countObject();
                    return message;
                }
            }
        }
    }

    /** How many objects were returned. */
    public long objectsRead() {
        return input.objectsRead();
    }

    /** How many objects were skipped, by kind, because topology spread does not depend on them. */
    public Map<String, Long> skippedKinds() {
        return skipped.byKind();
    }

    /** The fields of the returned objects that Kubernetes would reject: a line for each kind and path. */
    public List<String> fieldProblems() {
        return problems.lines();
    }

    @Override
    public void close() throws IOException {
        input.close();
    }

    /**
     * Moves to the next item. If there is none, closes the list and returns false, unless the list has more items
     * further on.
     */
    private boolean nextItem(OpenList list) throws IOException {
        if (input.nextElement()) {
            return true;
        }
        for (String name = input.nextField(); name != null; name = input.nextField()) {
            if (name.equals("items") && input.isAt(JsonToken.START_ARRAY)) {
                return nextItem(list);
            }
            if (name.equals("kind")) {
                list.kind = input.string();
            } else {
                input.skipValue();
            }
        }
        FieldPath kindPath = list.path.field("kind");
        if (list.kind == null) {
            // YAML that was truncated between two objects is still well formed. The kind, which kubectl writes after
            // the items, is missing then.
            throw input.wrong(kindPath, "must not be missing: is the input truncated?");
        }
        if (!ObjectBody.isList(list.kind)) {
            throw input.wrong(kindPath, "must be the kind of a list, was " + Quotes.quoted(list.kind));
        }
        lists.pop();
        return false;
    }

    /** The current object; null if it is not needed, or if it is a list, whose items then come next. */
    private @Nullable Message readObject(@Nullable OpenList list) throws IOException {
        input.expectObject();
        ObjectBody body = list == null
                ? new ObjectBody(input, null, null, problems)
                : new ObjectBody(input, list.itemKind, list.itemApiVersion, problems);
        FieldPath path = input.path();
        if (body.readToItemsOrEnd(true)) {
            lists.push(new OpenList(path, body.kind(), body.apiVersion()));
            return null;
        }
        Message message = body.message();
        if (message != null && ObjectBody.isStorage(message)) {
            storage.accept(message);
            message = null;
        }
        if (message == null) {
            body.countSkipped(skipped);
        }
        return message;
    }
}
