package io.evenkeel.manifest;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Recognizes texts that are given by mistake instead of JSON or YAML, by their beginning, so that errors can say what
 * to do. Remembers the beginning while it is read.
 */
final class TextForm extends FilterInputStream {
    private static final int MAX_BYTES = 1 << 16;
    private static final String INSTEAD = "; give the output of `kubectl get -o yaml` instead";

    /** What is said about texts whose beginning contains one of these. */
    private static final List<Map.Entry<Pattern, String>> FORMS = List.of(
            form("\u0000", "the input is binary"),
            form("\\A\\s*<(!DOCTYPE|html)", "the input is a web page"),
            form("\\A\\s*Name: {2,}\\S.*\\n", "the input looks like output of `kubectl describe`" + INSTEAD),
            form(
                    "\\A\\s*[A-Z][A-Z0-9()/-]*( [A-Z]+)*( {2,}[A-Z][A-Z0-9()/-]*( [A-Z]+)*)+ *\\R",
                    "the input looks like a table of kubectl" + INSTEAD),
            form("\\A\\s*NAME *\\R", "the input looks like a table of kubectl" + INSTEAD),
            form(
                    "\\A\\s*[a-z]+(\\.[a-z.]+)?/[a-z0-9.-]+\\s*(\\R|\\z)",
                    "the input looks like output of `kubectl get -o name`" + INSTEAD),
            form(
                    "\\A\\s*(Error from server|error: |Error: |No resources found|Unable to connect|The connection to the server)",
                    "the input is a message instead of objects"),
            form(
                    "(?m)^==== START logs for container ",
                    "the input looks like output of `kubectl cluster-info dump`, which contains logs" + INSTEAD));

    private static final String TEMPLATE =
            "; the input looks like a template that is not rendered; give the output of `helm template` instead";
    private static final String DUMP = "Unexpected character ('='";

    private final byte[] beginning = new byte[MAX_BYTES];
    private int length;
    private Charset charset = StandardCharsets.UTF_8;

    TextForm(InputStream input) {
        super(input);
    }

    private static Map.Entry<Pattern, String> form(String pattern, String said) {
        return Map.entry(Pattern.compile(pattern), "; " + said);
    }

    void setCharset(Charset charset) {
        this.charset = charset;
    }

    /** What to say after an error in a line; empty if nothing is recognized. */
    String hint(int line) {
        return templateIn(text().lines().skip(Math.max(0, line - 1)).limit(1), known());
    }

    /** What to say after the parser's error {@code problem}; empty if nothing is recognized. */
    String hintIfMalformed(String problem) {
        return problem.startsWith(DUMP) ? FORMS.get(FORMS.size() - 1).getValue() : templateIn(text().lines(), known());
    }

    private static String templateIn(Stream<String> lines, String otherwise) {
        return otherwise.isEmpty() && lines.anyMatch(line -> line.contains("{{")) ? TEMPLATE : otherwise;
    }

    private String known() {
        String text = text();
        return FORMS.stream()
                .filter(form -> form.getKey().matcher(text).find())
                .map(Map.Entry::getValue)
                .findFirst()
                .orElse("");
    }

    private String text() {
        return new String(beginning, 0, length, charset);
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] bytes, int from, int most) throws IOException {
        int read = in.read(bytes, from, most);
        if (read > 0 && length < MAX_BYTES) {
            int kept = Math.min(read, MAX_BYTES - length);
            System.arraycopy(bytes, from, beginning, length, kept);
            length += kept;
        }
        return read;
    }
}
