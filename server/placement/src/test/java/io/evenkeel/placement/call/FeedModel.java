package io.evenkeel.placement.call;

import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.v1.ErrorReason;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A naive model of {@link Feeds}: it keeps all messages, and evaluates them from scratch for each question. A question
 * with a size is about the first messages, up to that number.
 */
final class FeedModel {
    /** What a message says. A CHANGE is an event; it comes from Apply if it has no stream. */
    enum What {
        OPEN,
        MOVE,
        BEGIN,
        LISTED,
        CHANGE,
        BOOKMARK,
        REJECTED,
        SWEEP,
        END,
        CLOSE,
        EXPECT,
        SOURCE_LOST,
        SOURCE_REACHED
    }

    /** @param kinds one kind, except for BEGIN, SWEEP and END */
    record Message(
            What what,
            long at,
            @Nullable FeedStream stream,
            String feeder,
            Set<ObjectKind> kinds,
            long version,
            boolean effective) {}

    private final List<Message> messages = new ArrayList<>();

    void add(Message message) {
        messages.add(message);
    }

    int size() {
        return messages.size();
    }

    private Message message(int index) {
        return messages.get(index);
    }

    private boolean is(int index, What what, ObjectKind kind) {
        return message(index).what == what && message(index).kinds.contains(kind);
    }

    private int last(What what, ObjectKind kind, int size) {
        return IntStream.range(0, size).filter(i -> is(i, what, kind)).max().orElse(-1);
    }

    @Nullable
    FeedStream owner(ObjectKind kind, int size) {
        int begin = last(What.BEGIN, kind, size);
        if (begin < 0) {
            return null;
        }
        FeedStream stream = message(begin).stream;
        return IntStream.range(begin, size).anyMatch(i -> message(i).what == What.CLOSE && message(i).stream == stream)
                ? null
                : stream;
    }

    String feeder(ObjectKind kind) {
        return owner(kind, size()) == null ? "" : message(last(What.BEGIN, kind, size())).feeder;
    }

    private boolean isFed(int index, ObjectKind kind) {
        return message(index).stream != null && owner(kind, index) == message(index).stream;
    }

    KindFeedState.Phase phase(ObjectKind kind, int size) {
        int begin = last(What.BEGIN, kind, size);
        if (begin < 0) {
            return isApplied(kind, size) ? KindFeedState.Phase.APPLIED : KindFeedState.Phase.NONE;
        }
        if (last(What.END, kind, size) > begin) {
            return KindFeedState.Phase.LIVE;
        }
        return owner(kind, size) == null ? KindFeedState.Phase.ABORTED : KindFeedState.Phase.LISTING;
    }

    private boolean isApplied(ObjectKind kind, int size) {
        List<Message> so = messages.subList(0, size);
        return so.stream().noneMatch(each -> each.what == What.EXPECT)
                && so.stream()
                        .anyMatch(each -> each.what == What.CHANGE
                                && each.stream == null
                                && each.effective
                                && (ObjectKind.OF_PLACEMENT.contains(kind) || each.kinds.contains(kind)));
    }

    boolean isReady(ObjectKind kind) {
        return last(What.END, kind, size()) >= 0 || phase(kind, size()) == KindFeedState.Phase.APPLIED;
    }

    /** The greatest version of messages of the kind's feed. */
    private long greatest(What what, ObjectKind kind, int from, int to) {
        return IntStream.range(from, to)
                .filter(i -> is(i, what, kind) && isFed(i, kind))
                .mapToLong(i -> message(i).version)
                .max()
                .orElse(0);
    }

    /** The version that the snapshot has reached that ends, or would end, with this message. */
    private long reached(ObjectKind kind, int end) {
        int begin = last(What.BEGIN, kind, end);
        long list = message(end).version;
        return Math.max(
                list > 0 ? list : greatest(What.LISTED, kind, begin, end), greatest(What.CHANGE, kind, begin, end));
    }

    private long lastVersion(ObjectKind kind, int size) {
        int end = last(What.END, kind, size);
        return Math.max(reached(kind, end), greatest(What.CHANGE, kind, end, size));
    }

    /** The greatest version of anything that came before this end of a snapshot. */
    private long newestBefore(ObjectKind kind, int end) {
        long received = Math.max(greatest(What.LISTED, kind, 0, end), greatest(What.CHANGE, kind, 0, end));
        long ends = IntStream.range(0, end)
                .filter(i -> is(i, What.END, kind))
                .mapToLong(i -> reached(kind, i))
                .max()
                .orElse(0);
        return Math.max(received, ends);
    }

    /** Whether something was rejected for lack of room, and no complete snapshot has started since. */
    boolean isFull(ObjectKind kind, int size) {
        IntPredicate isLacking = rejected -> IntStream.range(rejected, size)
                .noneMatch(end -> is(end, What.END, kind) && last(What.BEGIN, kind, end) > rejected);
        return IntStream.range(0, size)
                .filter(i -> is(i, What.REJECTED, kind) && isFed(i, kind))
                .anyMatch(isLacking);
    }

    long version(ObjectKind kind) {
        int size = size();
        if (phase(kind, size) != KindFeedState.Phase.LIVE || isFull(kind, size)) {
            return 0;
        }
        long now = lastVersion(kind, size);
        return isExactAt(kind, now) ? now : 0;
    }

