package io.evenkeel.placement.answer;

import io.evenkeel.engine.model.VerdictCode;

/** Translates the engine's verdicts into those of the protocol. */
public final class NodeCodes {
    private NodeCodes() {}

    public static io.evenkeel.v1.NodeCode of(VerdictCode code) {
        return switch (code) {
            case SUCCESS -> io.evenkeel.v1.NodeCode.SUCCESS;
            case UNSCHEDULABLE -> io.evenkeel.v1.NodeCode.UNSCHEDULABLE;
            case UNSCHEDULABLE_AND_UNRESOLVABLE -> io.evenkeel.v1.NodeCode.UNSCHEDULABLE_AND_UNRESOLVABLE;
        };
    }
}
