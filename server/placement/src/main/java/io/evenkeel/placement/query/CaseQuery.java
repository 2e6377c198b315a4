package io.evenkeel.placement.query;

import com.google.protobuf.ByteString;
import io.evenkeel.placement.call.Request;
import io.evenkeel.v1.DefaultConstraints;
import io.evenkeel.v1.Freshness;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A WhatIf request.
 *
 * @param pod the pod to evaluate; null if the request has none
 * @param cases the cases in order; incomplete if there were too many
 * @param caseCount the number of cases in the request
 * @param podCount the number of pods in the overlays of all cases that were read, or more
 * @param defaults the default constraints of the request; the default instance means the server's
 * @param freshness how new the state must be; the default instance accepts any state
 * @param session the session to query; empty means the live state
 * @param rules the number of the rules to apply before the constraints
 * @param source the bytes of the request
 */
public record CaseQuery(
        PodPlans.@Nullable Requested pod,
        List<Case> cases,
        int caseCount,
        int podCount,
        DefaultConstraints defaults,
        Freshness freshness,
        String session,
        int rules,
        ByteString source)
        implements Request {
    /** One case: a node and a hypothetical cluster. */
    public record Case(String node, OverlayReader.Read overlay) {}
}