    /**
     * Whether only a snapshot helps: the state would not be exact even at the newest version the feed has ever sent.
     */
    boolean needsSnapshot(ObjectKind kind) {
        int size = size();
        return isFull(kind, size)
                || phase(kind, size) == KindFeedState.Phase.LIVE
                        && !isExactAt(kind, Math.max(lastVersion(kind, size), newestBefore(kind, size)));
    }

    /** Whether the state is the feed's once that has got to the version {@code now}, without further changes. */
    private boolean isExactAt(ObjectKind kind, long now) {
        int size = size();
        int end = last(What.END, kind, size);
        return now >= newestBefore(kind, end)
                && IntStream.range(last(What.BEGIN, kind, end), size)
                        .filter(i -> is(i, What.CHANGE, kind))
                        .allMatch(i -> i < end ? isCoveredByList(i, kind) : isCovered(i, kind, now));
    }

    /** Whether a list that ends after this change says what the state is. */
    private boolean isCoveredByList(int index, ObjectKind kind) {
        return isFed(index, kind) || !message(index).effective && message(index).version == 0;
    }

    /** Whether the state at the version {@code now} is the feed's, although this change came after the list. */
    private boolean isCovered(int index, ObjectKind kind, long now) {
        Message change = message(index);
        long before = lastVersion(kind, index);
        if (change.version > before) {
            return now >= change.version;
        }
        if (!change.effective) {
            return true;
        }
        return isFed(index, kind) && change.version == 0 && now > before;
    }

    long held(ObjectKind kind, int size) {
        int begin = last(What.BEGIN, kind, size);
        if (begin < 0 || isFull(kind, size)) {
            return 0;
        }
        if (phase(kind, size) == KindFeedState.Phase.LIVE) {
            return Math.max(lastVersion(kind, size), greatest(What.BOOKMARK, kind, begin, size));
        }
        long swept = IntStream.range(begin, size)
                .filter(i -> is(i, What.SWEEP, kind))
                .mapToLong(i -> reached(kind, i))
                .min()
                .orElse(Long.MAX_VALUE);
        return Math.min(held(kind, begin), swept);
    }

    @Nullable
    Long since(ObjectKind kind) {
        FeedStream owner = owner(kind, size());
        if (owner == null) {
            return null;
        }
        int begin = last(What.BEGIN, kind, size());
        while (owner(kind, begin) == owner) {
            begin = last(What.BEGIN, kind, begin);
        }
        long since = message(begin).at;
        boolean reached = true;
        for (Message each : messages) {
            if (each.stream == owner) {
                if (each.what == What.OPEN || each.what == What.SOURCE_REACHED && !reached) {
                    since = Math.max(since, each.at);
                }
                reached = each.what == What.SOURCE_REACHED || reached && each.what != What.SOURCE_LOST;
            }
        }
        return reached ? since : null;
    }

    /** The time of the last message of the kind's feed that says one of these. */
    @Nullable
    Long lastAt(ObjectKind kind, Set<What> whats) {
        for (int i = size() - 1; i >= 0; i--) {
            if (whats.contains(message(i).what) && message(i).kinds.contains(kind) && isFed(i, kind)) {
                return message(i).at;
            }
        }
        return null;
    }

    long count(ObjectKind kind, boolean effective) {
        return messages.stream()
                .filter(each -> each.what == What.LISTED || each.what == What.CHANGE)
                .filter(each -> each.kinds.contains(kind) && each.effective == effective)
                .count();
    }

    long count(ObjectKind kind, What what, boolean fedOnly) {
        return IntStream.range(0, size())
                .filter(i -> is(i, what, kind) && (!fedOnly || isFed(i, kind)))
                .count();
    }

    /** Whether another stream has taken over a kind from this one. */
    boolean isLost(FeedStream stream) {
        return IntStream.range(0, size())
                .filter(i -> message(i).what == What.BEGIN && message(i).stream != stream)
                .anyMatch(i -> message(i).kinds.stream().anyMatch(kind -> owner(kind, i) == stream));
    }

    boolean isListing(FeedStream stream, ObjectKind kind) {
        return owner(kind, size()) == stream && phase(kind, size()) == KindFeedState.Phase.LISTING;
    }

    /** Why a stream must not start a snapshot now; null if it may. */
    @Nullable
    ErrorReason refusal(
            FeedStream stream, Set<ObjectKind> kinds, String feeder, boolean takeover, long now, long stalledAfter) {
        for (ObjectKind kind : kinds) {
            FeedStream owner = owner(kind, size());
            if (owner != null && owner != stream) {
                if (ObjectKind.ALL.stream().anyMatch(each -> isListing(owner, each))
                        && now - movedAt(owner) <= stalledAfter) {
                    return ErrorReason.ERROR_REASON_SNAPSHOT_UNDER_WAY;
                }
                if (!takeover && !feeder(kind).equals(feeder)) {
                    return ErrorReason.ERROR_REASON_FEEDER_ACTIVE;
                }
            }
        }
        return null;
    }

    private long movedAt(FeedStream stream) {
        return messages.stream()
                .filter(each -> each.stream == stream && (each.what == What.OPEN || each.what == What.MOVE))
                .mapToLong(Message::at)
                .max()
                .orElseThrow();
    }
}
