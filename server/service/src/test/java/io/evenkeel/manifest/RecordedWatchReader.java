package io.evenkeel.manifest;

import com.fasterxml.jackson.core.JsonToken;
import com.google.protobuf.Message;
import io.evenkeel.engine.model.Change;
import io.evenkeel.objects.FieldPath;
import io.evenkeel.objects.Quotes;
import io.evenkeel.objects.WatchedObject;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads the events of a watch in the format of the API server: JSON objects with a {@code type} and an {@code object},
 * one after another. It skips bookmarks; it also skips and counts objects of kinds that topology spread does not depend
 * on. An event is returned before the reader waits for the next one. YAML and gzip are accepted too. After an error the
 * input cannot be read further. Not thread-safe.
 */
public final class RecordedWatchReader implements Closeable {
    private final TokenReader input;
    private final KindCounts skipped = new KindCounts();

    private RecordedWatchReader(TokenReader input) {
        this.input = input;
    }

    /**
     * Reads the events in {@code input}, and closes it with the reader.
     *
     * @param source the name of the input in error messages
     */
    public static RecordedWatchReader of(InputStream input, String source) throws IOException {
        return new RecordedWatchReader(TokenReader.open(input, source));
    }

    /**
     * The next event; null at the end.
     *
     * @throws WatchErrorException if the event is an ERROR
     * @throws ObjectFormatException if the text is malformed or truncated, or a value has the wrong type
     * @throws IOException if the input cannot be read
     */
    public @Nullable WatchedObject next() throws IOException {
        while (true) {
            JsonToken token = input.next();
            if (token == null && input.isAtEnd()) {
                return null;
            }
            if (token != null && token != JsonToken.VALUE_NULL) {
                input.expectObject();
                WatchedObject event = readEvent();
                if (event != null) {
                    input.countObject();
                    return event;
                }
            }
        }
    }

    /** How many objects were skipped, by kind, because topology spread does not depend on them. */
    public Map<String, Long> skippedKinds() {
        return skipped.byKind();
    }

    @Override
    public void close() throws IOException {
        input.close();
    }

    /** The current event, or null if it is skipped. */
    private @Nullable WatchedObject readEvent() throws IOException {
        FieldPath path = input.path();
        String type = null;
        WatchedObject event = null;
        DeferredFields early = null;
        boolean anyObject = false;
        for (Token field = input.nextFieldToken(); field != null; field = input.nextFieldToken()) {
            String name = field.text();
            if (name.equals("type")) {
                type = input.string();
            } else if (!name.equals("object")) {
                input.skipValue();
            } else if (type != null) {
                event = readObject(input, type);
                anyObject = true;
            } else {
                early = new DeferredFields(input, path);
                early.add(field);
            }
        }
        if (type == null) {
            throw missing(path.field("type"));
        }
        if (early != null) {
            TokenReader replay = early.replay();
            replay.nextField();
            return readObject(replay, type);
        }
        if (!anyObject) {
            throw missing(path.field("object"));
        }
        return event;
    }

    private ObjectFormatException missing(FieldPath field) {
        return input.wrong(field, "must not be missing");
    }

    private @Nullable WatchedObject readObject(TokenReader from, String type) throws IOException {
        from.expectObject();
        Change change = switch (type) {
            case "ADDED" -> Change.ADDED;
            case "MODIFIED" -> Change.MODIFIED;
            case "DELETED" -> Change.DELETED;
            case "BOOKMARK" -> null;
            case "ERROR" -> throw error(from);
            default ->
                throw from.problem(
                        "type must be ADDED, MODIFIED, DELETED, BOOKMARK or ERROR, was " + Quotes.quoted(type));
        };
        if (change == null) {
            from.skipValue();
            return null;
        }
        ObjectBody body = new ObjectBody(from, null, null, new FieldProblemCounts());
        body.readToItemsOrEnd(false);
        Message message = body.message();
        if (message == null) {
            body.countSkipped(skipped);
            return null;
        }
        return new WatchedObject(change, message);
    }

    /** The exception for an ERROR event, from its Status. */
    private static WatchErrorException error(TokenReader from) throws IOException {
        String reason = "";
        String message = "";
        long code = 0;
        for (String name = from.nextField(); name != null; name = from.nextField()) {
            switch (name) {
                case "reason" -> reason = from.string();
                case "message" -> message = from.string();
                case "code" -> code = from.integer();
                default -> from.skipValue();
            }
        }
        String text = "the watch ended with an error: " + Quotes.shortened(message) + " (" + Quotes.shortened(reason)
                + ", code " + code + ")";
        return new WatchErrorException(text, Math.toIntExact(Math.min(code, Integer.MAX_VALUE)), reason);
    }
}
