package io.evenkeel.engine.script;

import io.evenkeel.engine.model.Reason;
import io.evenkeel.engine.model.VerdictCode;
import org.jspecify.annotations.Nullable;

/**
 * The verdict of the filters on one node.
 *
 * @param message kube-scheduler's messages, joined by ", "; empty if the node passed
 */
public record Verdict(VerdictCode code, @Nullable Reason reason, String message) {
    public static final Verdict SUCCESS = new Verdict(VerdictCode.SUCCESS, null, "");

    public static Verdict failed(Reason reason) {
        return failed(reason, reason.text());
    }

    public static Verdict failed(Reason reason, String message) {
        return new Verdict(reason.code(), reason, message);
    }
}
