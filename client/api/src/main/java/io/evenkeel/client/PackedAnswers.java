package io.evenkeel.client;

import io.evenkeel.v1.EvaluateResponse;
import io.evenkeel.v1.FilterResponse;
import io.evenkeel.v1.KindVersion;
import io.evenkeel.v1.PodAnswer;
import io.evenkeel.v1.Revision;
import io.evenkeel.v1.ScoreResponse;
import java.util.List;

/**
 * Reads the packed answers of one response, by pod. Indexes refer to the node table of {@link #nodeTableToken()};
 * {@link NodeTables#of} returns it. Immutable.
 */
public final class PackedAnswers {
    private final Revision revision;
    private final String nodeTableToken;
    private final List<PodAnswer> answers;
    private final List<KindVersion> versions;
    private final List<String> unknownCandidates;

    private PackedAnswers(
            Revision revision,
            String nodeTableToken,
            List<PodAnswer> answers,
            List<KindVersion> versions,
            List<String> unknownCandidates) {
        this.revision = revision;
        this.versions = versions;
        this.unknownCandidates = unknownCandidates;
        this.nodeTableToken = nodeTableToken;
        this.answers = answers;
    }

    public static PackedAnswers of(FilterResponse response) {
        return new PackedAnswers(
                response.getRevision(),
                response.getNodeTableToken(),
                response.getAnswersList(),
                response.getResourceVersionsList(),
                response.getUnknownCandidatesList());
    }

    public static PackedAnswers of(ScoreResponse response) {
        return new PackedAnswers(
                response.getRevision(),
                response.getNodeTableToken(),
                response.getAnswersList(),
                response.getResourceVersionsList(),
                response.getUnknownCandidatesList());
    }

    public static PackedAnswers of(EvaluateResponse response) {
        return new PackedAnswers(
                response.getRevision(),
                response.getNodeTableToken(),
                response.getAnswersList(),
                response.getResourceVersionsList(),
                response.getUnknownCandidatesList());
    }

    /** The revision of the state that the answers are based on. */
    public Revision revision() {
        return revision;
    }

    /** The versions that the answers are based on, if the query asked for them. */
    public ResourceVersions versions() {
        return ResourceVersions.of(versions);
    }

    /** Identifies the node table that the indexes refer to. */
    public String nodeTableToken() {
        return nodeTableToken;
    }

    /** The names of given candidates that the cluster does not have. They are not judged. */
    public List<String> unknownCandidates() {
        return unknownCandidates;
    }

    /** The number of pods in the query. */
    public int size() {
        return answers.size();
    }

    /**
     * The answer for one pod.
     *
     * @param pod its position in the request, from 0
     * @throws PlacementException if this pod could not be evaluated
     * @throws IllegalArgumentException if the answer is not packed
     */
    public PackedVerdicts pod(int pod) {
        PodAnswer answer = answers.get(pod);
        return switch (answer.getResultCase()) {
            case ERROR -> throw PlacementException.of(answer.getError());
            case PACKED -> PackedVerdicts.of(answer.getPacked());
            case BEST -> PackedVerdicts.of(answer.getBest());
            case READABLE, RESULT_NOT_SET ->
                throw new IllegalArgumentException(
                        "the answer is not packed; set options.form to PACKED or BEST in the query");
        };
    }
}
