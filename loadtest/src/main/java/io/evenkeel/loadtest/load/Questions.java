package io.evenkeel.loadtest.load;

import com.google.protobuf.MessageLite;
import io.evenkeel.v1.EvaluateRequest;
import io.evenkeel.v1.EvaluateResponse;
import io.evenkeel.v1.FilterRequest;
import io.evenkeel.v1.FilterResponse;
import io.evenkeel.v1.ItemError;
import io.evenkeel.v1.PlacementGrpc;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.PodAnswer;
import io.evenkeel.v1.QueryOptions;
import io.evenkeel.v1.ScoreRequest;
import io.evenkeel.v1.ScoreResponse;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Requests of one kind, made ahead and asked in turn.
 *
 * @param stream the same on a stream; null where there is none
 * @param requests at least one
 * @param faults what is wrong within an answer, or null
 */
public record Questions<Q, A>(
        MethodDescriptor<Q, A> unary,
        @Nullable MethodDescriptor<Q, A> stream,
        List<Q> requests,
        Function<A, @Nullable Fault> faults) {

    /** Filter, for some pods a request. */
    static Questions<FilterRequest, FilterResponse> filter(List<List<Pod>> batches, QueryOptions options) {
        return encodedAhead(
                PlacementGrpc.getFilterMethod(),
                null,
                batches.stream()
                        .map(pods -> FilterRequest.newBuilder()
                                .addAllPods(pods)
                                .setOptions(options)
                                .build())
                        .toList(),
                answer -> fault(answer.getAnswersList()));
    }

    /** Score, for some pods a request. */
    static Questions<ScoreRequest, ScoreResponse> score(List<List<Pod>> batches, QueryOptions options) {
        return encodedAhead(
                PlacementGrpc.getScoreMethod(),
                null,
                batches.stream()
                        .map(pods -> ScoreRequest.newBuilder()
                                .addAllPods(pods)
                                .setOptions(options)
                                .build())
                        .toList(),
                answer -> fault(answer.getAnswersList()));
    }

    /** Evaluate, for some pods a request. */
    public static Questions<EvaluateRequest, EvaluateResponse> evaluate(List<List<Pod>> batches, QueryOptions options) {
        return encodedAhead(
                PlacementGrpc.getEvaluateMethod(),
                PlacementGrpc.getEvaluateStreamMethod(),
                batches.stream()
                        .map(pods -> EvaluateRequest.newBuilder()
                                .addAllPods(pods)
                                .setOptions(options)
                                .build())
                        .toList(),
                answer -> answer.hasError() ? fault("", answer.getError()) : fault(answer.getAnswersList()));
    }

    /** What it takes to encode a request is the generator's, and not measured. */
    private static <Q extends MessageLite, A> Questions<Q, A> encodedAhead(
            MethodDescriptor<Q, A> unary,
            @Nullable MethodDescriptor<Q, A> stream,
            List<Q> requests,
            Function<A, @Nullable Fault> faults) {
        EncodedRequests<Q> encoded = new EncodedRequests<>(requests);
        return new Questions<>(encoded.sentBy(unary), stream == null ? null : encoded.sentBy(stream), requests, faults);
    }

    /** The request that comes at that place; the numbers may run over. */
    public Q request(int number) {
        return requests.get(Math.floorMod(number, requests.size()));
    }

    /** What is wrong within an answer; null where nothing is. */
    public @Nullable Fault fault(A answer) {
        return faults.apply(answer);
    }

    private static @Nullable Fault fault(List<PodAnswer> answers) {
        for (PodAnswer answer : answers) {
            if (answer.hasError()) {
                return fault("item: ", answer.getError());
            }
        }
        return null;
    }

    private static Fault fault(String where, ItemError error) {
        return new Fault(where + Status.fromCodeValue(error.getCode()).getCode().name(), error.getMessage());
    }
}
