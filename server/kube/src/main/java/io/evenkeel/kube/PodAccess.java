package io.evenkeel.kube;

import com.google.protobuf.DiscardUnknownFieldsParser;
import com.google.protobuf.Parser;
import io.evenkeel.kube.client.ApiException;
import io.evenkeel.kube.client.ClusterAccess;
import io.evenkeel.kube.client.ConfigurationException;
import io.evenkeel.kube.client.Envelope;
import io.evenkeel.kube.client.KubeClient;
import io.evenkeel.v1.ObjectMeta;
import io.evenkeel.v1.Pod;
import java.io.IOException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Reads and changes single pods of an API server. */
public final class PodAccess implements AutoCloseable {
    private static final Duration SILENCE = Duration.ofSeconds(10);
    private static final String MERGE_PATCH = "application/merge-patch+json";
    private static final int NOT_FOUND = 404;
    private static final int CONFLICT = 409;
    private static final Parser<Pod> POD = DiscardUnknownFieldsParser.wrap(Pod.parser());

    private final ClusterAccess access;
    private final KubeClient client;

    /**
     * Does not connect yet.
     *
     * @throws ConfigurationException if the configuration cannot be read
     */
    public PodAccess(ClusterAccess access) throws ConfigurationException {
        this.access = access;
        client = access.withSilence(SILENCE).open();
    }

    /**
     * The pod as it is now; null if there is none with its name and UID.
     *
     * @throws ClusterReadException if it cannot be read; the message says why and what to do
     */
    public @Nullable Pod read(ObjectMeta pod) throws ClusterReadException, InterruptedException {
        try {
            byte[] bytes = client.get(path(pod), PagedList.PROTOBUF);
            Envelope.Place object = Envelope.open(bytes, 0, bytes.length);
            Pod now = POD.parseFrom(bytes, object.from(), object.to() - object.from());
            return now.getMetadata().getUid().equals(pod.getUid()) ? now : null;
        } catch (IOException e) {
            if (e instanceof ApiException refused && refused.status() == NOT_FOUND) {
                return null;
            }
            throw failure(pod, "get", e);
        }
    }

    /**
     * Changes a pod, and returns true. Returns false, and changes nothing, if the pod is gone, or is not what the patch
     * expects.
     *
     * @param mergePatch a JSON merge patch, which should name the UID and the resourceVersion that it expects
     * @throws ClusterReadException if the API server refuses; the message says why and what to do
     */
    public boolean patch(ObjectMeta pod, String mergePatch) throws ClusterReadException, InterruptedException {
        try {
            byte[] unused = client.patch(path(pod), MERGE_PATCH, mergePatch, PagedList.PROTOBUF);
            return true;
        } catch (IOException e) {
            if (e instanceof ApiException refused && (refused.status() == CONFLICT || refused.status() == NOT_FOUND)) {
                return false;
            }
            throw failure(pod, "patch", e);
        }
    }

    private static String path(ObjectMeta pod) {
        return "/api/v1/namespaces/" + ApiResource.encoded(pod.getNamespace()) + "/pods/"
                + ApiResource.encoded(pod.getName());
    }

    private ClusterReadException failure(ObjectMeta pod, String verb, IOException why) {
        String right = verb + " on pods in namespace " + pod.getNamespace() + " with a Role";
        return new ClusterReadException(FailureText.text(access.server(), path(pod), right, why), why);
    }

    @Override
    public void close() {
        client.close();
    }
}
