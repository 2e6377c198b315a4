package io.evenkeel.cli;

import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.kube.ApiResource;
import io.evenkeel.kube.KindState;
import io.evenkeel.kube.KubeFeedListener;
import io.evenkeel.v1.Refusal;
import java.util.EnumMap;
import java.util.Map;
import java.util.function.Consumer;

/** Logs a line when the feed of a kind starts working, and whenever its problem changes. */
final class KubeLog implements KubeFeedListener {
    private final Consumer<String> log;
    private final Map<ObjectKind, String> problems = new EnumMap<>(ObjectKind.class);
    private final Map<ObjectKind, String> refusals = new EnumMap<>(ObjectKind.class);

    KubeLog(Consumer<String> log) {
        this.log = log;
    }

    @Override
    public synchronized void changed(KindState state) {
        String resource = ApiResource.plural(state.kind());
        if (state.phase() == KindState.Phase.WATCHING) {
            String before = problems.put(state.kind(), "");
            if (before == null) {
                log.accept("kube: watching " + resource);
            } else if (!before.isEmpty()) {
                log.accept("kube: watching " + resource + " again");
            }
        } else if (state.phase() == KindState.Phase.WAITING && state.problem() != null) {
            if (!state.problem().equals(problems.put(state.kind(), state.problem()))) {
                log.accept("kube: " + resource + ": " + state.problem() + "; retrying");
            }
        }
    }

    @Override
    public synchronized void refused(ObjectKind kind, Refusal refusal) {
        String why = refusal.getError().getMessage();
        if (!why.equals(refusals.put(kind, why))) {
            String object = refusal.getObject().isEmpty() ? "an object" : refusal.getObject();
            log.accept("kube: " + ApiResource.plural(kind) + ": " + object + " was skipped: " + why);
        }
    }
}
