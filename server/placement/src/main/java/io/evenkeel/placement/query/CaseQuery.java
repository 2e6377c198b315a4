package io.evenkeel.placement.query;

import com.google.protobuf.ByteString;
import io.evenkeel.v1.DefaultConstraints;
import io.evenkeel.v1.Freshness;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A request of WhatIf.
 *
 * @param pod the pod that is judged; null where the request has none
 * @param cases the cases that were read, in order: all, unless there were too many
 * @param caseCount how many there are
 * @param podCount how many pods the overlays of all cases refer to, at least as far as they were read
 * @param defaults the default constraints of the request; the default instance for the server's
 * @param freshness what it demands of the state; the default instance demands nothing
 * @param session the session that is asked; empty: the live state
 * @param source the bytes that it was read from
 */
public record CaseQuery(
        @Nullable RequestedPod pod,
        List<Case> cases,
        int caseCount,
        int podCount,
        DefaultConstraints defaults,
        Freshness freshness,
        String session,
        ByteString source) {
    /** One case: a node, and a changed cluster. */
    public record Case(String node, OverlayReader.Read overlay) {}
}
