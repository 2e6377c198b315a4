package io.evenkeel.engine;

import io.evenkeel.engine.model.Change;
import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.engine.script.RandomChoices;
import io.evenkeel.objects.KindMessages;
import io.evenkeel.placement.Instance;
import io.evenkeel.placement.call.RequestException;
import io.evenkeel.placement.change.SyncSession;
import io.evenkeel.v1.ApplyRequest;
import io.evenkeel.v1.ApplyResponse;
import io.evenkeel.v1.BeginSnapshot;
import io.evenkeel.v1.ClusterEvent;
import io.evenkeel.v1.EndSnapshot;
import io.evenkeel.v1.ErrorReason;
import io.evenkeel.v1.Events;
import io.evenkeel.v1.Objects;
import io.evenkeel.v1.Refusal;
import io.evenkeel.v1.SyncRequest;
import io.evenkeel.v1.SyncResponse;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Streams that feed an instance at random from an {@link ApiHistory}: snapshots of some kinds, events of several kinds
 * in one message, bookmarks, relists, older lists, repeated events, streams that end or take over, and changes from
 * elsewhere. It knows the versions that must be reported and held.
 */
final class FeedScript {
    /** The feed of a kind so far. */
    private static final class Kind {
        /** The stream that feeds it, or null. */
        @Nullable
        Stream stream;

        /** The list that is being sent, and how much of it has been sent; null if there is none. */
        @Nullable
        List<ApiHistory.Entry> list;

        int sent;
        long listVersion;

        /** Every event up to this version was sent since the last complete list. */
        long position;

        /** The version that may be reported: that of the last event or, before the first event, of the list. */
        long told;

        /** The version that must be held; 0 if unknown. */
        long held;

        /** The greatest version ever sent. */
        long newest;

        boolean complete;
        boolean lacks;
        boolean full;

        /** Whether something other than an event of the feed has changed it. */
        boolean strange;

        /** Whether that happened before the last snapshot, or the list is older than the held version. */
        boolean mayBeBack;

        /** The UIDs that the feed has reported. */
        final Set<String> seen = new HashSet<>();

        /** UIDs that were reported without a version. After such a deletion, objects may return unchanged. */
        final Set<String> versionlessUids = new HashSet<>();

        /** The greatest version that others have reported ahead of the feed. */
        long ahead;

        /** Whether something arrived without a version since the last snapshot started. */
        boolean versionless;

        /** Whether something was ever rejected. */
        boolean refused;
    }

    private static final class Stream {
        final SyncSession session;
        boolean ended;

        Stream(SyncSession session) {
            this.session = session;
            session.whenTakenOver(why -> ended = true);
        }
    }

    private final Instance instance;
    private final RandomChoices dice;
    final ApiHistory api;
    private final Map<ObjectKind, Kind> kinds = new EnumMap<>(ObjectKind.class);
    private final List<Stream> streams = new ArrayList<>();

    /** Whether others are ahead of the feed only in pods, which never take over another object's name. */
    private final boolean onlyPodsAhead;

    FeedScript(Instance instance, RandomChoices dice) {
        this.instance = instance;
        this.dice = dice;
        this.api = new ApiHistory(dice);
        this.onlyPodsAhead = dice.chance(0.7);
        ApiHistory.KINDS.forEach(kind -> kinds.put(kind, new Kind()));
        // The other kinds stay empty.
        SyncSession others = instance.clusterState().sync();
        BeginSnapshot.Builder begin = BeginSnapshot.newBuilder().setFeeder("others");
        ObjectKind.ALL.stream()
                .filter(kind -> !ApiHistory.KINDS.contains(kind))
                .forEach(kind -> begin.addKinds(KindMessages.inMessages(kind)));
        others.handle(SyncRequest.newBuilder().setBeginSnapshot(begin).build());
        others.handle(SyncRequest.newBuilder()
                .setEndSnapshot(EndSnapshot.getDefaultInstance())
                .build());
    }

    private Kind of(ObjectKind kind) {
        return java.util.Objects.requireNonNull(kinds.get(kind));
    }

    /** The version that must be reported for a kind; 0 if none may be; -1 if either is right. */
    long told(ObjectKind kind) {
        Kind feed = of(kind);
        if (!feed.complete || feed.full) {
            return 0;
        }
        return feed.strange || feed.told < feed.newest ? -1 : feed.told;
    }

    /** The version up to which every event of a kind may be held; 0 if unknown. */
    long held(ObjectKind kind) {
        return of(kind).full ? 0 : of(kind).held;
    }

