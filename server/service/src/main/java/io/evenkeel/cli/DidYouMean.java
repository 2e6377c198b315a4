package io.evenkeel.cli;

import io.evenkeel.objects.SimilarNames;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** Suggests an option or command similar to one that does not exist. */
final class DidYouMean {
    private static final int SHORT = 3;

    private DidYouMean() {}

    /** The text to append to a usage error: {@code ; did you mean --cluster?}, or nothing. */
    static String after(ParameterException wrong) {
        CommandLine command = wrong.getCommandLine();
        List<String> known = new ArrayList<>(command.getSubcommands().keySet());
        for (OptionSpec option : command.getCommandSpec().options()) {
            known.addAll(List.of(option.names()));
        }
        boolean named = wrong instanceof UnmatchedArgumentException;
        for (String typed : command.getUnmatchedArguments()) {
            int equals = typed.indexOf('=');
            String near = nearest(equals < 0 ? typed : typed.substring(0, equals), known);
            if (near != null) {
                return (named ? "; did you mean " : "; " + typed + " is unknown: did you mean ") + near + "?";
            }
        }
        return "";
    }

    /**
     * The name that was probably meant, or null. Names are few, so a typo is recognised even in a name of three
     * letters.
     */
    static @Nullable String nearest(String typed, List<String> known) {
        String near = SimilarNames.nearest(typed, known);
        if (near != null || typed.length() != SHORT) {
            return near;
        }
        return known.stream()
                .filter(each -> SimilarNames.distance(typed, each, 1) <= 1)
                .findFirst()
                .orElse(null);
    }
}
