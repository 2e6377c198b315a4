package io.evenkeel.placement.query;

import io.evenkeel.v1.EvaluateRequest;
import io.evenkeel.v1.FilterRequest;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.QueryOptions;
import io.evenkeel.v1.Revision;
import io.evenkeel.v1.ScoreRequest;
import java.util.ArrayList;
import java.util.List;

/** A request of Filter, Score or Evaluate: the pods and the options. */
public final class PodQuery {
    /** The call: what the answer says of each pod. */
    public enum Kind {
        FILTER,
        SCORE,
        EVALUATE
    }

    private final Kind kind;
    private final List<RequestedPod> pods;
    private final ResolvedOptions options;
    private final long requestId;

    PodQuery(Kind kind, List<RequestedPod> pods, ResolvedOptions options, long requestId) {
        this.kind = kind;
        this.pods = pods;
        this.options = options;
        this.requestId = requestId;
    }

    static PodQuery of(FilterRequest request) {
        return of(Kind.FILTER, request.getPodsList(), request.getOptions(), 0);
    }

    static PodQuery of(ScoreRequest request) {
        return of(Kind.SCORE, request.getPodsList(), request.getOptions(), 0);
    }

    static PodQuery of(EvaluateRequest request) {
        return of(Kind.EVALUATE, request.getPodsList(), request.getOptions(), request.getRequestId());
    }

    private static PodQuery of(Kind kind, List<Pod> pods, QueryOptions options, long requestId) {
        List<RequestedPod> asked = new ArrayList<>(pods.size());
        for (Pod pod : pods) {
            asked.add(RequestedPod.of(pod));
        }
        return new PodQuery(kind, asked, new ResolvedOptions(options), requestId);
    }

    public Kind kind() {
        return kind;
    }

    public List<RequestedPod> pods() {
        return pods;
    }

    public ResolvedOptions options() {
        return options;
    }

    public long requestId() {
        return requestId;
    }

    /** The revision that the state must have reached; an empty one demands nothing. */
    public Revision atLeast() {
        return options.message().getAtLeast();
    }
}
