package io.evenkeel.cli;

import io.evenkeel.objects.SimilarNames;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgGroupSpec;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;

/**
 * Options of a command that are set in the environment or in a file. They are inserted before the arguments of the
 * command line. An option on the command line replaces all values of the same option in the environment, and that one
 * those in the file. An option also replaces options that it cannot be combined with.
 *
 * <pre>
 *   evenkeel serve --kube                                 --options FILE, or EVENKEEL_SERVE_OPTIONS
 *   EVENKEEL_SERVE_METRICS=127.0.0.1:9464                 listen = 127.0.0.1:7450
 *                                                         metrics = 127.0.0.1:9000
 *   └► serve --metrics=127.0.0.1:9464 --listen=127.0.0.1:7450 --kube
 * </pre>
 */
final class PresetOptions {
    /** The option that names the file. */
    private static final String FILE = "--options";

    private static final String PREFIX = "EVENKEEL_";

    /** Options that are allowed only on the command line. */
    private static final Set<String> NOT_PRESET = Set.of("--help", "--version");

    /** The arguments of a command line, without presets. */
    static PresetOptions none(String... arguments) {
        return new PresetOptions(arguments, Map.of());
    }

    private final String[] arguments;

    /** The place in which each preset option is set. */
    private final Map<OptionSpec, String> places;

    private PresetOptions(String[] arguments, Map<OptionSpec, String> places) {
        this.arguments = arguments;
        this.places = places;
    }

    /** The values of an option, and the place in which they are set. */
    private record Preset(String place, List<String> values) {}

    /** Adds the option that names the file to a command and its subcommands. */
    static void addFileOption(CommandLine commands) {
        if (!commands.getSubcommands().isEmpty()) {
            commands.getSubcommands().values().forEach(PresetOptions::addFileOption);
            return;
        }
        commands.getCommandSpec()
                .addOption(OptionSpec.builder(FILE)
                        .paramLabel("FILE")
                        .type(Path.class)
                        .description(
                                "File with options of this command, as lines of NAME=VALUE; NAME is an option without its dashes."
                                        + " The command line and environment"
                                        + " variables take precedence; variables are named "
                                        + variables(commands.getCommandSpec())
                                        + "NAME.")
                        .build());
    }

    private static String variables(CommandSpec command) {
        // The names of the program and of the commands.
        String path = command.qualifiedName("_").replace('-', '_').toUpperCase(Locale.ROOT);
        int program = path.indexOf('_');
        return PREFIX + (program < 0 ? "" : path.substring(program + 1) + "_");
    }

    /**
     * The arguments of a command line, with the presets for its command.
     *
     * @throws ParameterException if a preset is invalid; the message names it and its place
     */
    static PresetOptions read(CommandLine commands, Map<String, String> environment, String... arguments) {
        ParseResult given = parseLeniently(commands, arguments);
        int names = 0;
        while (given.hasSubcommand()) {
            given = given.subcommand();
            names++;
        }
        CommandSpec command = given.commandSpec();
        OptionSpec fileOption = command.findOption(FILE);
        if (fileOption == null || given.isUsageHelpRequested() || given.isVersionHelpRequested()) {
            return none(arguments);
        }
        Map<OptionSpec, Preset> ofEnvironment = ofEnvironment(command, environment);
        Path file = given.matchedOptionValue(FILE, (Path) null);
        Preset fileOfEnvironment = ofEnvironment.remove(fileOption);
        String place = FILE + " " + file;
        if (file == null && fileOfEnvironment != null) {
            file = Path.of(fileOfEnvironment.values.get(0));
            place = fileOfEnvironment.place + " " + file;
        }
        Map<OptionSpec, Preset> presets = new LinkedHashMap<>();
        Set<ArgSpec> known = new LinkedHashSet<>();
        given.matchedOptionsSet().forEach(option -> addWithRivals(option, known));
        addUnknown(ofEnvironment, known, presets);
        if (file != null) {
            addUnknown(ofFile(command, file, place), known, presets);
        }
        return with(presets, names, arguments);
    }

    /** Parses a command line and ignores its errors. They are reported when it is parsed to be run. */
    private static ParseResult parseLeniently(CommandLine commands, String... arguments) {
        collectErrors(commands, true);
        try {
            return commands.parseArgs(arguments);
        } finally {
            collectErrors(commands, false);
        }
    }

    private static void collectErrors(CommandLine commands, boolean collect) {
        commands.getCommandSpec().parser().collectErrors(collect);
        commands.getSubcommands().values().forEach(each -> collectErrors(each, collect));
    }

    private static void addUnknown(Map<OptionSpec, Preset> more, Set<ArgSpec> known, Map<OptionSpec, Preset> presets) {
        more.keySet().removeAll(known);
        presets.putAll(more);
        more.keySet().forEach(option -> addWithRivals(option, known));
    }

    /** Adds an option, and those that it cannot be combined with. */
    private static void addWithRivals(OptionSpec option, Set<ArgSpec> known) {
        known.add(option);
        ArgGroupSpec group = option.group();
        if (group != null && group.exclusive()) {
            known.addAll(group.args());
        }
    }

