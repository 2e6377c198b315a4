package io.evenkeel.engine;

import io.evenkeel.engine.model.Reason;
import io.evenkeel.engine.model.VerdictCode;
import org.jspecify.annotations.Nullable;

/** Filter's verdict on one node. */
public record Verdict(VerdictCode code, @Nullable Reason reason) {
    static final Verdict SUCCESS = new Verdict(VerdictCode.SUCCESS, null);

    static Verdict failed(Reason reason) {
        return new Verdict(reason.code(), reason);
    }
}
