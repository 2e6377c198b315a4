package io.evenkeel.commands;

import io.evenkeel.cli.AskedCluster;
import io.evenkeel.cli.ClusterInput;
import io.evenkeel.cli.CommandFailure;
import io.evenkeel.cli.ExplainText;
import io.evenkeel.cli.ManifestChoice;
import io.evenkeel.cli.Paragraphs;
import io.evenkeel.client.Session;
import io.evenkeel.manifest.PodManifest;
import io.evenkeel.objects.SimilarNames;
import io.evenkeel.v1.AddNodes;
import io.evenkeel.v1.ChangeNode;
import io.evenkeel.v1.ExplainResponse;
import io.evenkeel.v1.PlacementRule;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.PodReference;
import io.evenkeel.v1.ScheduleResponse;
import io.evenkeel.v1.ScheduledPods;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Reads scripts of steps, one a line, and the files that they name. A number sign begins a comment. */
final class SimulationScript {
    /** How each step is written: an upper-case word is any word, and brackets for an optional end. */
    private static final Map<String, String> FORMS = forms(
            "add N nodes from FILE named PREFIX",
            "remove node NODE",
            "cordon NODE",
            "uncordon NODE",
            "label NODE KEY=VALUE",
            "unlabel NODE KEY",
            "place N pods of FILE [on NODE]",
            "move pod POD to NODE",
            "delete pod POD",
            "skew FILE",
            "explain FILE",
            "fork",
            "commit",
            "revert");

    private static final Pattern COUNT = Pattern.compile("[1-9]\\d{0,5}");

    private final String name;
    private final Path directory;
    private final String namespace;
    private final int maxRows;
    private final PlacementRule rule;
    private final Consumer<String> used;
    private final Consumer<String> warnings;

    /** The line that is being read, from 1. */
    private int line;

    private SimulationScript(
            String file,
            String namespace,
            int maxRows,
            PlacementRule rule,
            Consumer<String> used,
            Consumer<String> warnings) {
        this.name = ClusterInput.called(file);
        Path parent = file.equals("-") ? null : Path.of(file).getParent();
        this.directory = parent == null ? Path.of("") : parent;
        this.namespace = namespace;
        this.maxRows = maxRows;
        this.rule = rule;
        this.used = used;
        this.warnings = warnings;
    }

    private static Map<String, String> forms(String... usages) {
        Map<String, String> forms = new LinkedHashMap<>();
        for (String usage : usages) {
            forms.put(usage.replaceFirst(" .*", ""), usage);
        }
        return forms;
    }

    /**
     * Reads a script. Files in it are relative to its directory.
     *
     * @param file {@code -} for standard input
     * @param namespace that of pods that name none
     * @param maxRows the maximum number of rows in a table of the results
     * @param rule which of the nodes that a pod can go to it is placed on
     * @param used called with the namespace of each pod that a step is about
     * @throws CommandFailure if a line or a file that it names is wrong
     */
    static List<ScriptStep> read(
            String file,
            String namespace,
            int maxRows,
            PlacementRule rule,
            Consumer<String> used,
            Consumer<String> warnings)
            throws IOException {
        SimulationScript script = new SimulationScript(file, namespace, maxRows, rule, used, warnings);
        String text = new String(ClusterInput.bytes(file), StandardCharsets.UTF_8);
        List<ScriptStep> steps = new ArrayList<>();
        for (String written : text.lines().toList()) {
            script.line++;
            String step = written.replaceFirst("(^|\\s)#.*", "").strip().replaceAll("\\s+", " ");
            if (!step.isEmpty()) {
                steps.add(new ScriptStep(script.line, step, script.action(step)));
            }
        }
        if (steps.isEmpty()) {
            throw new CommandFailure(script.name + " has no step");
        }
        return steps;
    }

    /** How each step is written. */
    static Collection<String> steps() {
        return FORMS.values();
    }

    /** The start of messages about a line. */
    static String at(String file, int line) {
        return ClusterInput.called(file) + ", line " + line + ": ";
    }

    private CommandFailure wrong(String message) {
        return new CommandFailure(Paragraphs.printable(at(name, line) + message));
    }

    private ScriptStep.Action action(String step) throws IOException {
        String verb = step.replaceFirst(" .*", "");
        String form = FORMS.get(verb);
        if (form == null) {
            String near = SimilarNames.nearest(verb, FORMS.keySet());
            throw wrong("there is no step '" + verb + "'"
                    + (near == null
                            ? "; the steps are " + String.join(", ", FORMS.keySet())
                            : SimilarNames.question(near)));
        }
        Matcher words = Pattern.compile(form.replaceAll(" \\[(.*)]", "(?: $1)?").replaceAll("\\b[A-Z]+\\b", "(\\\\S+)"))
                .matcher(step);
        if (!words.matches()) {
            throw wrong("must be '" + form + "', was '" + step + "'");
        }
        return switch (verb) {
            case "add" -> add(count(words.group(1)), template(words.group(2)), words.group(3));
            case "remove" -> remove(words.group(1));
            case "cordon", "uncordon" ->
                change(ChangeNode.newBuilder().setNode(words.group(1)).setUnschedulable(verb.equals("cordon")));
            case "label" ->
                change(ChangeNode.newBuilder().setNode(words.group(1)).putSetLabels(words.group(2), words.group(3)));
            case "unlabel" ->
                change(ChangeNode.newBuilder().setNode(words.group(1)).addRemoveLabels(words.group(2)));
            case "place" -> place(count(words.group(1)), manifest(words.group(2)), words.group(3));
            case "move" -> {
                PodReference pod = reference(words.group(1));
                yield done(session -> session.move(pod, words.group(2)));
            }
            case "delete" -> {
                PodReference pod = reference(words.group(1));
                yield done(session -> session.remove(pod));
            }
            case "skew" -> skew(manifest(words.group(1)));
            case "explain" -> explain(manifest(words.group(1)));
            case "fork" -> done(Session::fork);
            case "commit" -> done(Session::commit);
            case "revert" -> done(Session::revert);
            default -> throw new IllegalStateException(verb);
        };
    }

