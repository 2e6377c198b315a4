package io.evenkeel.manifest;

import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import io.evenkeel.objects.FieldPath;
import io.evenkeel.objects.Quotes;
import io.evenkeel.objects.Violations;
import java.io.CharConversionException;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.zip.ZipException;
import org.jspecify.annotations.Nullable;

/**
 * Reads a JSON or YAML text value by value. Its errors name the position of the value: the path from the document's
 * root, line and column. Every {@link ObjectFormatException} about the input is created here.
 */
final class TokenReader implements Closeable {
    private static final String CUT_SHORT = "the input is truncated";

    private final Tokens tokens;
    private final String source;
    private final TextForm form;
    private final FieldPath root;
    private final TokenPath path = new TokenPath();
    private @Nullable FieldCheck check;
    private boolean anyDocument;
    private long objectsRead;

    private TokenReader(Tokens tokens, String source, TextForm form, FieldPath root) {
        this.tokens = tokens;
        this.source = source;
        this.form = form;
        this.root = root;
    }

    /**
     * Returns a reader of {@code input}. Closing the reader closes the input.
     *
     * @param source the name of the input in error messages
     */
    static TokenReader open(InputStream input, String source) throws IOException {
        try {
            TextInput text = TextInput.open(input);
            return new TokenReader(text.tokens(), source, text.form(), FieldPath.ROOT);
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

    /** Returns a reader of tokens that were copied from this input, as the value at {@code field}. */
    TokenReader replay(List<Token> copied, FieldPath field) {
        TokenReader replay = new TokenReader(new KeptTokens(copied), source, form, field);
        replay.objectsRead = objectsRead;
        return replay;
    }

    /**
     * Lets {@code following} follow the tokens from now on.
     *
     * @param field the name of the field whose value is the current token; null if the next token is a field
     */
    void follow(FieldCheck following, @Nullable String field) throws IOException {
        check = following;
        JsonToken current = tokens.current();
        if (field != null && current != null) {
            following.enterField(field, tokens);
            following.follow(current, tokens);
        }
    }

    /** Ends what {@link #follow} began. */
    void endFollowing() {
        check = null;
    }

    /** Moves to the next token; null at the end of a YAML document and at the end of the input. */
    @Nullable
    JsonToken next() throws IOException {
        try {
            return advance();
        } catch (IOException problem) {
            throw malformed(problem);
        }
    }

    private @Nullable JsonToken advance() throws IOException {
        JsonToken token = tokens.next();
        if (token != null) {
            path.follow(token, tokens);
            if (check != null) {
                check.follow(token, tokens);
            }
        }
        return token;
    }

    /**
     * Moves to the next document that is not empty; returns false at the end of the input.
     *
     * @throws ObjectFormatException if there is none at all
     */
    boolean nextDocument() throws IOException {
        while (true) {
            JsonToken token = next();
            if (token == null && isAtEnd()) {
                if (!anyDocument) {
                    throw problem("the input is empty");
                }
                return false;
            }
            if (token != null && token != JsonToken.VALUE_NULL) {
                anyDocument = true;
                return true;
            }
        }
    }

    /** Whether the end of the input has been reached. */
    boolean isAtEnd() {
        return tokens.isAtEnd();
    }

    boolean isAt(JsonToken token) {
        return tokens.current() == token;
    }

    /**
     * Moves to the value of the next field of the current object and returns the field's name; null at the end of the
     * object.
     */
    @Nullable
    String nextField() throws IOException {
        if (next() == JsonToken.END_OBJECT) {
            return null;
        }
        String name = path.field();
        next();
        return name;
    }

    /** Same as {@link #nextField}, but returns the name as a token. */
    @Nullable
    Token nextFieldToken() throws IOException {
        if (next() == JsonToken.END_OBJECT) {
            return null;
        }
        Token name = tokens.token();
        next();
        return name;
    }

    /** Moves to the next element of a list; returns false at the end of the list. */
    boolean nextElement() throws IOException {
        return next() != JsonToken.END_ARRAY;
    }

    /** The current value, which must be a string. */
    String string() throws IOException {
        if (!isAt(JsonToken.VALUE_STRING)) {
            throw wrongType("a string");
        }
        return text();
    }

    /** The text of the current value, which must be a string or a number. */
    String stringOrNumber() throws IOException {
        if (!isAt(JsonToken.VALUE_STRING) && !isAt(JsonToken.VALUE_NUMBER_INT) && !isAt(JsonToken.VALUE_NUMBER_FLOAT)) {
            throw wrongType("a string or a number");
        }
        return text();
    }

    private String text() throws IOException {
        try {
            return tokens.text();
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
            return Long.parseLong(text());
        } catch (NumberFormatException tooLong) {
            throw wrongType("a 64-bit integer");
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
        JsonToken token = tokens.current();
        for (int depth = levels(token); depth > 0; depth += levels(token)) {
            token = next();
        }
    }

    /** Moves to the end of the current value and adds its tokens to {@code copy}. */
    void copyValue(List<Token> copy) throws IOException {
        JsonToken token = tokens.current();
        try {
            copy.add(tokens.token());
            for (int depth = levels(token); depth > 0; depth += levels(token)) {
                token = advance();
                copy.add(tokens.token());
            }
        } catch (IOException problem) {
            throw malformed(problem);
        }
    }

    /** The start or the end of an object, at the current position. */
    Token bracket(JsonToken type) {
        return new Token(type, "", false, tokens.line(), tokens.column());
    }

    private static int levels(@Nullable JsonToken token) {
        return token == null ? 0 : token.isStructStart() ? 1 : token.isStructEnd() ? -1 : 0;
    }

    /** The path of the current value, from the document's root. */
    FieldPath path() {
        return path.under(root);
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
        return wrong("must be " + expected + ", was " + currentValue());
    }

    /** An error at the current position. */
    ObjectFormatException problem(String text) {
        return new ObjectFormatException(describe(tokens.line(), tokens.column(), text));
    }

    private String currentValue() throws IOException {
        JsonToken token = tokens.current();
        if (token == null) {
            return "nothing";
        }
        return switch (token) {
            case START_OBJECT -> "an object";
            case START_ARRAY -> "a list";
            case VALUE_STRING -> "the string " + Quotes.quoted(tokens.text());
            case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> "the number " + Quotes.shortened(tokens.text());
            default -> Quotes.shortened(tokens.text());
        };
    }

    /** The exception to throw for a failure of the parser. I/O errors are returned unchanged. */
    private IOException malformed(IOException problem) {
        if (problem instanceof ObjectFormatException) {
            return problem;
        }
        for (Throwable cause = problem; cause != null; cause = cause.getCause()) {
            if (isCutShort(cause)) {
                return new ObjectFormatException(describe(tokens.line(), tokens.column(), CUT_SHORT), problem);
            }
        }
        if (problem instanceof JsonProcessingException inText) {
            JsonLocation at = inText.getLocation();
            return new ObjectFormatException(
                    malformed(
                            at == null ? tokens.line() : at.getLineNr(),
                            at == null ? tokens.column() : at.getColumnNr(),
                            ParserText.of(inText)),
                    problem);
        }
        if (problem instanceof ZipException || problem instanceof CharConversionException) {
            return new ObjectFormatException(
                    malformed(tokens.line(), tokens.column(), String.valueOf(problem.getMessage())), problem);
        }
        return problem;
    }

    private static boolean isCutShort(Throwable problem) {
        return problem instanceof EOFException
                || problem instanceof JsonProcessingException inText
                        && inText.getOriginalMessage().startsWith("Unexpected end-of-input");
    }

    private String malformed(int line, int column, String text) {
        return at(line, column) + "malformed: " + text + progress() + form.hintIfMalformed(text);
    }

    private String describe(int line, int column, String text) {
        return at(line, column) + text + progress() + form.hint(line);
    }

    /** The start of a message about a position of the input. */
    String at(int line, int column) {
        return source + ", line " + line + ", column " + column + ": ";
    }

    private String progress() {
        return ", after " + objectsRead + (objectsRead == 1 ? " object" : " objects");
    }

    @Override
    public void close() throws IOException {
        tokens.close();
    }
}
