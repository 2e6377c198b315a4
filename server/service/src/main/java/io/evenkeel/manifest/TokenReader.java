package io.evenkeel.manifest;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonStreamContext;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.dataformat.yaml.YAMLParser;
import io.evenkeel.objects.FieldPath;
import io.evenkeel.objects.Quotes;
import io.evenkeel.objects.Violations;
import java.io.CharConversionException;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.zip.ZipException;
import org.jspecify.annotations.Nullable;

/**
 * Reads a JSON or YAML text value by value. Its errors name the position of the value: the path from the document's
 * root, line and column. Every {@link ObjectFormatException} about the input is created here.
 */
final class TokenReader implements Closeable {
    private static final int MAX_PROBLEM_LENGTH = 300;
    private static final String CUT_SHORT = "the input is truncated";

    private final JsonParser parser;
    private final String source;
    private final FieldPath root;
    private final @Nullable JsonLocation start;
    private long objectsRead;

    private TokenReader(JsonParser parser, String source, FieldPath root, @Nullable JsonLocation start) {
        this.parser = parser;
        this.source = source;
        this.root = root;
        this.start = start;
    }

    /**
     * Returns a reader of {@code input}. Closing the reader closes the input.
     *
     * @param source the name of the input in error messages
     */
    static TokenReader open(InputStream input, String source) throws IOException {
        try {
            return new TokenReader(TextInput.open(input), source, FieldPath.ROOT, null);
        } catch (IOException problem) {
            input.close();
            if (problem instanceof EOFException) {
                throw new ObjectFormatException(source + ": " + CUT_SHORT, problem);
            }
            if (problem instanceof ObjectFormatException || problem instanceof ZipException) {
                throw new ObjectFormatException(source + ": " + problem.getMessage(), problem);
            }
            throw problem;
        }
    }

    /**
     * Returns a reader of JSON that was copied from this input. The root of the copy is the value at {@code field}, and
     * errors name the position {@code start}.
     */
    TokenReader replay(byte[] json, FieldPath field, JsonLocation start) throws IOException {
        TokenReader replay = new TokenReader(TextInput.JSON.createParser(json), source, field, start);
        replay.objectsRead = objectsRead;
        return replay;
    }

    /** Moves to the next token; null at the end of a YAML document and at the end of the input. */
    @Nullable
    JsonToken next() throws IOException {
        try {
            return parser.nextToken();
        } catch (IOException problem) {
            throw malformed(problem);
        }
    }

    /** Whether the end of the input has been reached. */
    boolean isAtEnd() {
        return parser.isClosed();
    }

    boolean isAt(JsonToken token) {
        return parser.currentToken() == token;
    }

    /**
     * Moves to the value of the next field of the current object and returns the field's name; null at the end of the
     * object.
     */
    @Nullable
    String nextField() throws IOException {
        try {
            if (parser.nextToken() == JsonToken.END_OBJECT) {
                return null;
            }
            String name = parser.currentName();
            parser.nextToken();
            if (name.equals("<<")) {
                throw wrong("must be written out: YAML merge keys are not supported");
            }
            return name;
        } catch (IOException problem) {
            throw malformed(problem);
        }
    }

    /** Moves to the next element of a list; returns false at the end of the list. */
    boolean nextElement() throws IOException {
        return next() != JsonToken.END_ARRAY;
    }

    /** The current value, which must be a string. */
    String string() throws IOException {
        if (!isAt(JsonToken.VALUE_STRING) || isAlias()) {
            throw wrongType("a string");
        }
        try {
            return parser.getText();
        } catch (IOException problem) {
            throw malformed(problem);
        }
    }

    /** The text of the current value, which must be a string or a number. */
    String stringOrNumber() throws IOException {
        if (!isAt(JsonToken.VALUE_STRING) && !isAt(JsonToken.VALUE_NUMBER_INT) && !isAt(JsonToken.VALUE_NUMBER_FLOAT)
                || isAlias()) {
            throw wrongType("a string or a number");
        }
        try {
            return parser.getText();
        } catch (IOException problem) {
            throw malformed(problem);
        }
    }

    /** The current value, which must be a 64-bit integer. */
    long integer() throws IOException {
        if (!isAt(JsonToken.VALUE_NUMBER_INT)) {
            throw wrongType("an integer");
        }
        try {
            if (parser.getNumberType() == JsonParser.NumberType.BIG_INTEGER) {
                throw wrongType("a 64-bit integer");
            }
            return parser.getLongValue();
        } catch (IOException problem) {
            throw malformed(problem);
        }
    }

    /** The current value, which must be true or false. */
    boolean bool() throws IOException {
        if (isAt(JsonToken.VALUE_TRUE)) {
            return true;
        }
        if (isAt(JsonToken.VALUE_FALSE)) {
            return false;
        }
        throw wrongType("true or false");
    }

