package io.evenkeel.loadtest.conformance;

import io.evenkeel.v1.NodeCode;
import org.jspecify.annotations.Nullable;

/** Translates kube-scheduler's verdicts between their names in a corpus file and the protocol's codes. */
final class CodeWords {
    private CodeWords() {}

    static String words(NodeCode code) {
        return switch (code) {
            case NODE_CODE_SUCCESS -> "Success";
            case NODE_CODE_UNSCHEDULABLE -> "Unschedulable";
            case NODE_CODE_UNSCHEDULABLE_AND_UNRESOLVABLE -> "UnschedulableAndUnresolvable";
            case NODE_CODE_UNSPECIFIED -> "no code";
            case UNRECOGNIZED -> "an unknown code";
        };
    }

    /** The code with this name, or null. */
    static @Nullable NodeCode code(String words) {
        return switch (words) {
            case "Success" -> NodeCode.NODE_CODE_SUCCESS;
            case "Unschedulable" -> NodeCode.NODE_CODE_UNSCHEDULABLE;
            case "UnschedulableAndUnresolvable" -> NodeCode.NODE_CODE_UNSCHEDULABLE_AND_UNRESOLVABLE;
            default -> null;
        };
    }
}