    private static PresetOptions with(Map<OptionSpec, Preset> presets, int names, String... arguments) {
        List<String> all = new ArrayList<>(List.of(arguments).subList(0, names));
        Map<OptionSpec, String> places = new LinkedHashMap<>();
        presets.forEach((option, preset) -> {
            places.put(option, preset.place);
            for (String value : preset.values) {
                if (!isFlag(option)) {
                    all.add(option.longestName() + "=" + value);
                } else if (Boolean.parseBoolean(value)) {
                    all.add(option.longestName());
                }
            }
        });
        all.addAll(List.of(arguments).subList(names, arguments.length));
        return new PresetOptions(all.toArray(String[]::new), places);
    }

    private static boolean isFlag(OptionSpec option) {
        return option.arity().max() == 0;
    }

    private static Map<OptionSpec, Preset> ofEnvironment(CommandSpec command, Map<String, String> environment) {
        String prefix = variables(command);
        Map<OptionSpec, Preset> presets = new LinkedHashMap<>();
        new TreeMap<>(environment).forEach((variable, text) -> {
            if (!variable.startsWith(prefix)) {
                return;
            }
            String name =
                    variable.substring(prefix.length()).toLowerCase(Locale.ROOT).replace('_', '-');
            OptionSpec option = option(command, name);
            if (option == null) {
                String near = near(command, name);
                throw wrong(
                        command,
                        "environment variable " + variable + " is not an option of " + command.qualifiedName()
                                + (near == null
                                        ? ""
                                        : "; did you mean " + prefix
                                                + near.toUpperCase(Locale.ROOT).replace('-', '_') + "?"));
            }
            List<String> values = option.isMultiValue()
                    ? text.lines()
                            .map(String::strip)
                            .filter(each -> !each.isEmpty())
                            .toList()
                    : List.of(text);
            if (values.isEmpty()) {
                throw wrong(command, variable + " must not be empty");
            }
            values.forEach(value -> requireValue(command, option, value, variable));
            presets.put(option, new Preset(variable, values));
        });
        return presets;
    }

    private static Map<OptionSpec, Preset> ofFile(CommandSpec command, Path file, String place) {
        List<OptionLine> lines;
        try {
            lines = OptionLine.read(file);
        } catch (IOException e) {
            throw wrong(command, place + ": " + Program.reason(e));
        }
        Map<OptionSpec, Preset> presets = new LinkedHashMap<>();
        for (OptionLine line : lines) {
            String where = place + " line " + line.number();
            OptionSpec option = option(command, line.name());
            if (option == null || line.name().equals("options")) {
                String near = near(command, line.name());
                throw wrong(
                        command,
                        where + ": " + line.name() + " is not an option of " + command.qualifiedName()
                                + (near == null ? "" : "; did you mean " + near + "?"));
            }
            requireValue(command, option, line.value(), where + ": " + line.name());
            Preset before = presets.get(option);
            if (before == null) {
                presets.put(option, new Preset(where, new ArrayList<>(List.of(line.value()))));
            } else if (option.isMultiValue()) {
                before.values.add(line.value());
            } else {
                throw wrong(command, where + ": " + line.name() + " is given twice");
            }
        }
        return presets;
    }

    private static @Nullable OptionSpec option(CommandSpec command, String name) {
        OptionSpec option = name.length() < 2 ? null : command.findOption("--" + name);
        return option == null || NOT_PRESET.contains(option.longestName()) ? null : option;
    }

    private static @Nullable String near(CommandSpec command, String name) {
        List<String> known = new ArrayList<>();
        for (OptionSpec option : command.options()) {
            if (option.longestName().startsWith("--") && !NOT_PRESET.contains(option.longestName())) {
                known.add(option.longestName().substring(2));
            }
        }
        known.remove(name);
        return SimilarNames.nearest(name, known);
    }

    private static void requireValue(CommandSpec command, OptionSpec option, String value, String where) {
        if (isFlag(option) && !value.equals("true") && !value.equals("false")) {
            throw wrong(command, where + " must be true or false");
        }
        if (value.isEmpty()) {
            throw wrong(command, where + " must not be empty");
        }
    }

    private static ParameterException wrong(CommandSpec command, String message) {
        return new ParameterException(command.commandLine(), message);
    }

    /** The arguments, including the presets. */
    String[] arguments() {
        return arguments.clone();
    }

    /** The text to append to a message: the places in which the preset options that it mentions are set. */
    String after(String message) {
        List<String> named = new ArrayList<>();
        places.forEach((option, place) -> {
            if (Pattern.compile("(?<![\\w-])" + Pattern.quote(option.longestName()) + "(?![\\w-])")
                    .matcher(message)
                    .find()) {
                named.add(option.longestName() + " is set in " + place);
            }
        });
        return named.isEmpty() ? "" : " (" + String.join(", ", named) + ")";
    }
}
