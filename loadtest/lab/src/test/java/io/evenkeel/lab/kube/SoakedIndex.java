package io.evenkeel.lab.kube;

import io.evenkeel.client.PlacementClient;
import io.evenkeel.client.embedded.EmbeddedPlacement;
import io.evenkeel.engine.IndexValidator;
import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.kube.KindState;
import io.evenkeel.kube.KubeFeed;
import io.evenkeel.kube.KubeFeedListener;
import io.evenkeel.kube.client.ClusterAccess;
import io.evenkeel.kube.client.ConfigurationException;
import io.evenkeel.placement.Instance;
import io.evenkeel.placement.InstanceOptions;
import io.evenkeel.v1.Refusal;
import java.nio.file.Path;

/** An index in this process that follows a cluster, so that it can be recounted. */
final class SoakedIndex implements AutoCloseable {
    private static final int MAX_OBJECTS = 1_000;

    private final Instance index = new Instance(InstanceOptions.standard());
    private final KubeFeed feed;
    private final Callers callers = new Callers("index", true, this::connect);

    SoakedIndex(Path kubeconfig) throws ConfigurationException {
        feed = KubeFeed.start(index.clusterState(), MAX_OBJECTS, ClusterAccess.of(kubeconfig, null), new NoRefusals());
    }

    /** No object of an API server may be rejected. */
    private static final class NoRefusals implements KubeFeedListener {
        @Override
        public void changed(KindState state) {}

        @Override
        public void refused(ObjectKind kind, Refusal refusal) {
            throw new IllegalStateException("an object was rejected: " + refusal);
        }
    }

    PlacementClient connect() {
        return EmbeddedPlacement.builder().over(index);
    }

    Callers callers() {
        return callers;
    }

    /** Recounts everything. Nothing may change meanwhile. */
    void validate() {
        IndexValidator.validate(index.engine());
    }

    @Override
    public void close() {
        callers.close();
        feed.close();
        index.close();
    }
}
