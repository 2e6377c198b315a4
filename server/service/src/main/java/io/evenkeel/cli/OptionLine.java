package io.evenkeel.cli;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A line of an options file: {@code name = value}. Empty lines and lines that begin with {@code #} are skipped. Errors
 * do not quote lines, because the wrong file may have been given, and it may contain secrets.
 *
 * @param number counted from 1
 */
record OptionLine(int number, String name, String value) {
    private static final int MAX_BYTES = 1 << 20;
    private static final char BYTE_ORDER_MARK = '\uFEFF';
    private static final Pattern LINE = Pattern.compile("([a-z][a-z0-9-]{0,39})\\s*=\\s*(\\P{Cntrl}*)");

    /**
     * The lines of a file.
     *
     * @throws IOException if the file is malformed or cannot be read; the message names the line, not the file
     */
    static List<OptionLine> read(Path file) throws IOException {
        List<OptionLine> options = new ArrayList<>();
        int number = 0;
        for (String each : text(file).lines().toList()) {
            number++;
            String line = each.strip();
            if (line.isEmpty() || line.startsWith("#")) {
                continue;
            }
            Matcher option = LINE.matcher(line);
            if (!option.matches()) {
                throw new IOException("line " + number + " must be NAME=VALUE; NAME is an option without its dashes");
            }
            options.add(new OptionLine(number, option.group(1), option.group(2)));
        }
        return options;
    }

    private static String text(Path file) throws IOException {
        byte[] bytes;
        try (InputStream in = Files.newInputStream(file)) {
            bytes = in.readNBytes(MAX_BYTES + 1);
        }
        if (bytes.length > MAX_BYTES) {
            throw new IOException("must have at most " + MAX_BYTES + " bytes");
        }
        try {
            String text = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
            return text.isEmpty() || text.charAt(0) != BYTE_ORDER_MARK ? text : text.substring(1);
        } catch (CharacterCodingException e) {
            throw new IOException("must be text in UTF-8", e);
        }
    }
}