    /** Whether every event up to {@link #held} must be held. */
    boolean mustHold(ObjectKind kind) {
        return of(kind).complete || !of(kind).mayBeBack && !of(kind).strange;
    }

    /**
     * The version at which a kind must be, whatever is reported for it. It exists if the list is complete, the feed has
     * caught up with all that others have reported, and every change had a version. Otherwise 0.
     */
    long settledAt(ObjectKind kind) {
        Kind feed = of(kind);
        boolean named = kind == ObjectKind.POD || feed.ahead == 0;
        return feed.complete && !feed.refused && !feed.versionless && named && feed.ahead <= feed.position
                ? feed.position
                : 0;
    }

    /** Performs the next step; returns its description. */
    String step() {
        int die = dice.below(100);
        if (die < 20) {
            ObjectKind kind = kindByChance();
            api.change(kind);
            return "change of " + kind + " to " + api.version();
        }
        if (die < 23) {
            return begin();
        }
        if (die < 42) {
            return list();
        }
        if (die < 56) {
            return end();
        }
        if (die < 86) {
            return events();
        }
        if (die < 91) {
            return bookmark();
        }
        if (die < 98) {
            return dice.chance(0.2) ? fromElsewhere() : lateFromElsewhere();
        }
        return close();
    }

    private ObjectKind kindByChance() {
        return ApiHistory.KINDS.get(dice.below(ApiHistory.KINDS.size()));
    }

    /** A kind whose list is being sent, if there is one. */
    private ObjectKind listedByChance(boolean whole) {
        List<ObjectKind> listed = ApiHistory.KINDS.stream()
                .filter(kind -> {
                    List<ApiHistory.Entry> list = of(kind).list;
                    return list != null && of(kind).sent < list.size() != whole;
                })
                .toList();
        return listed.isEmpty() ? kindByChance() : listed.get(dice.below(listed.size()));
    }

    /** Random kinds; all kinds until the first snapshots are complete. */
    private Set<ObjectKind> kindsByChance() {
        if (!instance.clusterState().isReady()) {
            return EnumSet.copyOf(ApiHistory.KINDS);
        }
        List<ObjectKind> shuffled = new ArrayList<>(ApiHistory.KINDS);
        Collections.swap(shuffled, 0, dice.below(shuffled.size()));
        return EnumSet.copyOf(shuffled.subList(0, dice.between(1, shuffled.size())));
    }

    private String begin() {
        Stream stream;
        if (!instance.clusterState().isReady() && kinds.values().stream().anyMatch(feed -> feed.list != null)) {
            return "no second snapshot before the first is complete";
        }
        if (streams.isEmpty() || dice.chance(0.15)) {
            stream = new Stream(instance.clusterState().sync());
            streams.add(stream);
        } else {
            stream = streams.get(dice.below(streams.size()));
        }
        Set<ObjectKind> begun = kindsByChance();
        BeginSnapshot.Builder begin =
                BeginSnapshot.newBuilder().setFeeder("feeder-" + dice.below(2)).setTakeover(dice.chance(0.5));
        begun.forEach(kind -> begin.addKinds(KindMessages.inMessages(kind)));
        try {
            stream.session.handle(
                    SyncRequest.newBuilder().setBeginSnapshot(begin).build());
        } catch (RequestException refused) {
            stream.session.close();
            forget(stream);
            return "rejected start of a snapshot: " + refused.reason();
        }
        for (ObjectKind kind : begun) {
            Kind feed = of(kind);
            feed.stream = stream;
            feed.complete = false;
            feed.lacks = false;
            feed.listVersion = dice.chance(0.1) ? Math.max(1, api.version() - dice.below(20)) : api.version();
            feed.mayBeBack = feed.mayBeBack || feed.strange || feed.listVersion < feed.held;
            feed.strange = false;
            feed.versionless = false;
            feed.list = new ArrayList<>(api.objectsAt(kind, feed.listVersion).values());
            feed.sent = 0;
        }
        streams.stream().filter(each -> each.ended).toList().forEach(loser -> {
            loser.session.close();
            forget(loser);
        });
        return "start of a snapshot of " + begun;
    }

    /** Forgets a stream that has ended. */
    private void forget(Stream stream) {
        streams.remove(stream);
        for (Kind feed : kinds.values()) {
            if (feed.stream == stream) {
                feed.stream = null;
                feed.list = null;
            }
        }
    }

