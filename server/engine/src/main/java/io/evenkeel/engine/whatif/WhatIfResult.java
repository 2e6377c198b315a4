package io.evenkeel.engine.whatif;

import io.evenkeel.engine.model.PodKey;
import io.evenkeel.engine.model.Reason;
import io.evenkeel.engine.model.VerdictCode;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The verdict on one node in a what-if case.
 *
 * @param knownNode false if there is no such node; the verdict is then meaningless
 * @param reason null if the pod may go there
 * @param message kube-scheduler's messages, separated by commas; empty if the pod may go there
 * @param unknown pods that the overlay refers to and that the cluster does not have
 */
public record WhatIfResult(boolean knownNode, @Nullable Reason reason, String message, List<PodKey> unknown) {
    public VerdictCode code() {
        return reason == null ? VerdictCode.SUCCESS : reason.code();
    }
}
