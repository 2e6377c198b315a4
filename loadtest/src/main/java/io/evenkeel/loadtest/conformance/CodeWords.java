package io.evenkeel.loadtest.conformance;

import io.evenkeel.v1.NodeCode;
import org.jspecify.annotations.Nullable;

/** Translates kube-scheduler's verdicts between the words of a corpus file and the codes of the protocol. */
final class CodeWords {
    private CodeWords() {}

    static String words(NodeCode code) {
        return switch (code) {
            case SUCCESS -> "Success";
            case UNSCHEDULABLE -> "Unschedulable";
            case UNSCHEDULABLE_AND_UNRESOLVABLE -> "UnschedulableAndUnresolvable";
            case UNRECOGNIZED -> "an unknown code";
        };
    }

    /** The code of these words, or null. */
    static @Nullable NodeCode code(String words) {
        return switch (words) {
            case "Success" -> NodeCode.SUCCESS;
            case "Unschedulable" -> NodeCode.UNSCHEDULABLE;
            case "UnschedulableAndUnresolvable" -> NodeCode.UNSCHEDULABLE_AND_UNRESOLVABLE;
            default -> null;
        };
    }
}
