package io.evenkeel.placement;

import io.evenkeel.engine.Answer;
import io.evenkeel.engine.Candidates;
import io.evenkeel.engine.DefaultConstraints;
import io.evenkeel.engine.PodPlan;
import io.evenkeel.engine.Question;
import io.evenkeel.feed.InvalidObjectException;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.PodAnswer;
import io.evenkeel.v1.QueryOptions;
import io.evenkeel.v1.Revision;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Filter, Score or Evaluate for a batch of pods, all from one revision. Pods that are alike are judged once and share one answer. Small batches are read when the query is
 * made, so that it is known what answering takes; large ones when they are answered. Not safe for use by several threads.
 */
final class BatchQuery {
    /** What is asked of each pod. */
    enum Kind {
        FILTER,
        SCORE,
        EVALUATE
    }

    /** What all three responses hold. */
    record Result(Revision revision, long nodeTableRevision, List<PodAnswer> answers, List<String> unknownCandidates) {}

    /** What a query needs of its surroundings. */
    record Services(EngineAccess access, RequestReader reader, PodPlans plans, AnswerPool answers, Limits limits) {}

    private static final int DEFAULT_BEST = 16;
    private static final int FEW_PODS = 32;
    private static final int FEW_NAMES = 8_192;

    /** Verdicts that take about a millisecond. */
    private static final long FEW_VERDICTS = 1 << 18;

    private final Services services;
    private final Kind kind;
    private final List<Pod> pods;
    private final QueryOptions options;
    private final AnswerForm form;
    private final int best;
    private final @Nullable DefaultConstraints ownDefaults;
    private final boolean isShort;
    private @Nullable Question question;
    private @Nullable List<Entry> entries;

    /** One pod: its plan, or why there is none. */
    private record Entry(
            PodPlans.@Nullable Wanted wanted, @Nullable PodAnswer refusal) {}

    BatchQuery(Services services, Kind kind, List<Pod> pods, QueryOptions options) {
        this.services = services;
        this.kind = kind;
        this.pods = pods;
        this.options = options;
        services.access.requireReady();
        Limits.admit(pods.size(), services.limits.pods(), "pods");
        best = best();
        form = form();
        ownDefaults = services.reader.ownDefaults(options.getDefaults(), "options.defaults");
        boolean few =
                pods.size() <= FEW_PODS && options.getCandidates().getNamed().getNamesCount() <= FEW_NAMES;
        if (!few) {
            isShort = false;
        } else {
            question = question();
            entries = read();
            isShort = !options.getEveryNode()
                    && (long) pods.size() * services.access.nodes() <= FEW_VERDICTS
                    && entries.stream().allMatch(entry -> entry.wanted == null || entry.wanted.find());
        }
    }

    private int best() {
        if (kind == Kind.FILTER) {
            return 0;
        }
        if (!options.hasBest()) {
            return DEFAULT_BEST;
        }
        // Unsigned on the wire; more than there can be nodes is as good as all.
        return options.getBest() < 0 ? Integer.MAX_VALUE : options.getBest();
    }

    private AnswerForm form() {
        return switch (options.getForm()) {
            case READABLE -> new ReadableForm(options.getEveryNode(), best);
            case PACKED -> new PackedForm();
            case UNRECOGNIZED ->
                throw RequestException.invalid(
                        "options.form", "must be READABLE or PACKED, was " + options.getFormValue());
        };
    }

    private Question question() {
        Candidates candidates =
                services.reader.candidates(options.getCandidates(), Candidates.ALL, "options.candidates");
        return switch (kind) {
            case FILTER -> Question.filter(candidates);
            case SCORE -> Question.score(candidates, best);
            case EVALUATE -> Question.evaluate(candidates, best);
        };
    }

    private List<Entry> read() {
        List<Entry> read = new ArrayList<>(pods.size());
        for (Pod pod : pods) {
            try {
                read.add(new Entry(services.plans.read(pod, ownDefaults), null));
            } catch (InvalidObjectException e) {
                PodAnswer refusal = PodAnswer.newBuilder()
                        .setError(ItemErrors.invalid(e, ""))
                        .build();
                read.add(new Entry(null, refusal));
            }
        }
        return read;
    }

    /** See {@link Prepared#isShort}. */
    boolean isShort() {
        return isShort;
    }

    Result answer() {
        services.access.requireReady();
        services.access.requireReached(options.getAtLeast());
        Question asked = question == null ? question() : question;
        admitResponse(asked.candidates());
        List<Entry> all = entries == null ? read() : entries;
        List<PodPlan> plans = new ArrayList<>(all.size());
        IdentityHashMap<PodPlan, Integer> places = new IdentityHashMap<>();
        for (Entry entry : all) {
            if (entry.wanted != null && places.putIfAbsent(entry.wanted.get(), plans.size()) == null) {
                plans.add(entry.wanted.get());
            }
        }
        AnswerForm.Draft[] drafts = new AnswerForm.Draft[plans.size()];
        Answer answer = services.answers.take();
        services.access.engine().evaluate(plans, asked, answer, (each, place) -> drafts[place] = form.draft(each));
        PodAnswer[] written = new PodAnswer[drafts.length];
        for (int i = 0; i < drafts.length; i++) {
            written[i] = drafts[i].write();
        }
        List<PodAnswer> answers = new ArrayList<>(all.size());
        for (Entry entry : all) {
            answers.add(
                    entry.wanted == null
                            ? Objects.requireNonNull(entry.refusal)
                            : written[Objects.requireNonNull(places.get(entry.wanted.get()))]);
        }
        Result result = new Result(
                services.access.revision(answer.revision()),
                answer.names().revision(),
                answers,
                answer.unknownCandidates());
        services.answers.give(answer);
        return result;
    }

    /** Before anything is worked out. */
    private void admitResponse(Candidates candidates) {
        int nodes = services.access.nodes();
        int named = candidates.names().size();
        boolean byName = options.getForm() == io.evenkeel.v1.AnswerForm.READABLE && named > 0;
        long bytes = form.bytes(byName ? Math.min(nodes, named) : nodes) * pods.size();
        if (bytes > services.limits.responseBytes()) {
            throw RequestException.overLimit(
                    "pods",
                    "must be few enough for a response of " + services.limits.responseBytes() + " bytes, had "
                            + pods.size() + " entries, which would take about " + bytes);
        }
    }
}
