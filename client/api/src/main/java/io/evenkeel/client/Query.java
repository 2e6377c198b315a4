package io.evenkeel.client;

import io.evenkeel.v1.AnswerForm;
import io.evenkeel.v1.Candidates;
import io.evenkeel.v1.DefaultConstraints;
import io.evenkeel.v1.EvaluateRequest;
import io.evenkeel.v1.FilterRequest;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.QueryOptions;
import io.evenkeel.v1.Revision;
import io.evenkeel.v1.ScoreRequest;
import java.util.Arrays;
import java.util.List;

/**
 * Builds a question about some pods, for Filter, Score or Evaluate. Immutable: each method returns a new question that
 * differs in one option.
 *
 * <pre>{@code
 * client.evaluate(Query.of(pod).among(CandidateNodes.enterable()).best(3).toEvaluate())
 * }</pre>
 *
 * <p>Pods that the caller has as bytes, as from a watch, need not be parsed: see {@link EncodedQuery}.
 */
public final class Query {
    private final List<Pod> pods;
    private final QueryOptions options;

    private Query(List<Pod> pods, QueryOptions options) {
        this.pods = pods;
        this.options = options;
    }

    /** About these pods, each on its own: among every node, readable, the best 16. */
    public static Query of(Pod... pods) {
        return of(Arrays.asList(pods));
    }

    /** About these pods, each on its own: among every node, readable, the best 16. */
    public static Query of(List<Pod> pods) {
        return new Query(List.copyOf(pods), QueryOptions.getDefaultInstance());
    }

    /** Asks about these candidates: see {@link CandidateNodes}. */
    public Query among(Candidates candidates) {
        return with(options.toBuilder().setCandidates(candidates));
    }

    /** How many of the best nodes to name; 0 for none. */
    public Query best(int nodes) {
        if (nodes < 0) {
            throw new IllegalArgumentException("best must be at least 0, was " + nodes);
        }
        return with(options.toBuilder().setBest(nodes));
    }

    /** Asks for the code, score and reason of every candidate, by name. */
    public Query everyNode() {
        return with(options.toBuilder().setEveryNode(true));
    }

    /** Asks for packed answers, with bits and bytes by node index: see {@link PackedAnswers}. */
    public Query packed() {
        return with(options.toBuilder().setForm(AnswerForm.PACKED));
    }

    /** Asks for the best nodes only, by node index. This is the fastest form. Not for Filter. */
    public Query bestAlone() {
        return with(options.toBuilder().setForm(AnswerForm.BEST));
    }

    /** Sets the default constraints for pods that have none, in place of the server's. */
    public Query defaults(DefaultConstraints defaults) {
        return with(options.toBuilder().setDefaults(defaults));
    }

    /** Demands an answer from a state that has reached at least this revision. */
    public Query atLeast(Revision revision) {
        return with(options.toBuilder().setAtLeast(revision));
    }

    private Query with(QueryOptions.Builder changed) {
        return new Query(pods, changed.build());
    }

    public FilterRequest toFilter() {
        return FilterRequest.newBuilder().addAllPods(pods).setOptions(options).build();
    }

    public ScoreRequest toScore() {
        return ScoreRequest.newBuilder().addAllPods(pods).setOptions(options).build();
    }

    public EvaluateRequest toEvaluate() {
        return EvaluateRequest.newBuilder().addAllPods(pods).setOptions(options).build();
    }
}
