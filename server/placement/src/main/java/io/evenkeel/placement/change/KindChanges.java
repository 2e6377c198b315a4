package io.evenkeel.placement.change;

import com.google.protobuf.InvalidProtocolBufferException;
import io.evenkeel.engine.model.Change;
import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.objects.PodScanner;
import io.evenkeel.objects.TemplateCache;
import io.evenkeel.objects.WireCursor;
import io.evenkeel.placement.call.ObjectKinds;
import io.evenkeel.v1.ClusterObject;
import java.util.List;

/**
 * Gathers objects or events of one kind for a {@link SyncSession}, from the bytes of each object: for a feeder in this
 * process, which needs no message around them. What was gathered refers to these bytes, which must not change until the
 * session has applied it. Not safe for use by several threads.
 */
public final class KindChanges {
    private final ObjectKind kind;
    private final ClusterObject.ObjectCase field;
    private final int most;
    private final PodScanner pods;
    private ChangeList gathered;
    private boolean listed;

    /**
     * @param most how many changes there may be at a time
     * @param templates templates of earlier pods, which others may share
     */
    public KindChanges(ObjectKind kind, int most, TemplateCache templates) {
        this.kind = kind;
        this.field =
                ClusterObject.ObjectCase.forNumber(ObjectKinds.inMessages(kind).getNumber());
        this.most = most;
        this.pods = new PodScanner(templates);
        this.gathered = new ChangeList(most);
    }

    /** How many there are. */
    public int count() {
        return gathered.count();
    }

    /** Whether they are the objects of a snapshot; otherwise they are events. */
    public boolean areListed() {
        return listed;
    }

    /**
     * Adds an object of a snapshot ({@link Change#LISTED}), or an event; returns the object's version. It is 0 where
     * there is none, and where the object is refused.
     *
     * @throws InvalidProtocolBufferException where the bytes from {@code from} up to {@code to} are no such object:
     *     then nothing is added
     */
    public long add(Change change, byte[] bytes, int from, int to) throws InvalidProtocolBufferException {
        begin(change == Change.LISTED);
        int before = gathered.accepted().size();
        new ChangeScanner(new WireCursor(bytes, from, to), gathered, pods).scanBare(field, change);
        List<ObjectChange> accepted = gathered.accepted();
        return accepted.size() > before ? accepted.get(before).version() : 0;
    }

    /** Adds that the feed has got to this version. */
    public void addBookmark(long version) {
        begin(false);
        if (gathered.next()) {
            gathered.add(new ChangeScanner.Bookmark(kind, version));
        }
    }

    private void begin(boolean list) {
        if (count() > 0 && listed != list) {
            throw new IllegalStateException("there must be either objects of a snapshot or events");
        }
        if (count() == most) {
            throw new IllegalStateException("there must be at most " + most + " changes");
        }
        listed = list;
    }

    /** Drops what was gathered. */
    public void clear() {
        if (count() > 0) {
            gathered = new ChangeList(most);
        }
    }

    /** What was gathered. After this there is nothing. */
    ChangeList take() {
        ChangeList taken = gathered;
        clear();
        return taken;
    }
}
