package io.evenkeel.client;

import io.evenkeel.v1.EvaluateRequest;
import io.evenkeel.v1.EvaluateResponse;
import io.evenkeel.v1.ExplainRequest;
import io.evenkeel.v1.ExplainResponse;
import io.evenkeel.v1.FilterRequest;
import io.evenkeel.v1.FilterResponse;
import io.evenkeel.v1.ListSpreadRequest;
import io.evenkeel.v1.ListSpreadResponse;
import io.evenkeel.v1.PreemptRequest;
import io.evenkeel.v1.PreemptResponse;
import io.evenkeel.v1.RankVictimsRequest;
import io.evenkeel.v1.RankVictimsResponse;
import io.evenkeel.v1.ScoreRequest;
import io.evenkeel.v1.ScoreResponse;
import io.evenkeel.v1.WhatIfRequest;
import io.evenkeel.v1.WhatIfResponse;

/** Queries about one state: the live one of a {@link PlacementClient}, or that of a {@link Session}. Thread-safe. */
public interface PlacementQueries {
    /** Filter: which candidates may take each pod, by the hard constraints. */
    FilterResponse filter(FilterRequest request);

    /** Same as {@link #filter(FilterRequest)}, with encoded pods. */
    FilterResponse filter(EncodedQuery query);

    /** Score: how well each candidate suits each pod, by the soft constraints. Filters out no candidate. */
    ScoreResponse score(ScoreRequest request);

    /** Same as {@link #score(ScoreRequest)}, with encoded pods. */
    ScoreResponse score(EncodedQuery query);

    /** Evaluate: Filter, then Score for the nodes that passed, and the best of these. */
    EvaluateResponse evaluate(EvaluateRequest request);

    /** Same as {@link #evaluate(EvaluateRequest)}, with encoded pods. */
    EvaluateResponse evaluate(EncodedQuery query);

    /** WhatIf: for each case, Filter for one pod and one node, as if some pods were removed and others added. */
    WhatIfResponse whatIf(WhatIfRequest request);

    /** Explain: everything that the answer for one pod depends on. */
    ExplainResponse explain(ExplainRequest request);

    /** Preempt: which pods of lower priority would have to be removed so that a pod can be placed. Removes nothing. */
    PreemptResponse preempt(PreemptRequest request);

    /** ListSpread: how the pods of workloads are spread, the most uneven workloads first; one page of the list. */
    ListSpreadResponse listSpread(ListSpreadRequest request);

    /** RankVictims: which pods of a ReplicaSet to delete, in which order, so that they stay evenly spread. */
    RankVictimsResponse rankVictims(RankVictimsRequest request);
}
