package io.evenkeel.manifest;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLParser;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.zip.GZIPInputStream;
import org.yaml.snakeyaml.LoaderOptions;

/** Opens a stream of JSON or YAML, plain or gzip. Detects the format by the first bytes. */
final class TextInput {
    /**
     * Field names are not interned, because managedFields have many that occur only once. The parser bounds its table
     * of names itself. The check for hash collisions is off, because a long list can trigger it without being an
     * attack.
     */
    static final JsonFactory JSON = JsonFactory.builder()
            .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
            .disable(JsonFactory.Feature.FAIL_ON_SYMBOL_HASH_OVERFLOW)
            .build();

    private static final YAMLFactory YAML = YAMLFactory.builder()
            .loaderOptions(yamlOptions())
            .enable(YAMLParser.Feature.EMPTY_STRING_AS_NULL)
            .build();
    private static final int BUFFER_BYTES = 1 << 16;

    private TextInput() {}

    /** A parser of {@code input}. Closing the parser closes the input. */
    static JsonParser open(InputStream input) throws IOException {
        InputStream text = new BufferedInputStream(input, BUFFER_BYTES);
        if (startsWith(text, 0x1f, 0x8b)) {
            text = new BufferedInputStream(new GZIPInputStream(text, BUFFER_BYTES), BUFFER_BYTES);
        }
        if (startsWith(text, 0xfe, 0xff) || startsWith(text, 0xff, 0xfe)) {
            throw new ObjectFormatException("the text must be UTF-8, was UTF-16");
        }
        if (startsWith(text, 0xef, 0xbb, 0xbf)) {
            text.skipNBytes(3);
        }
        return isJson(text) ? JSON.createParser(text) : YAML.createParser(text);
    }

    private static boolean startsWith(InputStream input, int... bytes) throws IOException {
        input.mark(bytes.length);
        boolean matches = true;
        for (int i = 0; matches && i < bytes.length; i++) {
            matches = input.read() == bytes[i];
        }
        input.reset();
        return matches;
    }

    /** Whether the text is JSON: as in kubectl, its first non-blank character opens an object or array. */
    private static boolean isJson(InputStream input) throws IOException {
        input.mark(BUFFER_BYTES);
        int first = -1;
        for (int i = 0; i < BUFFER_BYTES; i++) {
            first = input.read();
            if (!isWhiteSpace(first)) {
                break;
            }
        }
        input.reset();
        return first == '{' || first == '[';
    }

    private static boolean isWhiteSpace(int b) {
        return b == ' ' || b == '\t' || b == '\r' || b == '\n';
    }

    /**
     * The length of a document is unlimited: a list is one document, and only one of its objects is in memory at a
     * time.
     */
    private static LoaderOptions yamlOptions() {
        LoaderOptions options = new LoaderOptions();
        options.setCodePointLimit(Integer.MAX_VALUE);
        options.setNestingDepthLimit(200);
        return options;
    }
}
