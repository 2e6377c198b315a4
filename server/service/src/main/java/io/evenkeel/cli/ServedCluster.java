package io.evenkeel.cli;

import io.evenkeel.client.PlacementClient;
import io.evenkeel.client.PlacementException;
import io.evenkeel.manifest.PodManifest;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.PodReference;
import java.util.Collection;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The cluster of a running server. */
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

    /** Does not check whether the pod exists: the server does so when it is asked about it. */
    @Override
    public PodReference reference(String namespace, String name) {
        return PodReference.newBuilder().setNamespace(namespace).setName(name).build();
    }

    /** Null: a server does not keep the status of pods. */
    @Override
    public @Nullable Pod pod() {
        return null;
    }

    @Override
    public void removeNodes(Collection<String> nodes) throws CommandFailure {
        if (!nodes.isEmpty()) {
            throw new CommandFailure("--without-node needs --cluster or --kube: a server judges the nodes that it has");
        }
    }

    /** Returns none: controllers generate other values, and a server cannot be asked for values chosen by people. */
    @Override
    public Set<String> standIns() {
        return Set.of();
    }

    @Override
    public void warnOfGaps(PodManifest manifest) {}

    @Override
    public String unknown(String pod) {
        return "there is no pod " + pod + " in the cluster of " + server;
    }

    @Override
    public PlacementClient client() {
        return client;
    }

    @Override
    public CommandFailure failure(PlacementException e) {
        return new CommandFailure(Paragraphs.printable(text(e)));
    }

    private String text(PlacementException e) {
        String said = e.description();
        return switch (e.code()) {
            case INVALID_ARGUMENT -> said;
            case UNAVAILABLE ->
                from(said)
                        + (encrypted
                                ? "; check that it is running and uses TLS with a certificate issued by a CA in --ca"
                                : "; check that `evenkeel serve` listens there, and give --ca if it uses TLS");
            case UNAUTHENTICATED -> from(said) + "; give --token-file, or --cert and --key";
            case PERMISSION_DENIED -> from(said) + "; grant the right to ask in its --access file";
            case DEADLINE_EXCEEDED ->
                from("no answer before the deadline") + "; the server may be overloaded: try again";
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
