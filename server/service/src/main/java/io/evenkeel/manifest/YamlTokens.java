package io.evenkeel.manifest;

import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParseException;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The tokens of a YAML text, with aliases replaced by the values that they refer to, and merge keys by the fields of
 * the mappings that they name. As in kubectl, a later field of a mapping replaces an earlier one, whether it is merged
 * or written out, and the first of several mappings of a merge key wins.
 */
final class YamlTokens implements Tokens {
    /**
     * How many tokens the aliases of a document may repeat. Larger counts come from attacks rather than from people.
     */
    static final int MAX_REPEATED = 400_000;

    private static final String MERGE_KEY = "<<";

    /** An anchored value that is being read. */
    private record OpenAnchor(String name, int start, int depth) {}

    /** The position of an anchored value in {@link #kept}. */
    private record Kept(int start, int end) {}

    private final AnchorParser parser;

    /** The tokens of anchored values, without aliases but with merge keys. */
    private final List<Token> kept = new ArrayList<>();

    private final Map<String, Kept> anchors = new HashMap<>();
    private final Deque<OpenAnchor> open = new ArrayDeque<>();

    /** The rest of the kept value that is being repeated for an alias. */
    private int repeatFrom;

    private int repeatTo;

    /** How many tokens aliases have repeated in this document. */
    private int repeated;

    private int depth;

    /** The tokens that merge keys have put before the rest of the text. */
    private final Deque<Token> ahead = new ArrayDeque<>();

    private @Nullable Token current;

    YamlTokens(AnchorParser parser) {
        this.parser = parser;
    }

    @Override
    public @Nullable JsonToken next() throws IOException {
        current = null;
        Token token = pull();
        while (token != null && isMergeKey(token)) {
            merge();
            token = pull();
        }
        current = token;
        return current();
    }

    private static boolean isMergeKey(Token token) {
        return token.type() == JsonToken.FIELD_NAME && token.text().equals(MERGE_KEY);
    }

    /** The next token, in which merge keys are not replaced yet. */
    private @Nullable Token pull() throws IOException {
        Token first = ahead.poll();
        return first != null ? first : withoutAlias();
    }

    /** Reads the value of a merge key, and puts the fields of its mappings ahead. */
    private void merge() throws IOException {
        List<Token> value = new ArrayList<>();
        int levels = 0;
        do {
            Token token = needed(pull());
            value.add(token);
            levels += levels(token);
        } while (levels > 0);
        boolean isList = value.get(0).type() == JsonToken.START_ARRAY;
        List<List<Token>> mappings = new ArrayList<>();
        List<Token> fields = new ArrayList<>();
        for (Token token : isList ? value.subList(1, value.size() - 1) : value) {
            int before = levels;
            levels += levels(token);
            if (before == 0 && token.type() != JsonToken.START_OBJECT) {
                throw problem("the merge key << needs a mapping or a list of mappings");
            }
            if (before > 0 && levels > 0) {
                fields.add(before == 1 && token.type() == JsonToken.FIELD_NAME ? token.asMerged() : token);
            }
            if (levels == 0) {
                mappings.add(fields);
                fields = new ArrayList<>();
            }
        }
        // The last field of a name counts.
        mappings.forEach(mapping -> {
            for (int i = mapping.size() - 1; i >= 0; i--) {
                ahead.addFirst(mapping.get(i));
            }
        });
    }

    private static int levels(Token token) {
        return token.type().isStructStart() ? 1 : token.type().isStructEnd() ? -1 : 0;
    }

    private Token needed(@Nullable Token token) throws IOException {
        if (token == null) {
            throw problem("unexpected end of the document");
        }
        return token;
    }

    private @Nullable Token withoutAlias() throws IOException {
        Token token = repeatFrom < repeatTo ? repeat() : read();
        if (token == null) {
            return null;
        }
        if (!open.isEmpty()) {
            kept.add(token);
        }
        depth += levels(token);
        while (!open.isEmpty() && open.peek().depth == depth && token.type() != JsonToken.FIELD_NAME) {
            OpenAnchor anchor = open.pop();
            anchors.put(anchor.name, new Kept(anchor.start, kept.size()));
        }
        return token;
    }

    private Token repeat() throws IOException {
        if (++repeated > MAX_REPEATED) {
            throw problem("the aliases of a document must repeat at most " + MAX_REPEATED + " values");
        }
        return kept.get(repeatFrom++);
    }

    private @Nullable Token read() throws IOException {
        JsonToken type = parser.nextToken();
        if (depth == 0) {
            // Anchors end with their document.
            kept.clear();
            anchors.clear();
            repeated = 0;
        }
        if (type == null) {
            return null;
        }
        boolean isValue = type.isStructStart() || type.isScalarValue();
        String text = text(type);
        if (isValue && parser.isCurrentAlias()) {
            if (open.stream().anyMatch(anchor -> anchor.name.equals(text))) {
                throw problem("the value of the anchor " + text + " contains itself");
            }
            Kept value = anchors.get(text);
            if (value == null) {
                throw problem("there is no anchor " + text);
            }
            repeatFrom = value.start;
            repeatTo = value.end;
            return repeat();
        }
        String anchor = isValue ? parser.anchor() : null;
        if (anchor != null) {
            open.push(new OpenAnchor(anchor, kept.size(), depth));
        }
        JsonLocation location = parser.currentTokenLocation();
        return new Token(type, text, false, location.getLineNr(), location.getColumnNr());
    }

    private String text(JsonToken type) throws IOException {
        if (type == JsonToken.VALUE_NUMBER_INT) {
            // Without underscores, and decimal.
            return parser.getNumberValue().toString();
        }
        return type.isScalarValue() || type == JsonToken.FIELD_NAME ? parser.getText() : "";
    }

    private JsonParseException problem(String text) {
        return new JsonParseException(parser, text, parser.currentTokenLocation());
    }

    @Override
    public @Nullable JsonToken current() {
        return current == null ? null : current.type();
    }

    @Override
    public Token token() {
        return Objects.requireNonNull(current);
    }

    @Override
    public boolean isMerged() {
        return token().merged();
    }

    @Override
    public int line() {
        return current == null ? parser.currentTokenLocation().getLineNr() : current.line();
    }

    @Override
    public int column() {
        return current == null ? parser.currentTokenLocation().getColumnNr() : current.column();
    }

    @Override
    public boolean isAtEnd() {
        return parser.isClosed();
    }

    @Override
    public void close() throws IOException {
        parser.close();
    }
}
