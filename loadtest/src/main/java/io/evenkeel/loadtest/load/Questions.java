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
 * Requests of one kind, made before the measurement and used in turn.
 *
 * @param stream the method for the same call on a stream; null where there is none
 * @param requests at least one
 * @param faults finds the fault within an answer; null where there is none
 */
public record Questions<Q, A>(
        MethodDescriptor<Q, A> unary,
        @Nullable MethodDescriptor<Q, A> stream,
        List<Q> requests,
        Function<A, @Nullable Fault> faults) {

    /** Requests of Filter, each with one of the batches. */
    static Questions<EncodedRequest, FilterResponse> filter(List<List<Pod>> batches, QueryOptions options) {
        return new Questions<>(
                EncodedRequest.sentBy(PlacementGrpc.getFilterMethod()),
                null,
                encoded(
                        batches,
                        pods -> FilterRequest.newBuilder()
                                .addAllPods(pods)
                                .setOptions(options)
                                .build()),
                answer -> fault(answer.getAnswersList()));
    }

    /** Requests of Score, each with one of the batches. */
    static Questions<EncodedRequest, ScoreResponse> score(List<List<Pod>> batches, QueryOptions options) {
        return new Questions<>(
                EncodedRequest.sentBy(PlacementGrpc.getScoreMethod()),
                null,
                encoded(
                        batches,
                        pods -> ScoreRequest.newBuilder()
                                .addAllPods(pods)
                                .setOptions(options)
                                .build()),
                answer -> fault(answer.getAnswersList()));
    }

    /** Requests of Evaluate, each with one of the batches. */
    public static Questions<EncodedRequest, EvaluateResponse> evaluate(List<List<Pod>> batches, QueryOptions options) {
        return new Questions<>(
                EncodedRequest.sentBy(PlacementGrpc.getEvaluateMethod()),
                EncodedRequest.sentBy(PlacementGrpc.getEvaluateStreamMethod()),
                encoded(
                        batches,
                        pods -> EvaluateRequest.newBuilder()
                                .addAllPods(pods)
                                .setOptions(options)
                                .build()),
                answer -> answer.hasError() ? fault("", answer.getError()) : fault(answer.getAnswersList()));
    }

    private static List<EncodedRequest> encoded(List<List<Pod>> batches, Function<List<Pod>, MessageLite> request) {
        return batches.stream()
                .map(pods -> new EncodedRequest(request.apply(pods)))
                .toList();
    }

    /** The request number {@code number}. Requests are used in turn, and the number may overflow. */
    public Q request(int number) {
        return requests.get(Math.floorMod(number, requests.size()));
    }

    /** The fault within an answer; null where there is none. */
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
