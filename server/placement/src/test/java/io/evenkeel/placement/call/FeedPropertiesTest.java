package io.evenkeel.placement.call;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.fail;

import io.evenkeel.engine.SpreadEngine;
import io.evenkeel.engine.model.EngineOptions;
import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.engine.script.Lists;
import io.evenkeel.engine.script.RandomChoices;
import io.evenkeel.objects.KindMessages;
import io.evenkeel.placement.call.FeedModel.Message;
import io.evenkeel.placement.call.FeedModel.What;
import io.evenkeel.v1.ErrorReason;
import io.evenkeel.v1.Freshness;
import io.evenkeel.v1.KindVersion;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Plays random messages of two competing streams, and of Apply, and compares every answer of {@link Feeds} and
 * {@link KindFeedState} with {@link FeedModel} after each. A failure prints the seed and the messages. The system
 * property {@code evenkeel.seeds} ({@code 5000-6000}) selects other seeds.
 */
final class FeedPropertiesTest {
    private static final int STEPS = 50;
    private static final long SECOND = Duration.ofSeconds(1).toNanos();
    private static final long STALLED_AFTER = 30 * SECOND;
    private static final List<ObjectKind> KINDS = List.copyOf(ObjectKind.ALL);

    static LongStream seeds() {
        long[] range = Arrays.stream(
                        System.getProperty("evenkeel.seeds", "0-20").split("-"))
                .mapToLong(Long::parseLong)
                .toArray();
        return LongStream.range(range[0], range[1]);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void everyAnswer_isThatOfTheModel(long seed) {
        Play play = new Play(new RandomChoices(seed));
        try {
            for (int step = 0; step < STEPS; step++) {
                play.step();
                play.compare();
            }
        } catch (AssertionError | RuntimeException e) {
            fail("seed " + seed + ":\n" + String.join("\n", play.script), e);
        }
    }

    /** One script, while it is made. */
    private static final class Play {
        private final RandomChoices dice;
        private final SpreadEngine engine = new SpreadEngine(EngineOptions.defaults());
        private final Feeds feeds = new Feeds(Duration.ofNanos(STALLED_AFTER), () -> this.now);
        private final FreshnessDemands demands = new FreshnessDemands(engine::versions, feeds);
        private final FeedModel model = new FeedModel();
        private final List<String> script = new ArrayList<>();

        /** The streams of the two feeders. */
        private final FeedStream[] streams = new FeedStream[2];

        private final Set<ObjectKind> toldReady = EnumSet.noneOf(ObjectKind.class);
        private final List<ObjectKind> mostUsed;
        private long now;
        private long version = 10;
        private boolean toldAll;

        Play(RandomChoices dice) {
            this.dice = dice;
            mostUsed = List.of(dice.pick(KINDS), dice.pick(KINDS));
            feeds.onReadiness(ready -> toldAll = ready);
            feeds.listen(new FeedListener() {
                @Override
                public void ready(Set<ObjectKind> kinds) {
                    toldReady.clear();
                    toldReady.addAll(kinds);
                }
            });
            open(0);
            open(1);
        }

        private void open(int feeder) {
            streams[feeder] = feeds.open();
            note(What.OPEN, streams[feeder], Set.of(), 0, false);
        }

        private void note(What what, @Nullable FeedStream stream, Set<ObjectKind> kinds, long at, boolean effective) {
            String feeder = stream == null ? "" : name(stream);
            model.add(new Message(what, now, stream, feeder, kinds, at, effective));
            script.add(now / SECOND + " s: " + what + " of '" + feeder + "' " + kinds + " at " + at
                    + (effective ? "" : ", no effect"));
        }

        private String name(FeedStream stream) {
            return stream == streams[0] ? "" : "other";
        }

        private ObjectKind kind() {
            return dice.chance(0.7) ? dice.pick(mostUsed) : dice.pick(KINDS);
        }

        private Set<ObjectKind> kinds(Predicate<ObjectKind> admitted) {
            Set<ObjectKind> kinds = EnumSet.noneOf(ObjectKind.class);
            double share = dice.pick(List.of(0.2, 0.5, 1.0));
            KINDS.stream().filter(admitted).filter(kind -> dice.chance(share)).forEach(kinds::add);
            return kinds;
        }

        /** Mostly newer than all before, sometimes older or unknown. */
        private long version() {
            if (dice.chance(0.2)) {
                return dice.chance(0.5) ? 0 : dice.between(1, (int) version);
            }
            version += dice.between(1, 3);
            return version;
        }

        void step() {
            now += dice.chance(0.1) ? STALLED_AFTER + 1 : dice.below(10) * SECOND;
            int of = dice.below(2);
            FeedStream stream = streams[of];
            if (dice.chance(0.12)) {
                apply();
            } else if (dice.chance(0.02)) {
                feeds.expectSnapshots();
                note(What.EXPECT, null, Set.of(), 0, false);
            } else if (dice.chance(0.06)) {
                boolean reached = dice.chance(0.5);
                stream.sourceIs(reached);
                note(reached ? What.SOURCE_REACHED : What.SOURCE_LOST, stream, Set.of(), 0, false);
            } else if (dice.chance(0.04) || model.isLost(stream)) {
                close(of);
            } else {
                stream.move();
                note(What.MOVE, stream, Set.of(), 0, false);
                send(stream);
            }
            feeds.notifyListeners();
        }

        private void apply() {
            ObjectKind kind = kind();
            long at = version();
            boolean effective = dice.chance(0.6);
            engine.write(writer -> {
                feeds.of(kind).applied(null, false, at, effective);
                if (effective) {
                    feeds.apply(Set.of(kind));
                }
                feeds.publish(writer);
            });
            note(What.CHANGE, null, Set.of(kind), at, effective);
        }

        private void close(int of) {
            Set<ObjectKind> listing = EnumSet.noneOf(ObjectKind.class);
            KINDS.stream().filter(kind -> model.isListing(streams[of], kind)).forEach(listing::add);
            assertEquals(listing, feeds.close(streams[of], "the end"));
            note(What.CLOSE, streams[of], Set.of(), 0, false);
            open(of);
        }

        private void send(FeedStream stream) {
            Set<ObjectKind> ending = kinds(kind -> model.isListing(stream, kind));
            if (dice.chance(0.2)) {
                begin(stream);
            } else if (dice.chance(0.3) && !ending.isEmpty()) {
                end(stream, ending);
            } else {
                change(stream);
            }
        }

        private void begin(FeedStream stream) {
            Set<ObjectKind> kinds = kinds(kind -> true);
            kinds.add(kind());
            boolean takeover = dice.chance(0.4);
            ErrorReason expected = model.refusal(stream, kinds, name(stream), takeover, now, STALLED_AFTER);
            List<FeedStream> losers = new ArrayList<>();
            ErrorReason refused = refusal(() -> engine.write(writer -> {
                Collection<FeedStream> lost = feeds.begin(stream, kinds, name(stream), takeover, writer);
                losers.addAll(lost);
            }));
            assertEquals(expected, refused);
            if (refused == null) {
                note(What.BEGIN, stream, kinds, 0, false);
            }
            Stream.of(streams)
                    .filter(model::isLost)
                    .forEach(each -> assertEquals(ErrorReason.ERROR_REASON_FEED_TAKEN_OVER, refusal(each::move)));
            losers.forEach(loser -> assertEquals(true, model.isLost(loser)));
        }

        private void end(FeedStream stream, Set<ObjectKind> kinds) {
            long list = version();
            if (dice.chance(0.4)) {
                engine.write(writer -> feeds.beginEnd(Lists.at(list, kinds), writer));
                note(What.SWEEP, stream, kinds, list, false);
                return;
            }
            engine.write(writer -> {
                feeds.beginEnd(Lists.at(list, kinds), writer);
                feeds.end(Lists.at(list, kinds), writer);
            });
            note(What.END, stream, kinds, list, false);
        }

        private void change(FeedStream stream) {
            ObjectKind kind = kind();
            KindFeedState feed = feeds.of(kind);
            long at = version();
            boolean effective = dice.chance(0.7);
            What what = dice.pick(List.of(What.LISTED, What.CHANGE, What.CHANGE, What.BOOKMARK, What.REJECTED));
            if (!feed.hasBegun() || what == What.LISTED && !model.isListing(stream, kind)) {
                return;
            }
            engine.write(writer -> {
                switch (what) {
                    case BOOKMARK -> feed.bookmark(stream, at);
                    case REJECTED -> feed.rejectedForRoom(stream);
                    default -> feed.applied(stream, what == What.LISTED, at, effective);
                }
                feeds.publish(writer);
            });
            note(what, stream, Set.of(kind), at, effective);
        }

        private static @Nullable ErrorReason refusal(Runnable work) {
            try {
                work.run();
                return null;
            } catch (RequestException refused) {
                return refused.reason();
            }
        }

        void compare() {
            Set<ObjectKind> ready = EnumSet.noneOf(ObjectKind.class);
            for (ObjectKind kind : KINDS) {
                compare(kind);
                if (model.isReady(kind)) {
                    ready.add(kind);
                }
            }
            assertEquals(ready, toldReady);
            assertEquals(ready.containsAll(ObjectKind.OF_PLACEMENT), toldAll);
            assertEquals(toldAll, feeds.isReady());
            assertEquals(obstacle(), refusal(feeds::requireReady));
            for (FeedStream stream : streams) {
                KINDS.forEach(kind -> assertEquals(
                        model.isListing(stream, kind), feeds.listing(stream).contains(kind), kind.name()));
            }
            compareAges();
        }

        private void compare(ObjectKind kind) {
            KindFeedState feed = feeds.of(kind);
            int all = model.size();
            same("phase", kind, model.phase(kind, all), feed.phase());
            same("ready", kind, model.isReady(kind), feed.isReady());
            same("obstacle", kind, obstacle(kind), feed.obstacle());
            same("feeder", kind, model.feeder(kind), feed.feeder());
            for (FeedStream stream : streams) {
                same("fed", kind, model.owner(kind, all) == stream, feed.isFedBy(stream));
            }
            same("since", kind, model.since(kind), feed.since());
            same("version", kind, model.version(kind), feed.version());
            same("reported", kind, model.version(kind), engine.versions().reported(kind));
            same("held", kind, model.held(kind, all), engine.versions().held(kind));
            same("full", kind, model.isFull(kind, all), feed.isFull());
            same("snapshot", kind, model.needsSnapshot(kind), feed.needsSnapshot());
            same("obstacle", kind, model.version(kind) == 0, feed.versionObstacle() != null);
            same(
                    "event",
                    kind,
                    model.lastAt(kind, Set.of(What.CHANGE)),
                    feed.received().eventAt());
            same(
                    "bookmark",
                    kind,
                    model.lastAt(kind, Set.of(What.BOOKMARK)),
                    feed.received().bookmarkAt());
            same("heard", kind, heardAt(kind), feed.received().heardAt());
            same("applied", kind, model.count(kind, true), feed.received().applied());
            same("unchanged", kind, model.count(kind, false), feed.received().unchanged());
            same(
                    "bookmarks",
                    kind,
                    model.count(kind, What.BOOKMARK, true),
                    feed.received().bookmarks());
            same("refused", kind, model.count(kind, What.REJECTED, false), feed.refused());
            compareDemand(kind);
        }

        private static void same(String what, ObjectKind kind, @Nullable Object expected, @Nullable Object actual) {
            assertEquals(expected, actual, what + " of " + kind);
        }

        private @Nullable Long heardAt(ObjectKind kind) {
            return model.lastAt(kind, Set.of(What.CHANGE, What.BOOKMARK, What.END));
        }

        private @Nullable String obstacle(ObjectKind kind) {
            if (model.isReady(kind)) {
                return null;
            }
            return switch (model.phase(kind, model.size())) {
                case LISTING -> "the first snapshot is in progress";
                case ABORTED -> "the first snapshot was aborted; waiting for a complete one";
                default -> "not received yet";
            };
        }

        private @Nullable ErrorReason obstacle() {
            List<String> obstacles = ObjectKind.OF_PLACEMENT.stream()
                    .map(this::obstacle)
                    .filter(each -> each != null)
                    .toList();
            if (obstacles.isEmpty()) {
                return null;
            }
            if (obstacles.contains("the first snapshot is in progress")) {
                return ErrorReason.ERROR_REASON_FIRST_SNAPSHOT_UNDER_WAY;
            }
            return obstacles.stream().anyMatch(each -> each.contains("aborted"))
                    ? ErrorReason.ERROR_REASON_FIRST_SNAPSHOT_BROKEN_OFF
                    : ErrorReason.ERROR_REASON_NOT_FED;
        }

        /** Demands versions around the held one. */
        private void compareDemand(ObjectKind kind) {
            long held = model.held(kind, model.size());
            for (long demanded : List.of(Math.max(1, held), held + 1)) {
                Freshness freshness = Freshness.newBuilder()
                        .addResourceVersions(KindVersion.newBuilder()
                                .setKind(KindMessages.inMessages(kind))
                                .setResourceVersion(Long.toString(demanded)))
                        .build();
                boolean[] met = new boolean[1];
                ErrorReason unknown = held == 0 ? ErrorReason.ERROR_REASON_FRESHNESS_UNKNOWN : null;
                ErrorReason expected = obstacle() != null ? obstacle() : unknown;
                same("demand", kind, expected, refusal(() -> met[0] = demands.areMet(freshness)));
                same("demand met", kind, expected == null && demanded <= held, met[0]);
            }
        }

        private void compareAges() {
            Duration most = Duration.ofSeconds(10L * dice.between(1, 6));
            Set<ObjectKind> some = kinds(kind -> true);
            ErrorReason expected = null;
            for (ObjectKind kind : some) {
                Long heardAt = heardAt(kind);
                if (heardAt == null) {
                    expected = ErrorReason.ERROR_REASON_FRESHNESS_UNKNOWN;
                } else if (expected == null && now - heardAt > most.toNanos()) {
                    expected = ErrorReason.ERROR_REASON_STATE_TOO_OLD;
                }
            }
            assertEquals(expected, refusal(() -> feeds.requireHeardWithin(most, some)));
        }
    }
}
