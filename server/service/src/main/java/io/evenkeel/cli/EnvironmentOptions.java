package io.evenkeel.cli;

import io.evenkeel.objects.SimilarNames;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
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
 * Options of a command that are set in the environment. They are inserted before the arguments of the command line. An
 * option on the command line replaces all values of the same option in the environment, and options that it cannot be
 * combined with.
 *
 * <pre>
 *   EVENKEEL_SERVE_METRICS=127.0.0.1:9464 evenkeel serve --kube
 *   └► serve --metrics=127.0.0.1:9464 --kube
 * </pre>
 */
final class EnvironmentOptions {
    private static final String PREFIX = "EVENKEEL_";

    /** Options that are allowed only on the command line. */
    private static final Set<String> NOT_PRESET = Set.of("--help", "--version");

    private final String[] arguments;

    /** The variable that sets each preset option. */
    private final Map<OptionSpec, String> variables;

    private EnvironmentOptions(String[] arguments, Map<OptionSpec, String> variables) {
        this.arguments = arguments;
        this.variables = variables;
    }

    /** The arguments of a command line, without presets. */
    static EnvironmentOptions none(String... arguments) {
        return new EnvironmentOptions(arguments, Map.of());
    }

    /** Adds the names of the variables to the help of a command and its subcommands. */
    static void describe(CommandLine commands) {
        if (commands.getSubcommands().isEmpty()) {
            CommandSpec command = commands.getCommandSpec();
            command.usageMessage()
                    .footer("Options can also be set in environment variables, which are named " + prefix(command)
                            + "NAME. The command line takes precedence.");
        }
        commands.getSubcommands().values().forEach(EnvironmentOptions::describe);
    }

    private static String prefix(CommandSpec command) {
        // The names of the program and of the commands.
        String path = command.qualifiedName("_").replace('-', '_').toUpperCase(Locale.ROOT);
        int program = path.indexOf('_');
        return PREFIX + (program < 0 ? "" : path.substring(program + 1) + "_");
    }

    /**
     * The arguments of a command line, with the presets for its command.
     *
     * @throws ParameterException if a variable is invalid; the message names it
     */
    static EnvironmentOptions read(CommandLine commands, Map<String, String> environment, String... arguments) {
        ParseResult given = parseLeniently(commands, arguments);
        int names = 0;
        while (given.hasSubcommand()) {
            given = given.subcommand();
            names++;
        }
        CommandSpec command = given.commandSpec();
        if (!command.subcommands().isEmpty() || given.isUsageHelpRequested() || given.isVersionHelpRequested()) {
            return none(arguments);
        }
        Set<ArgSpec> replaced = new HashSet<>();
        for (OptionSpec option : given.matchedOptionsSet()) {
            replaced.add(option);
            ArgGroupSpec group = option.group();
            if (group != null && group.exclusive()) {
                replaced.addAll(group.args());
            }
        }
        List<String> all = new ArrayList<>(List.of(arguments).subList(0, names));
        Map<OptionSpec, String> variables = new LinkedHashMap<>();
        new TreeMap<>(environment).forEach((variable, text) -> {
            if (variable.startsWith(prefix(command))) {
                OptionSpec option = option(command, variable);
                List<String> presets = presets(option, variable, text);
                if (!replaced.contains(option)) {
                    variables.put(option, variable);
                    all.addAll(presets);
                }
            }
        });
        all.addAll(List.of(arguments).subList(names, arguments.length));
        return new EnvironmentOptions(all.toArray(String[]::new), variables);
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

    private static OptionSpec option(CommandSpec command, String variable) {
        String name = nameOf(command, variable);
        OptionSpec option = name.length() < 2 ? null : command.findOption("--" + name);
        if (option != null && !NOT_PRESET.contains(option.longestName())) {
            return option;
        }
        String near = near(command, name);
        throw wrong(
                command,
                "environment variable " + variable + " is not an option of " + command.qualifiedName()
                        + SimilarNames.question(
                                near == null
                                        ? null
                                        : prefix(command)
                                                + near.toUpperCase(Locale.ROOT).replace('-', '_')));
    }

    private static String nameOf(CommandSpec command, String variable) {
        return variable.substring(prefix(command).length())
                .toLowerCase(Locale.ROOT)
                .replace('_', '-');
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

    /** The arguments that set an option to the value of a variable. */
    private static List<String> presets(OptionSpec option, String variable, String text) {
        CommandSpec command = option.command();
        List<String> values = option.isMultiValue()
                ? text.lines()
                        .map(String::strip)
                        .filter(each -> !each.isEmpty())
                        .toList()
                : List.of(text);
        if (option.arity().max() == 0) {
            if (!text.equals("true") && !text.equals("false")) {
                throw wrong(command, variable + " must be true or false");
            }
            return text.equals("true") ? List.of(option.longestName()) : List.of();
        }
        if (values.isEmpty() || values.contains("")) {
            throw wrong(command, variable + " must not be empty");
        }
        return values.stream().map(value -> option.longestName() + "=" + value).toList();
    }

    private static ParameterException wrong(CommandSpec command, String message) {
        return new ParameterException(command.commandLine(), message);
    }

    /** The arguments, including the presets. */
    String[] arguments() {
        return arguments.clone();
    }

    /** The text to append to a message: the variables that set the preset options that it mentions. */
    String after(String message) {
        List<String> named = new ArrayList<>();
        variables.forEach((option, variable) -> {
            if (Pattern.compile("(?<![\\w-])" + Pattern.quote(option.longestName()) + "(?![\\w-])")
                    .matcher(message)
                    .find()) {
                named.add(option.longestName() + " is set in " + variable);
            }
        });
        return named.isEmpty() ? "" : " (" + String.join(", ", named) + ")";
    }
}
