package io.evenkeel.client;

import io.evenkeel.v1.EvaluateResponse;
import io.evenkeel.v1.FilterResponse;
import io.evenkeel.v1.PodAnswer;
import io.evenkeel.v1.Revision;
import io.evenkeel.v1.ScoreResponse;
import java.util.List;

/**
 * Reads the packed answers of one response, by pod. Indexes are those of the node table at {@link #nodeTableRevision()}
 * of the server instance of {@link #revision()}: {@link NodeTables#of} gives their names. Immutable.
 */
public final class PackedAnswers {
    private final Revision revision;
    private final long nodeTableRevision;
    private final List<PodAnswer> answers;

    private PackedAnswers(Revision revision, long nodeTableRevision, List<PodAnswer> answers) {
        this.revision = revision;
        this.nodeTableRevision = nodeTableRevision;
        this.answers = answers;
    }

    public static PackedAnswers of(FilterResponse response) {
        return new PackedAnswers(response.getRevision(), response.getNodeTableRevision(), response.getAnswersList());
    }

    public static PackedAnswers of(ScoreResponse response) {
        return new PackedAnswers(response.getRevision(), response.getNodeTableRevision(), response.getAnswersList());
    }

    public static PackedAnswers of(EvaluateResponse response) {
        return new PackedAnswers(response.getRevision(), response.getNodeTableRevision(), response.getAnswersList());
    }

    /** The revision of the state from which the answers come. */
    public Revision revision() {
        return revision;
    }

    /** The node table that the indexes refer to. */
    public long nodeTableRevision() {
        return nodeTableRevision;
    }

    /** How many pods were asked about. */
    public int size() {
        return answers.size();
    }

    /**
     * The answer for one pod.
     *
     * @param pod its place in the request, from 0
     * @throws PlacementException where this pod could not be judged
     * @throws IllegalArgumentException where the answer is not packed
     */
    public PackedVerdicts pod(int pod) {
        PodAnswer answer = answers.get(pod);
        if (answer.hasError()) {
            throw PlacementException.of(answer.getError());
        }
        if (!answer.hasPacked()) {
            throw new IllegalArgumentException("the answers must be packed: ask with options.form PACKED or BEST");
        }
        return new PackedVerdicts(answer);
    }
}
