package io.evenkeel.client;

import io.evenkeel.v1.AnswerForm;
import io.evenkeel.v1.Candidates;
import io.evenkeel.v1.DefaultConstraints;
import io.evenkeel.v1.EvaluateRequest;
import io.evenkeel.v1.FilterRequest;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.QueryOptions;
import io.evenkeel.v1.ScoreRequest;
import java.util.Arrays;
import java.util.List;

/**
 * Builds a query about some pods, for Filter, Score or Evaluate. Immutable: each method returns a new query that
 * differs in one option.
 *
 * <pre>{@code
 * client.evaluate(Query.of(pod).among(CandidateNodes.all()).best(3).toEvaluate())
 * }</pre>
 *
 * <p>If the pods are already encoded, for example from a watch, use {@link EncodedQuery} instead of parsing them.
 */
public final class Query extends QueryOfState<Query> {
    private Query(EvaluateRequest request) {
        super(request);
    }

    /**
     * A query about these pods, each evaluated independently. By default it asks for the best 16 of the nodes that the
     * pod may enter, in readable form.
     */
    public static Query of(Pod... pods) {
        return of(Arrays.asList(pods));
    }

    /**
     * A query about these pods, each evaluated independently. By default it asks for the best 16 of the nodes that the
     * pod may enter, in readable form.
     */
    public static Query of(List<Pod> pods) {
        return new Query(EvaluateRequest.newBuilder()
                .addAllPods(pods)
                .setOptions(QueryOptions.getDefaultInstance())
                .build());
    }

    /** Asks about these candidates: see {@link CandidateNodes}. */
    public Query among(Candidates candidates) {
        return with(options().setCandidates(candidates));
    }

    /** The maximum number of best nodes in the answer of Score and Evaluate; at least 1. */
    public Query best(int nodes) {
        if (nodes < 1) {
            throw new IllegalArgumentException("best must be at least 1, was " + nodes);
        }
        return with(options().setMaxBest(nodes));
    }

    /** Asks for the code, score and reason of every candidate, by name. */
    public Query everyNode() {
        return with(options().setEveryNode(true));
    }

    /** Asks for packed answers, with bits and bytes by node index: see {@link PackedAnswers}. */
    public Query packed() {
        return with(options().setForm(AnswerForm.ANSWER_FORM_PACKED));
    }

    /** Asks for the best nodes only, by node index. This is the fastest form. Not for Filter. */
    public Query bestAlone() {
        return with(options().setForm(AnswerForm.ANSWER_FORM_BEST));
    }

    /** Overrides the server's default constraints, for pods that have none. */
    public Query defaults(DefaultConstraints defaults) {
        return with(options().setDefaults(defaults));
    }

    @Override
    Query with(EvaluateRequest changed) {
        return new Query(changed);
    }

    private QueryOptions.Builder options() {
        return request.getOptions().toBuilder();
    }

    private Query with(QueryOptions.Builder options) {
        return new Query(request.toBuilder().setOptions(options).build());
    }

    public FilterRequest toFilter() {
        FilterRequest.Builder filter =
                FilterRequest.newBuilder().addAllPods(request.getPodsList()).setOptions(request.getOptions());
        if (request.hasFreshness()) {
            filter.setFreshness(request.getFreshness());
        }
        if (request.hasOverlay()) {
            filter.setOverlay(request.getOverlay());
        }
        return filter.build();
    }

    public ScoreRequest toScore() {
        ScoreRequest.Builder score =
                ScoreRequest.newBuilder().addAllPods(request.getPodsList()).setOptions(request.getOptions());
        if (request.hasFreshness()) {
            score.setFreshness(request.getFreshness());
        }
        if (request.hasOverlay()) {
            score.setOverlay(request.getOverlay());
        }
        return score.build();
    }

    public EvaluateRequest toEvaluate() {
        return request;
    }
}
