package io.evenkeel.loadtest.load;

import com.google.protobuf.MessageLite;
import io.evenkeel.v1.EvaluateRequest;
import io.evenkeel.v1.EvaluateResponse;
import io.evenkeel.v1.EvaluateStreamRequest;
import io.evenkeel.v1.EvaluateStreamResponse;
import io.evenkeel.v1.FilterResponse;
import io.evenkeel.v1.PlacementGrpc;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.PodAnswer;
import io.evenkeel.v1.QueryOptions;
import io.evenkeel.v1.ScoreResponse;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Requests of one kind, created before the measurement and used in turn.
 *
 * @param method a unary method, or a streaming method that answers each message with one message, in order
 * @param requests at least one
 * @param faults returns the fault within an answer, or null if there is none
 */
public record LoadQuestions<Q, A>(
        MethodDescriptor<Q, A> method, List<Q> requests, Function<A, @Nullable Fault> faults) {

    /** Filter requests, one per batch. */
    static LoadQuestions<EncodedRequest, FilterResponse> filter(List<List<Pod>> batches, QueryOptions options) {
        return new LoadQuestions<>(
                EncodedRequest.sentBy(PlacementGrpc.getFilterMethod()),
                encoded(batches, pods -> evaluateRequest(pods, options)),
                answer -> fault(answer.getAnswersList()));
    }

    /** Score requests, one per batch. */
    static LoadQuestions<EncodedRequest, ScoreResponse> score(List<List<Pod>> batches, QueryOptions options) {
        return new LoadQuestions<>(
                EncodedRequest.sentBy(PlacementGrpc.getScoreMethod()),
                encoded(batches, pods -> evaluateRequest(pods, options)),
                answer -> fault(answer.getAnswersList()));
    }

    /** Evaluate requests, one per batch. */
    public static LoadQuestions<EncodedRequest, EvaluateResponse> evaluate(
            List<List<Pod>> batches, QueryOptions options) {
        return new LoadQuestions<>(
                EncodedRequest.sentBy(PlacementGrpc.getEvaluateMethod()),
                encoded(batches, pods -> evaluateRequest(pods, options)),
                answer -> fault(answer.getAnswersList()));
    }

    /** EvaluateStream messages, one per batch. */
    public static LoadQuestions<EncodedRequest, EvaluateStreamResponse> evaluateStream(
            List<List<Pod>> batches, QueryOptions options) {
        return new LoadQuestions<>(
                EncodedRequest.sentBy(PlacementGrpc.getEvaluateStreamMethod()),
                encoded(
                        batches,
                        pods -> EvaluateStreamRequest.newBuilder()
                                .setRequest(evaluateRequest(pods, options))
                                .build()),
                LoadQuestions::fault);
    }

    /** FilterRequest and ScoreRequest have the same fields. */
    private static EvaluateRequest evaluateRequest(List<Pod> pods, QueryOptions options) {
        return EvaluateRequest.newBuilder().addAllPods(pods).setOptions(options).build();
    }

    private static List<EncodedRequest> encoded(List<List<Pod>> batches, Function<List<Pod>, MessageLite> request) {
        return batches.stream()
                .map(pods -> new EncodedRequest(request.apply(pods)))
                .toList();
    }

    /** Whether the requests are messages of one stream. */
    public boolean isStream() {
        return method.getType() == MethodDescriptor.MethodType.BIDI_STREAMING;
    }

    /** The request with this number. Requests are used in turn, and the number may overflow. */
    public Q request(int number) {
        return requests.get(Math.floorMod(number, requests.size()));
    }

    /** The fault within an answer, or null if there is none. */
    public @Nullable Fault fault(A answer) {
        return faults.apply(answer);
    }

    private static @Nullable Fault fault(EvaluateStreamResponse answer) {
        return switch (answer.getResultCase()) {
            case RESPONSE -> fault(answer.getResponse().getAnswersList());
            case ERROR -> Fault.of("", answer.getError());
            case RESULT_NOT_SET -> new Fault(Status.Code.INTERNAL.name(), "the answer has no result");
        };
    }

    private static @Nullable Fault fault(List<PodAnswer> answers) {
        for (PodAnswer answer : answers) {
            if (answer.hasError()) {
                return Fault.of("item: ", answer.getError());
            }
            if (answer.getResultCase() == PodAnswer.ResultCase.RESULT_NOT_SET) {
                return new Fault("item: " + Status.Code.INTERNAL.name(), "the answer has no result");
            }
        }
        return null;
    }
}
