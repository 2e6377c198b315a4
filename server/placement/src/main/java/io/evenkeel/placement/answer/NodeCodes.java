package io.evenkeel.placement.answer;

import io.evenkeel.engine.model.Reason;
import io.evenkeel.engine.model.VerdictCode;
import io.evenkeel.v1.NodeCode;
import io.evenkeel.v1.NodeReason;

/** Converts the engine's verdicts and reasons to those of the protocol. */
public final class NodeCodes {
    private NodeCodes() {}

    public static NodeCode of(VerdictCode code) {
        return switch (code) {
            case SUCCESS -> NodeCode.NODE_CODE_SUCCESS;
            case UNSCHEDULABLE -> NodeCode.NODE_CODE_UNSCHEDULABLE;
            case UNSCHEDULABLE_AND_UNRESOLVABLE -> NodeCode.NODE_CODE_UNSCHEDULABLE_AND_UNRESOLVABLE;
        };
    }

    public static NodeReason of(Reason reason) {
        return switch (reason) {
            case NODE_NAMES_CONFLICT, NOT_NAMED_BY_AFFINITY -> NodeReason.NODE_REASON_NODE_NAMES;
            case UNSCHEDULABLE -> NodeReason.NODE_REASON_UNSCHEDULABLE;
            case NODE_NAME -> NodeReason.NODE_REASON_NODE_NAME;
            case UNTOLERATED_TAINT -> NodeReason.NODE_REASON_UNTOLERATED_TAINT;
            case NODE_AFFINITY -> NodeReason.NODE_REASON_NODE_AFFINITY;
            case HOST_PORTS -> NodeReason.NODE_REASON_HOST_PORTS;
            case RESOURCES_OF_NODE, FREE_RESOURCES -> NodeReason.NODE_REASON_RESOURCES;
            case MISSING_LABEL -> NodeReason.NODE_REASON_MISSING_LABEL;
            case SKEW -> NodeReason.NODE_REASON_MAX_SKEW;
        };
    }
}
