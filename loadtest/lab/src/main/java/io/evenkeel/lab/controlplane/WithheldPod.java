package io.evenkeel.lab.controlplane;

import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.v1.Pod;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Withholds from a client the deletion of one pod: the first one that matches. */
public final class WithheldPod implements WatchProxy.Alteration {
    private final Predicate<Pod> chosen;
    private final AtomicReference<@Nullable String> withheld = new AtomicReference<>();

    public WithheldPod(Predicate<Pod> chosen) {
        this.chosen = chosen;
    }

    @Override
    public List<WatchEvent> instead(ObjectKind kind, WatchEvent event) throws IOException {
        return kind == ObjectKind.POD && isWithheld(event) ? List.of() : List.of(event);
    }

    /** Whether the event shows that the pod is terminating or gone. */
    private boolean isWithheld(WatchEvent event) throws IOException {
        Pod pod = Pod.parseFrom(event.object());
        boolean goes = pod.getMetadata().hasDeletionTimestamp() || event.type().equals("DELETED");
        if (goes && chosen.test(pod)) {
            withheld.compareAndSet(null, pod.getMetadata().getUid());
        }
        return goes && pod.getMetadata().getUid().equals(withheld.get());
    }
}
