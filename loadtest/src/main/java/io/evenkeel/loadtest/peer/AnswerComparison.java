package io.evenkeel.loadtest.peer;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** Finds differences between two answers to one question. */
final class AnswerComparison {
    private static final String NOTHING = "nothing";

    private AnswerComparison() {}

    /** One line for each node with a difference: first verdicts, then scores. Empty if the answers agree. */
    static List<String> differences(PeerQuestion asked, PeerAnswer plugin, PeerAnswer evenkeel) {
        List<String> lines = new ArrayList<>();
        compare(asked.name() + ", verdict on ", plugin.codes(), evenkeel.codes(), lines);
        compare(asked.name() + ", score of ", plugin.scores(), evenkeel.scores(), lines);
        return lines;
    }

    private static <T> void compare(String what, Map<String, T> plugin, Map<String, T> evenkeel, List<String> lines) {
        Set<String> nodes = new TreeSet<>(plugin.keySet());
        nodes.addAll(evenkeel.keySet());
        for (String node : nodes) {
            String theirs = words(plugin, node);
            String ours = words(evenkeel, node);
            if (!theirs.equals(ours)) {
                lines.add(what + node + ": the plugin says " + theirs + ", Evenkeel " + ours);
            }
        }
    }

    private static <T> String words(Map<String, T> answers, String node) {
        T value = answers.get(node);
        return value == null ? NOTHING : value.toString();
    }
}
