package io.evenkeel.placement.change;

import com.google.protobuf.InvalidProtocolBufferException;
import io.evenkeel.engine.model.Change;
import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.objects.PodScanner;
import io.evenkeel.objects.TemplateCache;
import io.evenkeel.objects.WireCursor;
import java.util.List;

/**
 * Collects objects or events of one kind for a {@link SyncSession}, from the bytes of each object. Used by feeders in
 * this process, which need no message around them. The collected changes reference these bytes, which must not change
 * until the session has applied them. Not thread-safe.
 */
public final class KindChanges {
    private final ObjectKind kind;
    private final int most;
    private final PodScanner pods;
    private ChangeList gathered;
    private boolean listed;

    /**
     * @param most the maximum number of changes at a time
     * @param templates templates of earlier pods, which new pods may share
     */
    public KindChanges(ObjectKind kind, int most, TemplateCache templates) {
        this.kind = kind;
        this.most = most;
        this.pods = new PodScanner(templates);
        this.gathered = new ChangeList(most);
    }

    /** The number of changes. */
    public int count() {
        return gathered.count();
    }

    /** True if they are objects of a snapshot, false if they are events. */
    public boolean areListed() {
        return listed;
    }

    /**
     * Adds an object of a snapshot ({@link Change#LISTED}) or an event. Returns the object's version, which is 0 if it
     * has none or if the object is rejected.
     *
     * @throws InvalidProtocolBufferException if the bytes from {@code from} to {@code to} are malformed; then nothing
     *     is added
     */
    public long add(Change change, byte[] bytes, int from, int to) throws InvalidProtocolBufferException {
        begin(change == Change.LISTED);
        int before = gathered.accepted().size();
        new ChangeScanner(new WireCursor(bytes, from, to), gathered, pods).scanBare(kind, change);
        List<ObjectChange> accepted = gathered.accepted();
        return accepted.size() > before ? accepted.get(before).version() : 0;
    }

    /** Adds a bookmark: the feed has reached this version. */
    public void addBookmark(long version) {
        begin(false);
        if (gathered.next()) {
            gathered.add(new ChangeScanner.Bookmark(kind, version));
        }
    }

    private void begin(boolean list) {
        if (count() > 0 && listed != list) {
            throw new IllegalStateException("must not mix objects of a snapshot and events");
        }
        if (count() == most) {
            throw new IllegalStateException("must have at most " + most + " changes");
        }
        listed = list;
    }

    /** Discards the collected changes. */
    public void clear() {
        if (count() > 0) {
            gathered = new ChangeList(most);
        }
    }

    /** Returns the collected changes, and removes them from this. */
    ChangeList take() {
        ChangeList taken = gathered;
        clear();
        return taken;
    }
}
