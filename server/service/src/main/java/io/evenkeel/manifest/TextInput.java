package io.evenkeel.manifest;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLParser;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.zip.GZIPInputStream;
import org.yaml.snakeyaml.LoaderOptions;

/**
 * Opens a stream of JSON or YAML, plain or gzip, in UTF-8 or, with a byte order mark, in UTF-16. Detects all this by
 * the first bytes.
 *
 * @param tokens the tokens of the text. Closing them closes the input.
 */
record TextInput(Tokens tokens, TextForm form) {
    /**
     * Field names are not interned, because managedFields have many that occur only once. The parser bounds its table
     * of names itself. The check for hash collisions is off, because a long list can trigger it without being an
     * attack.
     */
    private static final JsonFactory JSON = JsonFactory.builder()
            .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
            .disable(JsonFactory.Feature.FAIL_ON_SYMBOL_HASH_OVERFLOW)
            .build();

    private static final YAMLFactory YAML = new AnchorParser.Factory(
            YAMLFactory.builder().loaderOptions(yamlOptions()).enable(YAMLParser.Feature.EMPTY_STRING_AS_NULL));
    private static final int BUFFER_BYTES = 1 << 16;

    static TextInput open(InputStream input) throws IOException {
        InputStream bytes = new BufferedInputStream(input, BUFFER_BYTES);
        if (startsWith(bytes, 0x1f, 0x8b)) {
            bytes = new GZIPInputStream(bytes, BUFFER_BYTES);
        }
        TextForm form = new TextForm(bytes);
        InputStream text = new BufferedInputStream(form, BUFFER_BYTES);
        boolean isUtf16 = startsWith(text, 0xfe, 0xff) || startsWith(text, 0xff, 0xfe);
        if (isUtf16) {
            form.setCharset(StandardCharsets.UTF_16);
        } else if (startsWith(text, 0xef, 0xbb, 0xbf)) {
            text.skipNBytes(3);
        }
        if (isJson(text)) {
            // The parser recognizes UTF-16 itself.
            return new TextInput(new JsonTokens(JSON.createParser(text)), form);
        }
        YAMLParser yaml = isUtf16
                ? YAML.createParser(new InputStreamReader(text, StandardCharsets.UTF_16))
                : YAML.createParser(text);
        return new TextInput(new YamlTokens((AnchorParser) yaml), form);
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
            if (!isBlank(first)) {
                break;
            }
        }
        input.reset();
        return first == '{' || first == '[';
    }

    /** Whether it is white space, or belongs to a byte order mark or to an ASCII character in UTF-16. */
    private static boolean isBlank(int b) {
        return b == ' ' || b == '\t' || b == '\r' || b == '\n' || b == 0 || b == 0xfe || b == 0xff;
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