    private String list() {
        ObjectKind kind = listedByChance(false);
        Kind feed = of(kind);
        List<ApiHistory.Entry> list = feed.list;
        Stream stream = feed.stream;
        if (list == null || stream == null) {
            return "nothing to list for " + kind;
        }
        int from = feed.sent;
        int to = Math.min(list.size(), from + dice.between(1, 4));
        feed.sent = to;
        Objects.Builder objects = Objects.newBuilder();
        for (ApiHistory.Entry entry : list.subList(from, to)) {
            objects.addObjects(entry.object(kind));
            goBack(kind, entry);
        }
        note(
                feed,
                stream.session.handle(
                        SyncRequest.newBuilder().setObjects(objects).build()));
        for (ApiHistory.Entry entry : list.subList(from, to)) {
            feed.newest = Math.max(feed.newest, entry.version());
            feed.seen.add(entry.uid());
        }
        return "list of " + kind + " up to " + to + " of " + list.size() + " at " + feed.listVersion;
    }

    /** Listing an object as it was before one of its events moves the state back to before that event. */
    private void goBack(ObjectKind kind, ApiHistory.Entry listed) {
        Kind feed = of(kind);
        api.after(kind, listed.version()).stream()
                .filter(later -> later.uid().equals(listed.uid()))
                .findFirst()
                .ifPresent(later -> feed.held = Math.min(feed.held, later.version() - 1));
    }

    private static void note(Kind feed, SyncResponse response) {
        for (Refusal refusal : response.getRefusalsList()) {
            if (refusal.getError().getReason() == ErrorReason.ERROR_REASON_STATE_FULL) {
                feed.lacks = true;
                feed.full = true;
                feed.refused = true;
            }
        }
    }

    private String end() {
        ObjectKind kind = listedByChance(true);
        Kind feed = of(kind);
        List<ApiHistory.Entry> list = feed.list;
        Stream stream = feed.stream;
        if (list == null || stream == null || feed.sent < list.size()) {
            return "no snapshot to end for " + kind;
        }
        long greatest = list.stream().mapToLong(ApiHistory.Entry::version).max().orElse(0);
        // Without a version, the greatest version of the objects is used. It equals the list's unless the last event
        // was a deletion.
        boolean withVersion = dice.chance(0.9) || greatest < api.lastUpTo(kind, feed.listVersion);
        EndSnapshot.Builder end = EndSnapshot.newBuilder();
        end.addKindsBuilder()
                .setKind(KindMessages.inMessages(kind))
                .setResourceVersion(withVersion ? Long.toString(feed.listVersion) : "");
        stream.session.handle(SyncRequest.newBuilder().setEndSnapshot(end).build());
        feed.told = withVersion ? feed.listVersion : greatest;
        feed.position = feed.listVersion;
        feed.held = feed.told;
        feed.newest = Math.max(feed.newest, feed.told);
        feed.complete = true;
        if (!withVersion) {
            // Late changes may restore what such a list does not contain, and keep it.
            feed.versionless = true;
            api.upTo(kind, feed.listVersion).forEach(entry -> feed.versionlessUids.add(entry.uid()));
        }
        feed.full = feed.lacks;
        // What was added after the list counts as not reported yet: any ADDED event may report it.
        feed.seen.retainAll(api.upTo(kind, feed.listVersion).stream()
                .map(ApiHistory.Entry::uid)
                .collect(Collectors.toSet()));
        feed.list = null;
        return "end of " + kind + " at " + feed.told;
    }

    private String events() {
        Stream stream = streams.isEmpty() ? null : streams.get(dice.below(streams.size()));
        List<ObjectKind> fed = ApiHistory.KINDS.stream()
                .filter(kind -> of(kind).complete && of(kind).stream == stream)
                .toList();
        if (stream == null || fed.isEmpty()) {
            return "no events";
        }
        Events.Builder events = Events.newBuilder();
        List<ObjectKind> sent = new ArrayList<>();
        for (int i = dice.between(1, 6); i > 0; i--) {
            ObjectKind kind = fed.get(dice.below(fed.size()));
            Kind feed = of(kind);
            // Some are repeated.
            long after = dice.chance(0.1) ? Math.max(feed.listVersion, feed.position - dice.below(10)) : feed.position;
            List<ApiHistory.Entry> next = api.after(kind, after);
            if (next.isEmpty()) {
                continue;
            }
            ApiHistory.Entry entry = next.get(0);
            boolean versionless = entry.version() > feed.position && dice.chance(0.02);
            events.addEvents((versionless ? entry.at(0) : entry).event(kind));
            sent.add(kind);
            feed.seen.add(entry.uid());
            feed.position = Math.max(feed.position, entry.version());
            if (versionless) {
                // The version before it and every later one are right.
                feed.strange = true;
                feed.versionless = true;
                feed.versionlessUids.add(entry.uid());
            } else if (entry.version() > feed.told) {
                feed.told = entry.version();
                feed.held = Math.max(feed.held, entry.version());
                feed.newest = Math.max(feed.newest, entry.version());
            }
        }
        SyncResponse response =
                stream.session.handle(SyncRequest.newBuilder().setEvents(events).build());
        for (Refusal refusal : response.getRefusalsList()) {
            if (refusal.getError().getReason() == ErrorReason.ERROR_REASON_STATE_FULL) {
                of(sent.get(refusal.getPosition())).full = true;
                of(sent.get(refusal.getPosition())).refused = true;
            }
        }
        return "events "
                + events.getEventsList().stream().map(ClusterEvent::getType).toList() + " of " + sent;
    }

