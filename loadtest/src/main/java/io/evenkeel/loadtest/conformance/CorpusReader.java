package io.evenkeel.loadtest.conformance;

import java.io.BufferedInputStream;
import java.io.BufferedReader;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipException;
import org.jspecify.annotations.Nullable;

/** Reads the scenarios of a corpus file, one at a time. Empty lines are skipped. */
final class CorpusReader implements Closeable {
    private final String source;
    private final BufferedReader lines;
    private int line;

    private CorpusReader(String source, BufferedReader lines) {
        this.source = source;
        this.lines = lines;
    }

    /** @throws IOException if the file cannot be opened */
    static CorpusReader open(Path file) throws IOException {
        InputStream bytes = new BufferedInputStream(Files.newInputStream(file));
        try {
            bytes.mark(2);
            boolean gzip = bytes.read() == 0x1f && bytes.read() == 0x8b;
            bytes.reset();
            InputStream text = gzip ? new GZIPInputStream(bytes) : bytes;
            return new CorpusReader(
                    file.toString(), new BufferedReader(new InputStreamReader(text, StandardCharsets.UTF_8)));
        } catch (IOException problem) {
            bytes.close();
            throw problem;
        }
    }

    /**
     * The next scenario, or null at the end.
     *
     * @param uidPrefix prepended to each UID
     * @throws CorpusFormatException if the line is not a scenario, or the file is truncated
     */
    @Nullable
    Scenario next(String uidPrefix) throws IOException {
        try {
            while (true) {
                line++;
                String text = lines.readLine();
                if (text == null) {
                    return null;
                }
                if (!text.isBlank()) {
                    return new ScenarioParser(uidPrefix).parse(text);
                }
            }
        } catch (CorpusFormatException wrong) {
            throw new CorpusFormatException(source + ", line " + line + ": " + wrong.getMessage());
        } catch (EOFException | ZipException malformed) {
            throw new CorpusFormatException(source + ", line " + line + ": malformed gzip: " + malformed.getMessage());
        }
    }

    @Override
    public void close() throws IOException {
        lines.close();
    }
}
