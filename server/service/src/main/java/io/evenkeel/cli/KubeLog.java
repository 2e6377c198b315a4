package io.evenkeel.cli;

import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.kube.ApiResource;
import io.evenkeel.kube.KindState;
import io.evenkeel.kube.KubeFeedListener;
import io.evenkeel.v1.Refusal;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;

/**
 * Logs a line when the feed of a kind starts working, when an outage begins and ends, when it gets another reason, and
 * more and more rarely in between. Kinds that fail for the same reason share an outage. All ways to lose a connection
 * are one reason.
 */
final class KubeLog implements KubeFeedListener {
    private static final String NO_CONNECTION = "no connection";
    private static final Duration FIRST_REMINDER = Duration.ofMinutes(5);
    private static final Duration LONGEST_REMINDER = Duration.ofHours(1);

    private final BiConsumer<Level, String> log;
    private final Set<ObjectKind> watched = EnumSet.noneOf(ObjectKind.class);
    private final Map<ObjectKind, Outage> outages = new EnumMap<>(ObjectKind.class);
    private final Map<ObjectKind, String> refusals = new EnumMap<>(ObjectKind.class);

    /** Kinds that cannot be watched. */
    private static final class Outage {
        private static final int MAX_REASONS = 8;

        private final Set<ObjectKind> kinds;
        private final Set<String> reasons = new HashSet<>();
        private Duration wait = FIRST_REMINDER;
        private Instant due;

        Outage(KindState first, String problem) {
            kinds = EnumSet.of(first.kind());
            reasons.add(reason(problem));
            due = first.since().plus(wait);
        }

        private static String reason(String problem) {
            return problem.startsWith(NO_CONNECTION) ? NO_CONNECTION : problem;
        }

        boolean isFor(String other) {
            return reasons.contains(reason(other));
        }

        /** Adds the reason of a problem; returns whether it is new. */
        boolean addReason(String problem) {
            return reasons.size() < MAX_REASONS && reasons.add(reason(problem));
        }

        /** Whether to log it again now. Then the next time is later. */
        boolean isDue(Instant now) {
            if (now.isBefore(due)) {
                return false;
            }
            wait = wait.multipliedBy(2).compareTo(LONGEST_REMINDER) > 0 ? LONGEST_REMINDER : wait.multipliedBy(2);
            due = now.plus(wait);
            return true;
        }
    }

    KubeLog(BiConsumer<Level, String> log) {
        this.log = log;
    }

    @Override
    public synchronized void changed(KindState state) {
        if (state.phase() == KindState.Phase.WATCHING) {
            watching(state.kind());
        } else if (state.phase() == KindState.Phase.WAITING && state.problem() != null) {
            waiting(state, state.problem());
        }
    }

    private void watching(ObjectKind kind) {
        boolean first = watched.add(kind);
        Outage ended = outages.remove(kind);
        if (ended == null) {
            if (first) {
                log.accept(Level.INFO, "kube: watching " + ApiResource.plural(kind));
            }
        } else if (!outages.containsValue(ended)) {
            log.accept(Level.INFO, "kube: watching " + names(ended.kinds) + " again");
        }
    }

    private void waiting(KindState state, String problem) {
        Outage outage = outages.get(state.kind());
        if (outage != null) {
            if (outage.addReason(problem)) {
                log.accept(Level.WARNING, "kube: " + ApiResource.plural(state.kind()) + ": " + problem + "; retrying");
            } else if (outage.isDue(state.since())) {
                log.accept(Level.WARNING, "kube: " + names(outage.kinds) + ": still failing: " + problem);
            }
            return;
        }
        for (Outage other : outages.values()) {
            if (other.isFor(problem)) {
                other.kinds.add(state.kind());
                outages.put(state.kind(), other);
                return;
            }
        }
        outages.put(state.kind(), new Outage(state, problem));
        log.accept(Level.WARNING, "kube: " + ApiResource.plural(state.kind()) + ": " + problem + "; retrying");
    }

    private static String names(Set<ObjectKind> kinds) {
        return kinds.stream().map(ApiResource::plural).collect(Collectors.joining(", "));
    }

    @Override
    public synchronized void refused(ObjectKind kind, Refusal refusal) {
        String why = refusal.getError().getMessage();
        if (!why.equals(refusals.put(kind, why))) {
            String object = refusal.getObject().isEmpty() ? "an object" : refusal.getObject();
            log.accept(Level.WARNING, "kube: " + ApiResource.plural(kind) + ": " + object + " was skipped: " + why);
        }
    }
}