    private String bookmark() {
        ObjectKind kind = kindByChance();
        Kind feed = of(kind);
        Stream stream = feed.stream;
        if (stream == null || !feed.complete) {
            return "no bookmark";
        }
        List<ApiHistory.Entry> next = api.after(kind, feed.position);
        long most = next.isEmpty() ? api.version() : next.get(0).version() - 1;
        if (most < feed.position) {
            return "no bookmark";
        }
        ApiHistory.Entry mark = new ApiHistory.Entry(most, Change.ADDED, "", "", Map.of(), "");
        stream.session.handle(SyncRequest.newBuilder()
                .setEvents(Events.newBuilder()
                        .addEvents(ClusterEvent.newBuilder()
                                .setType(ClusterEvent.Type.TYPE_BOOKMARK)
                                .setObject(mark.object(kind))))
                .build());
        feed.held = Math.max(feed.held, most);
        feed.position = Math.max(feed.position, most);
        return "bookmark of " + kind + " at " + most;
    }

    private String fromElsewhere() {
        ObjectKind kind = onlyPodsAhead ? ObjectKind.POD : kindByChance();
        Kind feed = of(kind);
        List<ApiHistory.Entry> next = api.after(kind, feed.position);
        if (next.isEmpty()) {
            return "nothing from elsewhere";
        }
        ApiHistory.Entry entry = next.get(dice.below(next.size()));
        boolean versionless = dice.chance(0.3);
        apply(kind, versionless ? entry.at(0) : entry);
        feed.strange = true;
        if (versionless) {
            feed.versionless = true;
            feed.versionlessUids.add(entry.uid());
        }
        feed.ahead = Math.max(feed.ahead, entry.version());
        return "change of " + kind + " from elsewhere, " + entry.version();
    }

    /** Reports a former state of an object, in any state of the feed. If the feed is complete, nothing may change. */
    private String lateFromElsewhere() {
        ObjectKind kind = kindByChance();
        Kind feed = of(kind);
        Set<String> there = api.objectsAt(kind, feed.position).values().stream()
                .map(ApiHistory.Entry::uid)
                .collect(Collectors.toSet());
        boolean gone = dice.chance(0.8);
        List<ApiHistory.Entry> late = api.upTo(kind, feed.position).stream()
                .filter(entry -> entry.change() != Change.DELETED)
                .filter(entry -> feed.seen.contains(entry.uid()) && !feed.versionlessUids.contains(entry.uid()))
                .filter(entry -> there.contains(entry.uid()) != gone)
                .toList();
        if (late.isEmpty()) {
            return "nothing late from elsewhere";
        }
        ApiHistory.Entry entry = late.get(dice.below(late.size()));
        String what = "late change of " + kind + " from elsewhere: " + entry;
        int applied = apply(kind, entry);
        if (settledAt(kind) == 0) {
            feed.strange = true;
        } else if (applied != 0) {
            throw new AssertionError("a " + what + " must change nothing");
        }
        return what;
    }

    /** Applies a change from outside any stream; returns the number of effective changes. */
    private int apply(ObjectKind kind, ApiHistory.Entry entry) {
        ApplyResponse response = instance.clusterState()
                .apply(ApplyRequest.newBuilder().addEvents(entry.event(kind)).build());
        of(kind).refused |= response.getRefusalsCount() > 0;
        return response.getAppliedCount();
    }

    private String close() {
        if (streams.isEmpty()) {
            return "no stream";
        }
        Stream stream = streams.get(dice.below(streams.size()));
        stream.session.close();
        forget(stream);
        return "end of a stream";
    }

    void closeAll() {
        List.copyOf(streams).forEach(stream -> stream.session.close());
    }
}
