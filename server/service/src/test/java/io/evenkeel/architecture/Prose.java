package io.evenkeel.architecture;

import java.io.IOException;
import java.nio.charset.MalformedInputException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Finds words in the project's prose that a native-speaking engineer would not use. Prose is comments, Javadoc,
 * Markdown, scripts, manifests, and those string literals of main code that contain a space (help texts, logs and
 * errors). Code in Markdown and Javadoc is skipped.
 *
 * <p>Run it by itself with {@code java Prose.java FOLDER}. It prints the file, the line, the words, and what to write
 * instead.
 */
final class Prose {
    /** A rule: what must not be written, and what to write instead. */
    record Rule(Pattern words, String advice) {
        static Rule of(String words, String advice) {
            return new Rule(Pattern.compile("\\b(?:" + words + ")\\b", Pattern.CASE_INSENSITIVE), advice);
        }

        /** A rule for words that begin a sentence. */
        static Rule atStart(String words, String advice) {
            return new Rule(Pattern.compile("(?:^\\s*|[.:;!?]\\s+|\\n\\s*\\n\\s*)(?:" + words + ")"), advice);
        }
    }

    /** A place that breaks a rule. */
    record Finding(String file, int line, String words, String advice) {
        @Override
        public String toString() {
            return file + ":" + line + ": \"" + words + "\": " + advice;
        }
    }

    static final List<Rule> RULES = List.of(
            Rule.of("where", "write \"if\", \"when\" or \"in which\""),
            Rule.of(
                    "tells?|told|telling|untold",
                    "write \"report\", \"notify\", \"send\", \"pass\", \"say\" or \"log\""),
            Rule.of("stands?|stood|standing", "write \"is\", \"appears\" or \"means\""),
            Rule.of("anew", "write \"again\""),
            Rule.of("whoever|whomever|whom", "name the subject"),
            Rule.of("nobody", "write \"no one\", or name the subject"),
            Rule.of("in thought|in mind", "write \"hypothetical\""),
            Rule.of("beside", "write \"compared with\", \"next to\" or \"in addition to\""),
            Rule.of("(?:the )?middle one|the middle of (?:\\w+) (?:runs|turns|starts)", "write \"median\""),
            Rule.of("of (?:its|their) own", "write \"its own\" or \"separate\""),
            Rule.of("lets? go|letting go", "write \"release\""),
            Rule.of("taken? back|takes back|took back", "write \"revert\", \"undo\" or \"expire\""),
            Rule.of("br(?:eaks?|oken|oke) off", "write \"abort\""),
            Rule.of("left out|leaves? out|leaving out", "write \"skip\" or \"omit\""),
            Rule.of("goes on|go on|went on", "write \"continue\""),
            Rule.of("hears? of|heard of", "write \"receive\" or \"learn\""),
            Rule.of("any more", "write \"no longer\" or \"anymore\""),
            Rule.of("once more", "write \"again\""),
            Rule.of("had its turn|have their turn|has its turn", "write \"was scheduled\""),
            Rule.of("at will", "say what it can do"),
            Rule.of("belongs? into", "write \"belongs in\" or \"goes in\""),
            Rule.of("would else|or else|else would", "write \"otherwise\""),
            Rule.of("came of|comes of|become of|became of", "write \"outcome\" or \"result\""),
            Rule.of("in vain", "say what failed"),
            Rule.of("mends?|mended|mending", "write \"fix\" or \"repair\""),
            Rule.of("thereof|thereby|therein|whereby|hitherto|lest", "use everyday words"),
            Rule.of("shall", "write \"must\" or \"should\""),
            Rule.of("who may do what", "write \"permissions\""),
            Rule.of("no matter whether|be it", "write \"whether or not\""),
            Rule.of("so many", "write the number, or \"that many\""),
            Rule.atStart("As \\{@link", "say what the method does"),
            Rule.atStart("Of the ", "put the subject first"),
            Rule.atStart("Says ", "write \"Returns\", \"True if\" or \"Whether\""),
            Rule.atStart("By (?:the|a|its|their) ", "put the subject first"));

    private static final Pattern JAVADOC_CODE = Pattern.compile("\\{@code [^}]*\\}|<pre>.*?</pre>", Pattern.DOTALL);
    private static final Pattern MARKDOWN_CODE =
            Pattern.compile("(?m)^ *```.*?^ *```|``[^`]+``|`[^`]+`|\\]\\([^)]*\\)", Pattern.DOTALL);
    private static final Pattern LINE_START = Pattern.compile("(?m)^[ \\t]*(?:\\*(?!/)|//+|#+)");

    private static final Set<String> SKIPPED = Set.of("target", ".git", "node_modules", ".cache");

    /** The files to check. The rules themselves name the words, and so do their tests. */
    private static final Pattern NAMES = Pattern.compile(
            "(?!.*/Prose(?:Test)?\\.java$).*\\.(?:java|go|proto|md|sh|ya?ml|html)|(?:.*/)?pom\\.xml|(?:.*/)?[a-z]+");

    private static final Pattern GENERATED = Pattern.compile("(?m)^// Code generated .* DO NOT EDIT");

    private Prose() {}

    public static void main(String[] folders) throws IOException {
        int count = 0;
        for (String folder : folders) {
            for (Finding finding : findings(Path.of(folder))) {
                System.out.println(finding);
                count++;
            }
        }
        System.out.println(count + " findings");
    }

    /** All findings in the files below a folder, in the order of the files' names. */
    static List<Finding> findings(Path root) throws IOException {
        List<Finding> findings = new ArrayList<>();
        for (Map.Entry<String, String> file : files(root).entrySet()) {
            findings.addAll(findings(file.getKey(), file.getValue()));
        }
        return findings;
    }

