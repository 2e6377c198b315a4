package io.evenkeel.lab.kube;

import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.objects.InvalidObjectException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Compares answers that name a version of every kind with the model at exactly these versions.
 *
 * @param compared the number of compared answers
 * @param states the number of different cluster states among them
 * @param wrong a line for each wrong answer
 */
record FollowComparison(int compared, int states, List<String> wrong) {
    static FollowComparison of(List<VersionedAnswer> answers, EtcdHistory history)
            throws InterruptedException, InvalidObjectException {
        Model model = new Model(history);
        int compared = 0;
        Set<Map<ObjectKind, Long>> states = new HashSet<>();
        List<String> wrong = new ArrayList<>();
        for (VersionedAnswer answer : answers) {
            if (answer.namesAll()) {
                history.await(answer.versions().values().stream()
                        .mapToLong(v -> v)
                        .max()
                        .orElseThrow());
                Map<String, String> right = model.values(answer.pod(), answer.versions());
                if (!right.equals(answer.values())) {
                    wrong.add(difference(answer, right));
                }
                compared++;
                states.add(answer.versions());
            }
        }
        return new FollowComparison(compared, states.size(), wrong);
    }

    private static String difference(VersionedAnswer answer, Map<String, String> right) {
        Map<String, String> differences = new TreeMap<>();
        Set<String> names = new HashSet<>(right.keySet());
        names.addAll(answer.values().keySet());
        for (String name : names) {
            String values = answer.values().getOrDefault(name, "nothing");
            String expected = right.getOrDefault(name, "nothing");
            if (!values.equals(expected)) {
                differences.put(name, values + " instead of " + expected);
            }
        }
        String subject =
                answer.pod() == null ? "numbers" : answer.pod().getMetadata().getName();
        return "%s at versions %s: %s".formatted(subject, answer.versions(), differences);
    }
}
