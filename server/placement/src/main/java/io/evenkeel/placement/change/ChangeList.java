package io.evenkeel.placement.change;

import io.evenkeel.engine.memory.CapacityException;
import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.placement.call.ItemErrors;
import io.evenkeel.v1.ErrorReason;
import io.evenkeel.v1.ItemError;
import io.evenkeel.v1.ObjectMeta;
import io.evenkeel.v1.Refusal;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The changes of a message in order, and the errors of rejected ones. Changes beyond the limit are only counted. */
public final class ChangeList {
    private final int most;
    private final List<ObjectChange> accepted = new ArrayList<>();
    private final List<Refusal> refusals = new ArrayList<>();
    private Map<ObjectKind, Integer> refusedByKind = Map.of();
    private int count;

    ChangeList(int most) {
        this.most = most;
    }

    /** Counts another change; returns true if it may be added. */
    boolean next() {
        return ++count <= most;
    }

    void add(ObjectChange change) {
        accepted.add(change);
    }

    /**
     * Rejects the last counted change.
     *
     * @param kind null if unknown
     */
    void refuse(@Nullable ObjectKind kind, ObjectMeta metadata, ItemError error) {
        if (kind != null) {
            countRefused(kind);
        }
        refusals.add(Refusals.of(count - 1, metadata, error));
    }

    private void countRefused(ObjectKind kind) {
        if (refusedByKind.isEmpty()) {
            // Most messages have none.
            refusedByKind = new EnumMap<>(ObjectKind.class);
        }
        refusedByKind.merge(kind, 1, Integer::sum);
    }

    /**
     * Rejects some of the changes that were accepted before.
     *
     * @param full the changes for which the engine has no room, by index among the accepted ones
     */
    void refuse(Map<Integer, CapacityException> full) {
        if (full.isEmpty()) {
            return;
        }
        List<Refusal> others = List.copyOf(refusals);
        full.forEach((place, why) -> refusals.add(Refusals.of(
                position(place, others),
                accepted.get(place).object(),
                ItemErrors.of(ErrorReason.ERROR_REASON_STATE_FULL, why))));
        refusals.sort(Comparator.comparingInt(Refusal::getPosition));
    }

    /**
     * Rejects the accepted changes of kinds that are not admitted.
     *
     * @param admitted true for kinds whose changes stay accepted
     * @param error the error for changes of a kind
     */
    void refuseUnless(Predicate<ObjectKind> admitted, Function<ObjectKind, ItemError> error) {
        if (areAll(admitted)) {
            return;
        }
        Set<Integer> others = refusals.stream().map(Refusal::getPosition).collect(Collectors.toSet());
        Iterator<ObjectChange> left = List.copyOf(accepted).iterator();
        accepted.clear();
        for (int position = 0; left.hasNext(); position++) {
            if (others.contains(position)) {
                continue;
            }
            ObjectChange change = left.next();
            if (admitted.test(change.kind())) {
                accepted.add(change);
            } else {
                countRefused(change.kind());
                refusals.add(Refusals.of(position, change.object(), error.apply(change.kind())));
            }
        }
        refusals.sort(Comparator.comparingInt(Refusal::getPosition));
    }

    private boolean areAll(Predicate<ObjectKind> admitted) {
        for (int i = 0; i < accepted.size(); i++) {
            if (!admitted.test(accepted.get(i).kind())) {
                return false;
            }
        }
        return true;
    }

    /**
     * The position in the message of the accepted change with index {@code place}. {@code others} are the refusals in
     * order.
     */
    private static int position(int place, List<Refusal> others) {
        int position = place;
        for (Refusal other : others) {
            if (other.getPosition() <= position) {
                position++;
            }
        }
        return position;
    }

    /** The number of changes in the message. */
    public int count() {
        return count;
    }

    List<ObjectChange> accepted() {
        return accepted;
    }

    /** The number of rejected changes by kind, without those rejected for lack of room. */
    Map<ObjectKind, Integer> refusedByKind() {
        return refusedByKind;
    }

    List<Refusal> refusals() {
        return refusals;
    }
}
