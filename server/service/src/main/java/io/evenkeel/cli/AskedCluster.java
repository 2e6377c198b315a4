package io.evenkeel.cli;

import io.evenkeel.client.PlacementClient;
import io.evenkeel.client.PlacementException;
import io.evenkeel.manifest.PodManifest;
import io.evenkeel.v1.ErrorReason;
import io.evenkeel.v1.ExplainRequest;
import io.evenkeel.v1.ExplainResponse;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.PodReference;
import java.util.Collection;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The cluster that a question refers to. */
public interface AskedCluster extends AutoCloseable {
    /**
     * Returns the reference to a pod of the cluster, for a request.
     *
     * @throws CommandFailure if it is known that there is no such pod
     */
    PodReference reference(String namespace, String name) throws CommandFailure;

    /** The pod that was referred to, with its status; null if the source does not show it. */
    @Nullable
    Pod pod();

    /**
     * Removes nodes, as if they had never existed: pods on them are not counted.
     *
     * @throws CommandFailure if there is no such node, or if the source cannot do this
     */
    void removeNodes(Collection<String> nodes) throws CommandFailure;

    /** Label values of the cluster's pods, which must not be used as placeholders for values that do not exist yet. */
    Set<String> standIns();

    /** Warns about objects that an answer for this pod needs and the cluster lacks. */
    void warnOfGaps(PodManifest manifest);

    /**
     * Explains a pod.
     *
     * @throws CommandFailure if the call fails
     */
    default ExplainResponse explain(ExplainRequest request) throws CommandFailure {
        try {
            return client().explain(request);
        } catch (PlacementException e) {
            if (e.reason() == ErrorReason.ERROR_REASON_POD_UNKNOWN) {
                PodReference pod = request.getPodReference();
                throw new CommandFailure(Paragraphs.printable(unknown(pod.getNamespace() + "/" + pod.getName())));
            }
            throw failure(e);
        }
    }

    /** The message for a pod of this name that the cluster does not have. */
    String unknown(String pod);

    /** A client of the cluster, which is closed with it. */
    PlacementClient client();

    /** What a failed call means to the user of the command. */
    CommandFailure failure(PlacementException e);

    /**
     * Makes calls.
     *
     * @throws CommandFailure if one fails
     */
    default <T> T ask(Function<PlacementClient, T> calls) throws CommandFailure {
        try {
            return calls.apply(client());
        } catch (PlacementException e) {
            throw failure(e);
        }
    }

    @Override
    void close();
}