    private int count(String word) throws CommandFailure {
        if (!COUNT.matcher(word).matches()) {
            throw wrong("N must be a number from 1 to 999999, was '" + word + "'");
        }
        return Integer.parseInt(word);
    }

    private interface Read<T> {
        T from(String file) throws IOException;
    }

    private <T> T file(String word, Read<T> read) throws IOException {
        try {
            return read.from(directory.resolve(word).toString());
        } catch (CommandFailure e) {
            throw wrong(String.valueOf(e.getMessage()));
        } catch (IOException e) {
            throw wrong(ClusterInput.named(word, e).getMessage()
                    + (e instanceof NoSuchFileException ? ": no such file" : ""));
        }
    }

    private GroupOption.NodeTemplate template(String word) throws IOException {
        return file(word, path -> GroupOption.NodeTemplate.read(path, warnings));
    }

    private PodManifest manifest(String word) throws IOException {
        PodManifest manifest = file(
                word,
                path -> new ManifestChoice(path, null, null).read(warnings).orIn(namespace));
        used.accept(manifest.pod().getMetadata().getNamespace());
        return manifest;
    }

    /** A pod of the cluster, which is named NAMESPACE/NAME or NAME. */
    private PodReference reference(String word) {
        int slash = word.indexOf('/');
        String in = slash < 0 ? namespace : word.substring(0, slash);
        used.accept(in);
        return PodReference.newBuilder()
                .setNamespace(in)
                .setName(word.substring(slash + 1))
                .build();
    }

    private static Pod pod(AskedCluster cluster, PodManifest manifest) {
        return PodKinds.common(manifest.withoutClashes(cluster.standIns()).pod());
    }

    private static ScriptStep.Action done(Consumer<Session> change) {
        return (cluster, session) -> {
            change.accept(session);
            return ScriptStep.Result.of("", Map.of());
        };
    }

    private static ScriptStep.Action change(ChangeNode.Builder node) {
        return done(session -> session.changeNode(node.build()));
    }

    private static ScriptStep.Action add(int count, GroupOption.NodeTemplate template, String prefix) {
        return (cluster, session) -> {
            List<String> names = session.addNodes(AddNodes.newBuilder()
                    .setTemplate(template.node())
                    .setNamePrefix(prefix)
                    .setCount(count)
                    .addAllPods(template.daemonPods())
                    .build());
            String which = names.get(0) + (count == 1 ? "" : " to " + names.get(count - 1));
            return ScriptStep.Result.of("  added " + which + "\n", Map.of("nodes", names));
        };
    }

    private static ScriptStep.Action remove(String node) {
        return (cluster, session) -> {
            int pods = session.removeNode(node);
            return ScriptStep.Result.of(
                    "  removed with " + pods + (pods == 1 ? " pod\n" : " pods\n"), Map.of("removedPods", pods));
        };
    }

    private ScriptStep.Action place(int count, PodManifest manifest, @Nullable String node) {
        return (cluster, session) -> {
            Pod pod = pod(cluster, manifest);
            ScheduledPods.Builder item = ScheduledPods.newBuilder().setPod(pod).setCount(count);
            if (node != null) {
                item.setNode(node);
            }
            ScheduleResponse schedule = PlacedReplicas.place(cluster.client(), session, rule, item.build());

            StringBuilder text = new StringBuilder("  placed " + schedule.getPlacementsCount() + " of " + count + "\n");
            StringBuilder reasons = new StringBuilder();
            PlacedReplicas.appendReasons(reasons, schedule.getItems(0));
            reasons.toString()
                    .lines()
                    .forEach(each -> text.append("  ").append(each).append('\n'));
            NodeCounts.of(schedule).appendTo(text, maxRows);
            return new ScriptStep.Result(
                    text.toString(), Map.of("schedule", schedule), schedule.getPlacementsCount() == count);
        };
    }

    private ScriptStep.Action skew(PodManifest manifest) {
        return asking(manifest, state -> {
            StringBuilder text = new StringBuilder();
            new SpreadChange(null, state).appendTo(text, maxRows);
            return text.toString();
        });
    }

    private ScriptStep.Action explain(PodManifest manifest) {
        return asking(manifest, state -> new ExplainText(maxRows).explain(state));
    }

    private static ScriptStep.Action asking(PodManifest manifest, Function<ExplainResponse, String> asText) {
        return (cluster, session) -> {
            ExplainResponse state = SpreadChange.in(session, pod(cluster, manifest), Integer.MAX_VALUE);
            return ScriptStep.Result.of(asText.apply(state), Map.of("explanation", state));
        };
    }
}
