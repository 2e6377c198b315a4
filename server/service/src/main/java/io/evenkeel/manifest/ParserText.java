package io.evenkeel.manifest;

import com.fasterxml.jackson.core.JsonProcessingException;
import java.util.List;
import java.util.regex.Pattern;
import org.yaml.snakeyaml.error.MarkedYAMLException;

/** What a parser says about a text that it rejects, for people: without names of classes, and on one line. */
final class ParserText {
    private static final int MAX_LENGTH = 300;
    private static final Pattern CODE = Pattern.compile(", from `[^`]*`");
    private static final Pattern OPTION = Pattern.compile(": enable `[^`]*` to allow");
    private static final Pattern CLASS = Pattern.compile("([a-z]\\w*\\.)+[A-Z]\\w*: ");
    private static final String NO_NAME = "Expected a field name";

    private ParserText() {}

    static String of(JsonProcessingException problem) {
        String text = problem.getOriginalMessage();
        if (problem.getCause() instanceof MarkedYAMLException inYaml && inYaml.getProblem() != null) {
            text = (inYaml.getContext() == null ? "" : inYaml.getContext() + ": ") + inYaml.getProblem();
        } else if (text.startsWith(NO_NAME)) {
            text = "the name of a field must be a plain text";
        }
        for (Pattern detail : List.of(CODE, OPTION, CLASS)) {
            text = detail.matcher(text).replaceAll("");
        }
        String line = text.replaceAll("\\s+", " ").strip();
        return line.length() > MAX_LENGTH ? line.substring(0, MAX_LENGTH) + "..." : line;
    }
}