    /** The texts of the files to check, by their paths below the root. */
    static Map<String, String> files(Path root) throws IOException {
        Map<String, String> files = new TreeMap<>();
        Files.walkFileTree(root, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
                return SKIPPED.contains(String.valueOf(folder.getFileName()))
                                || folder.endsWith(Path.of("src", "test", "resources"))
                        ? FileVisitResult.SKIP_SUBTREE
                        : FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                String name = root.relativize(file).toString().replace('\\', '/');
                if (NAMES.matcher(name).matches()) {
                    try {
                        files.put(name, Files.readString(file));
                    } catch (MalformedInputException e) {
                        // Not a text.
                    }
                }
                return FileVisitResult.CONTINUE;
            }
        });
        return files;
    }

    /** The findings in one file. */
    static List<Finding> findings(String file, String text) {
        List<Finding> findings = new ArrayList<>();
        if (file.endsWith(".java") || file.endsWith(".go") || file.endsWith(".proto")) {
            if (!GENERATED.matcher(text).find()) {
                boolean withLiterals =
                        file.contains("src/main/") || (file.endsWith(".go") && !file.endsWith("_test.go"));
                findProseInCode(file, text, withLiterals, findings);
            }
        } else if (file.endsWith(".md")) {
            find(file, 1, blank(MARKDOWN_CODE, text), findings);
        } else if (file.contains(".") || text.startsWith("#!")) {
            find(file, 1, blank(LINE_START, text), findings);
        }
        return findings;
    }

    /** Finds prose in comments and literals of a language with comments like those of C. */
    private static void findProseInCode(String file, String text, boolean withLiterals, List<Finding> findings) {
        int line = 1;
        int at = 0;
        while (at < text.length()) {
            char next = text.charAt(at);
            int end = at + 1;
            if (text.startsWith("//", at)) {
                end = endOfLineComments(text, at);
                findInComment(file, line, text.substring(at, end), findings);
            } else if (text.startsWith("/*", at)) {
                end = indexAfter(text, "*/", at + 2);
                findInComment(file, line, text.substring(at, end), findings);
            } else if (text.startsWith("\"\"\"", at)) {
                end = indexAfter(text, "\"\"\"", at + 3);
                if (withLiterals) {
                    find(file, line, text.substring(at, end), findings);
                }
            } else if (next == '`' && file.endsWith(".go")) {
                end = indexAfter(text, "`", at + 1);
                if (withLiterals) {
                    find(file, line, text.substring(at, end), findings);
                }
            } else if (next == '"' || next == '\'') {
                end = endOfLiteral(text, at);
                String literal = text.substring(at + 1, Math.max(at + 1, end - 1));
                if (withLiterals && literal.contains(" ")) {
                    find(file, line, literal, findings);
                }
            }
            for (; at < end; at++) {
                line += text.charAt(at) == '\n' ? 1 : 0;
            }
        }
    }

    private static void findInComment(String file, int line, String comment, List<Finding> findings) {
        String prose = blank(LINE_START, comment.replace("/**", "   ").replace("*/", "  "));
        find(file, line, blank(JAVADOC_CODE, prose), findings);
    }

    /** The end of a comment of one line, and of those below it that continue it. */
    private static int endOfLineComments(String text, int start) {
        int end = start;
        int next = start;
        while (text.startsWith("//", next)) {
            end = text.indexOf('\n', next);
            if (end < 0) {
                return text.length();
            }
            next = end + 1;
            while (next < text.length() && (text.charAt(next) == ' ' || text.charAt(next) == '\t')) {
                next++;
            }
        }
        return end;
    }

    private static int endOfLiteral(String text, int start) {
        char quote = text.charAt(start);
        for (int at = start + 1; at < text.length(); at++) {
            char next = text.charAt(at);
            if (next == '\\') {
                at++;
            } else if (next == quote) {
                return at + 1;
            } else if (next == '\n') {
                return at;
            }
        }
        return text.length();
    }

    private static int indexAfter(String text, String mark, int from) {
        int at = text.indexOf(mark, from);
        return at < 0 ? text.length() : at + mark.length();
    }

    /** The text with spaces in place of what matches, so that lines keep their numbers. */
    private static String blank(Pattern pattern, String text) {
        return pattern.matcher(text).replaceAll(match -> match.group().replaceAll("[^\\n]", " "));
    }

    private static void find(String file, int firstLine, String prose, List<Finding> findings) {
        // A phrase can be broken over two lines. A paragraph ends a sentence.
        String joined = prose.replaceAll("(?<=\\S) *\\n *(?=[\\S])", " ");
        List<Finding> found = new ArrayList<>();
        for (Rule rule : RULES) {
            Matcher matcher = rule.words().matcher(joined);
            int from = 0;
            while (matcher.find(from)) {
                String words = matcher.group().strip();
                found.add(new Finding(
                        file,
                        firstLine + lineOf(prose, words, joined, matcher.start()),
                        words.toLowerCase(Locale.ROOT),
                        rule.advice()));
                from = matcher.end();
            }
        }
        found.sort(Comparator.comparingInt(Finding::line));
        findings.addAll(found);
    }

    /** The line of a place in joined lines: lines before it end at as many words as the place has before it. */
    private static int lineOf(String prose, String words, String joined, int start) {
        long before = joined.substring(0, start + joined.substring(start).indexOf(words))
                .chars()
                .filter(c -> !Character.isWhitespace(c))
                .count();
        int line = 0;
        long seen = 0;
        for (int at = 0; at < prose.length(); at++) {
            char next = prose.charAt(at);
            if (next == '\n') {
                line++;
            } else if (!Character.isWhitespace(next)) {
                if (seen == before) {
                    return line;
                }
                seen++;
            }
        }
        return line;
    }
}
