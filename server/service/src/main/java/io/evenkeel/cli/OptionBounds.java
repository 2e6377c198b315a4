package io.evenkeel.cli;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;

/**
 * Checks the numbers and durations given to a command. Errors name the option and show the value as it was typed, so
 * that the user can find it in a command line, the environment or a file. Not thread-safe.
 */
final class OptionBounds {
    private final CommandSpec command;

    /** @param command a command whose arguments have been parsed */
    OptionBounds(CommandSpec command) {
        this.command = command;
    }

    /**
     * Requires that a number, if given, is at least {@code least}.
     *
     * @throws ParameterException if it is less
     */
    void requireAtLeast(long least, String name) {
        OptionSpec option = option(name);
        if (option.getValue() != null && amount(option) < least) {
            throw wrong(name + " must be at least " + least + ", was " + typed(option));
        }
    }

    /**
     * Requires that a duration is greater than zero.
     *
     * @throws ParameterException if it is zero
     */
    void requireMoreThanZero(String name) {
        OptionSpec option = option(name);
        if (amount(option) == 0) {
            throw wrong(name + " must be more than 0, was " + typed(option));
        }
    }

    /**
     * Requires that an option is at most as large as another one. Both are numbers, or both are durations.
     *
     * @throws ParameterException if it is larger
     */
    void requireAtMost(String other, String option) {
        OptionSpec most = option(other);
        OptionSpec bounded = option(option);
        if (amount(bounded) > amount(most)) {
            throw wrong(option + " must be at most " + other + ", " + typed(most) + ", was " + typed(bounded));
        }
    }

    private OptionSpec option(String name) {
        return Objects.requireNonNull(command.findOption(name), name);
    }

    /** A number, or a duration in milliseconds, the smallest unit that can be typed. */
    private static long amount(OptionSpec option) {
        Object value = option.getValue();
        return value instanceof Duration duration ? duration.toMillis() : ((Number) value).longValue();
    }

    /** The value as it was typed, or the default. */
    private static String typed(OptionSpec option) {
        List<String> texts = option.originalStringValues();
        if (!texts.isEmpty()) {
            return texts.get(texts.size() - 1);
        }
        Object value = option.getValue();
        return Objects.requireNonNullElseGet(option.defaultValue(), () -> String.valueOf(value));
    }

    private ParameterException wrong(String message) {
        return new ParameterException(command.commandLine(), message);
    }
}