    void expectObject() throws IOException {
        if (!isAt(JsonToken.START_OBJECT)) {
            throw wrongType("an object");
        }
    }

    void expectList() throws IOException {
        if (!isAt(JsonToken.START_ARRAY)) {
            throw wrongType("a list");
        }
    }

    /** Moves to the end of the current value. */
    void skipValue() throws IOException {
        try {
            parser.skipChildren();
        } catch (IOException problem) {
            throw malformed(problem);
        }
    }

    /** Moves to the end of the current value and writes it to {@code output}. */
    void copyValue(JsonGenerator output) throws IOException {
        try {
            int depth = 0;
            while (true) {
                if (isAlias()) {
                    throw wrongType("");
                }
                output.copyCurrentEvent(parser);
                JsonToken token = parser.currentToken();
                depth += token.isStructStart() ? 1 : token.isStructEnd() ? -1 : 0;
                if (depth == 0) {
                    return;
                }
                parser.nextToken();
            }
        } catch (IOException problem) {
            throw malformed(problem);
        }
    }

    /** The path of the current value, from the document's root. */
    FieldPath path() {
        return path(parser.getParsingContext());
    }

    private FieldPath path(JsonStreamContext context) {
        JsonStreamContext parent = context.getParent();
        if (parent == null) {
            return root;
        }
        FieldPath path = path(parent);
        if (context.inArray()) {
            return context.hasCurrentIndex() ? path.index(context.getCurrentIndex()) : path;
        }
        return context.hasCurrentName() ? path.fieldOrKey(context.getCurrentName()) : path;
    }

    JsonLocation location() {
        return start == null ? parser.currentTokenLocation() : start;
    }

    /** Counts an object as read. Errors say how many objects were read before them. */
    void countObject() {
        objectsRead++;
    }

    long objectsRead() {
        return objectsRead;
    }

    /** The error that the current value breaks a rule. {@code description} gives the rule and then the value. */
    ObjectFormatException wrong(String description) {
        return wrong(path(), description);
    }

    /** The error that {@code field} breaks a rule. {@code description} gives the rule and then the value. */
    ObjectFormatException wrong(FieldPath field, String description) {
        return problem(Violations.message(field.toString(), description));
    }

    /** The error that the current value is not {@code expected}. */
    ObjectFormatException wrongType(String expected) throws IOException {
        if (isAlias()) {
            return wrong("must be written out: YAML aliases are not supported");
        }
        return wrong("must be " + expected + ", was " + currentValue());
    }

    /** An error at the current position. */
    ObjectFormatException problem(String text) {
        return new ObjectFormatException(describe(location(), text));
    }

    private String currentValue() throws IOException {
        JsonToken token = parser.currentToken();
        if (token == null) {
            return "nothing";
        }
        return switch (token) {
            case START_OBJECT -> "an object";
            case START_ARRAY -> "a list";
            case VALUE_STRING -> "the string " + Quotes.quoted(parser.getText());
            case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> "the number " + Quotes.shortened(parser.getText());
            default -> Quotes.shortened(parser.getText());
        };
    }

    private boolean isAlias() throws IOException {
        return parser instanceof YAMLParser yaml && yaml.isCurrentAlias();
    }

    /** The exception to throw for a failure of the parser. I/O errors are returned unchanged. */
    private IOException malformed(IOException problem) {
        if (problem instanceof ObjectFormatException) {
            return problem;
        }
        for (Throwable cause = problem; cause != null; cause = cause.getCause()) {
            if (isCutShort(cause)) {
                return new ObjectFormatException(describe(location(), CUT_SHORT), problem);
            }
        }
        if (problem instanceof JsonProcessingException inText) {
            JsonLocation location = inText.getLocation() == null ? location() : inText.getLocation();
            return new ObjectFormatException(
                    describe(location, "malformed: " + onOneLine(inText.getOriginalMessage())), problem);
        }
        if (problem instanceof ZipException || problem instanceof CharConversionException) {
            return new ObjectFormatException(describe(location(), "malformed: " + problem.getMessage()), problem);
        }
        return problem;
    }

    private static boolean isCutShort(Throwable problem) {
        return problem instanceof EOFException
                || problem instanceof JsonProcessingException inText
                        && inText.getOriginalMessage().startsWith("Unexpected end-of-input");
    }

    private String describe(JsonLocation location, String text) {
        return source + ", line " + location.getLineNr() + ", column " + location.getColumnNr() + ": " + text
                + ", after " + objectsRead + (objectsRead == 1 ? " object" : " objects");
    }

    private static String onOneLine(String text) {
        String line = text.replaceAll("\\s+", " ").strip();
        return line.length() > MAX_PROBLEM_LENGTH ? line.substring(0, MAX_PROBLEM_LENGTH) + "..." : line;
    }

    @Override
    public void close() throws IOException {
        parser.close();
    }
}
