package io.evenkeel.engine;

import io.evenkeel.engine.model.NodeCode;
import io.evenkeel.engine.model.Reason;
import org.jspecify.annotations.Nullable;

/** Filter's verdict on one node. */
record Verdict(NodeCode code, @Nullable Reason reason) {
    static final Verdict SUCCESS = new Verdict(NodeCode.SUCCESS, null);

    static Verdict failed(Reason reason) {
        return new Verdict(reason.code(), reason);
    }
}
