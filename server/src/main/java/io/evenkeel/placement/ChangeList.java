package io.evenkeel.placement;

import io.evenkeel.v1.ItemError;
import io.evenkeel.v1.ObjectMeta;
import io.evenkeel.v1.Refusal;
import java.util.ArrayList;
import java.util.List;

/** The changes that a message brings, in order, and those that are refused. Beyond the most that one message may bring they are only counted. */
public final class ChangeList {
    private final int most;
    private final List<ObjectChange> accepted = new ArrayList<>();
    private final List<Refusal> refusals = new ArrayList<>();
    private int count;

    ChangeList(int most) {
        this.most = most;
    }

    /** Counts one more; answers whether it may still be added. */
    boolean next() {
        return ++count <= most;
    }

    void add(ObjectChange change) {
        accepted.add(change);
    }

    /** Refuses the one counted last. */
    void refuse(ObjectMeta metadata, ItemError error) {
        refusals.add(Feeder.refusal(count - 1, metadata, error));
    }

    /** How many the message brings. */
    public int count() {
        return count;
    }

    List<ObjectChange> accepted() {
        return accepted;
    }

    List<Refusal> refusals() {
        return refusals;
    }
}
