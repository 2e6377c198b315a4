package io.evenkeel.kube;

import io.evenkeel.kube.client.ApiException;
import io.evenkeel.kube.client.ClusterAccess;
import io.evenkeel.kube.client.ConfigurationException;
import io.evenkeel.kube.client.MalformedAnswerException;
import io.evenkeel.v1.PodReference;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/** Evicts pods through the Eviction API, so that the API server respects their disruption budgets. Thread-safe. */
public final class PodEvictions implements AutoCloseable {
    private static final Duration SILENCE = Duration.ofSeconds(30);
    private static final String JSON = "application/json";
    private static final int NOT_FOUND = 404;
    private static final int CONFLICT = 409;
    private static final int BAD_GATEWAY = 502;

    private final SharedClient client;

    /** The result of an eviction. */
    public enum Result {
        /** The pod ends, after its grace period. */
        EVICTED,
        /** There is no pod with this name and UID. */
        GONE,
        /** The API server rejects it now, usually because of a disruption budget. */
        BUSY,
        /** The API server cannot be reached, or has not answered: the pod may have been evicted. */
        UNKNOWN
    }

    /**
     * The answer of the API server.
     *
     * @param message why it is {@link Result#BUSY} or {@link Result#UNKNOWN}; otherwise empty
     * @param retryAfter how long the API server asks the client to wait; zero if it does not say
     */
    public record Answer(Result result, String message, Duration retryAfter) {
        private static final Answer EVICTED = new Answer(Result.EVICTED, "", Duration.ZERO);
        private static final Answer GONE = new Answer(Result.GONE, "", Duration.ZERO);
    }

    /** Does not connect yet. */
    public PodEvictions(ClusterAccess access) {
        client = new SharedClient(access.withSilence(SILENCE));
    }

    /**
     * Evicts the pod with this namespace, name and UID. If it ends already, another attempt changes nothing.
     *
     * @throws ClusterReadException if the API server refuses for good; the message says why and what to do
     */
    public Answer evict(PodReference pod) throws ClusterReadException, InterruptedException {
        String path = "/api/v1/namespaces/" + ApiResource.encoded(pod.getNamespace()) + "/pods/"
                + ApiResource.encoded(pod.getName()) + "/eviction";
        // Kubernetes names and UIDs contain no characters that JSON would escape.
        String eviction = """
                {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"namespace": "%s", "name": "%s"},
                 "deleteOptions": {"preconditions": {"uid": "%s"}}}
                """.formatted(pod.getNamespace(), pod.getName(), pod.getUid());
        try {
            byte[] unused = client.post(path, JSON, eviction.getBytes(StandardCharsets.UTF_8));
            return Answer.EVICTED;
        } catch (IOException e) {
            if (e instanceof ApiException refused && (refused.status() == NOT_FOUND || refused.status() == CONFLICT)) {
                return Answer.GONE;
            }
            String right = "create on pods/eviction in namespace " + pod.getNamespace() + " with a Role";
            String why = FailureText.text(client.server(), path, right, e);
            if (isPassing(e)) {
                boolean isBusy = e instanceof ApiException api && api.isBusy();
                boolean isRejected = isBusy || e instanceof ApiException api && api.status() < BAD_GATEWAY;
                return new Answer(
                        isRejected ? Result.BUSY : Result.UNKNOWN,
                        isBusy ? "the API server returned 429: " + e.getMessage() : why,
                        FailureText.retryAfter(e));
            }
            throw new ClusterReadException(why, e);
        }
    }

    /** Whether another attempt may succeed. The next one is made with new credentials if these may be the reason. */
    private static boolean isPassing(IOException failure) {
        return failure instanceof ApiException api
                // 500 is also what pods of several disruption budgets get, always.
                ? api.isBusy() || api.status() >= BAD_GATEWAY || FailureText.mayComeFromOldCredentials(api)
                : !(failure instanceof MalformedAnswerException || failure instanceof ConfigurationException);
    }

    @Override
    public void close() {
        client.close();
    }
}
