package io.evenkeel.cli;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;

/**
 * Checks numbers and durations that were given to a command. An error names the option and shows the value as it was
 * typed, so that its reader finds it in a command line, the environment or a file. Not safe for use by several threads.
 */
final class OptionBounds {
    private final CommandSpec command;

    /** @param command a command whose arguments were parsed */
    OptionBounds(CommandSpec command) {
        this.command = command;
    }

    /**
     * Requires that numbers are at least {@code least}, where they have a value.
     *
     * @throws ParameterException where one is less
     */
    void requireAtLeast(long least, String... options) {
        for (String each : options) {
            OptionSpec option = option(each);
            if (option.getValue() != null && amount(option) < least) {
                throw wrong(each + " must be at least " + least + ", was " + typed(option));
            }
        }
    }

    /**
     * Requires that durations are not zero.
     *
     * @throws ParameterException where one is
     */
    void requireMoreThanZero(String... options) {
        for (String each : options) {
            OptionSpec option = option(each);
            if (amount(option) == 0) {
                throw wrong(each + " must be more than 0, was " + typed(option));
            }
        }
    }

    /**
     * Requires that an option is at most what another one is. Both are numbers, or both durations.
     *
     * @throws ParameterException where it is more
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

    /** The value in the words of the command line, or of the default. */
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
