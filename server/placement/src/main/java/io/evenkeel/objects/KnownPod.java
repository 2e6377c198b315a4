package io.evenkeel.objects;

import io.evenkeel.engine.model.PodRequests;
import io.evenkeel.engine.model.PodTemplate;
import org.jspecify.annotations.Nullable;

/** What was made of a pod's key; see {@link KeyScanner}. */
final class KnownPod {
    /** Of a pod with an empty key. */
    static final KnownPod EMPTY =
            new KnownPod(new byte[0], PodRequests.UNKNOWN, PodRequests.UNKNOWN, PodTemplate.EMPTY, Controller.NONE);

    /** What kind of controller a pod has. */
    enum Controller {
        /** None, or of a kind that cluster-autoscaler does not know. */
        NONE,
        DAEMON_SET,
        /** One that replaces a pod that was evicted. */
        REPLICATING
    }

    final byte[] key;

    /** What the pod asks for by its spec. */
    final PodRequests asked;

    /** What it takes from its node, which may be more while it is resized. */
    final PodRequests taken;

    /** Null if it may depend on the pod's node, which the key does not contain. */
    final @Nullable PodTemplate template;

    final Controller controller;

    KnownPod(byte[] key, PodRequests asked, PodRequests taken, @Nullable PodTemplate template, Controller controller) {
        this.key = key;
        this.asked = asked;
        this.taken = taken;
        this.template = template;
        this.controller = controller;
    }
}
