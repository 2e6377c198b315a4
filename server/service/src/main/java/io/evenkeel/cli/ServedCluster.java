package io.evenkeel.cli;

import io.evenkeel.client.PlacementClient;
import io.evenkeel.client.PlacementException;
import io.evenkeel.manifest.PodManifest;
import io.evenkeel.v1.ErrorReason;
import io.evenkeel.v1.ExplainRequest;
import io.evenkeel.v1.ExplainResponse;
import io.evenkeel.v1.PodReference;
import java.util.Set;

/** The cluster that a running server has. */
final class ServedCluster implements AskedCluster {
    private final String server;
    private final PlacementClient client;
    private final boolean encrypted;

    /**
     * @param server the server's name in messages
     * @param encrypted whether the client uses TLS
     */
    ServedCluster(String server, PlacementClient client, boolean encrypted) {
        this.server = server;
        this.client = client;
        this.encrypted = encrypted;
    }

    /** Whether there is such a pod is known when the server is asked about it. */
    @Override
    public PodReference reference(String namespace, String name) {
        return PodReference.newBuilder().setNamespace(namespace).setName(name).build();
    }

    /** None: controllers make other values, and a server cannot be asked for those that people make. */
    @Override
    public Set<String> standIns() {
        return Set.of();
    }

    @Override
    public void warnOfGaps(PodManifest manifest) {}

    @Override
    public ExplainResponse explain(ExplainRequest request) throws CommandFailure {
        try {
            return client.explain(request);
        } catch (PlacementException e) {
            throw new CommandFailure(Paragraphs.printable(text(request, e)));
        }
    }

    private String text(ExplainRequest request, PlacementException e) {
        if (e.reason() == ErrorReason.ERROR_REASON_POD_UNKNOWN) {
            PodReference pod = request.getPodReference();
            return "there is no pod " + pod.getNamespace() + "/" + pod.getName() + " in the cluster of " + server;
        }
        String said = e.description();
        return switch (e.code()) {
            case INVALID_ARGUMENT -> said;
            case UNAVAILABLE ->
                from(said)
                        + (encrypted
                                ? "; it must take TLS, with a certificate that the authorities of --ca have issued"
                                : "; it must be where `evenkeel serve` listens, and --ca is needed where it takes TLS");
            case UNAUTHENTICATED -> from(said) + "; give --token-file, or --cert and --key";
            case PERMISSION_DENIED -> from(said) + "; the right to ask is needed";
            case DEADLINE_EXCEEDED -> from("no answer in time");
            default -> from(said);
        };
    }

    private String from(String said) {
        return "--server " + server + ": " + said;
    }

    @Override
    public void close() {
        client.close();
    }
}
