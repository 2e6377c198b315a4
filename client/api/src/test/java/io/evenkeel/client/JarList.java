package io.evenkeel.client;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.NavigableSet;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Lists the jars that an artifact brings to its user: those that Maven resolved, and those in the clients' README. */
public final class JarList {
    private static final Pattern RESOLVED = Pattern.compile("^\\s*[\\w.-]+:([\\w.-]+):jar:", Pattern.MULTILINE);

    private JarList() {}

    /** The jars of the tested module. The build lists them before its tests run. */
    public static NavigableSet<String> resolved() throws IOException {
        return names(RESOLVED, Files.readString(Path.of("target", "jars.txt")));
    }

    /** The jars in the sentence of client/README.md {@code `artifact` brings these jars: `one`, `another`.} */
    public static NavigableSet<String> inReadme(String artifact) {
        Matcher sentence = Pattern.compile("`" + artifact + "` brings these jars: ([^.]*)\\.")
                .matcher(ProjectFiles.read("client/README.md"));
        if (!sentence.find()) {
            throw new AssertionError("client/README.md must say what `" + artifact + "` brings");
        }
        return names(Pattern.compile("`([^`]+)`"), sentence.group(1));
    }

    private static NavigableSet<String> names(Pattern name, String text) {
        NavigableSet<String> names = new TreeSet<>();
        Matcher next = name.matcher(text);
        while (next.find()) {
            names.add(next.group(1));
        }
        return names;
    }
}
