package io.evenkeel.placement.answer;

import com.google.protobuf.InvalidProtocolBufferException;
import io.evenkeel.engine.SpreadEngine;
import io.evenkeel.engine.answer.Answer;
import io.evenkeel.engine.answer.Question;
import io.evenkeel.engine.cluster.InvalidSlotsException;
import io.evenkeel.engine.cluster.NodeSubset;
import io.evenkeel.engine.lock.StopSignal;
import io.evenkeel.engine.model.EntryRules;
import io.evenkeel.engine.model.Overlay;
import io.evenkeel.engine.model.PodKey;
import io.evenkeel.engine.model.SpreadDefaults;
import io.evenkeel.engine.plan.PlanLimitException;
import io.evenkeel.engine.plan.PlanPins;
import io.evenkeel.engine.plan.PodPlan;
import io.evenkeel.objects.InvalidObjectException;
import io.evenkeel.placement.call.EngineAccess;
import io.evenkeel.placement.call.Handler;
import io.evenkeel.placement.call.ItemErrors;
import io.evenkeel.placement.call.Limits;
import io.evenkeel.placement.call.Prepared;
import io.evenkeel.placement.call.RequestException;
import io.evenkeel.placement.call.SessionLookup;
import io.evenkeel.placement.query.CandidateBits;
import io.evenkeel.placement.query.PodPlans;
import io.evenkeel.placement.query.PodQuery;
import io.evenkeel.placement.query.QueryReader;
import io.evenkeel.placement.query.QueryServices;
import io.evenkeel.placement.query.RequestReader;
import io.evenkeel.v1.PodAnswer;
import io.evenkeel.v1.QueryOptions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Answers Filter, Score and Evaluate: reads a batch of pods, finds or compiles their plans, evaluates these, and writes
 * the answers. All answers are from one revision, and equal pods share one. Thread-safe.
 *
 * <pre>
 *   bytes ──► QueryReader ──► PodQuery ──► Batch: plans ──► engine ──► ResponseForm, ResponseWriter ──► ResponseBytes
 * </pre>
 */
public final class EvaluateHandler extends Handler<PodQuery, ResponseBytes> {
    private static final int DEFAULT_BEST = 16;
    private static final int FEW_PODS = 128;
    private static final int FEW_NAMES = 2_048;

    /** This many pods of overlays can be found and counted in well under a millisecond. */
    static final int FEW_PODS_CHANGED = 256;

    private static final int FEW_BEST = 16_384;

    /** This many verdicts and scores can be computed in less than a millisecond. */
    private static final long FEW_VERDICTS = 1 << 20;

    private final EngineAccess access;
    private final RequestReader requestReader;
    private final PodPlans podPlans;
    private final Queue<Answer> spareAnswers;
    private final LongAdder podsJudged;
    private final Limits limits;
    private final QueryReader reader;
    private final PodQuery.Kind kind;

    /** @param sessions finds the handler of the same method in a session */
    public EvaluateHandler(
            QueryServices services, QueryReader reader, PodQuery.Kind kind, SessionLookup<EvaluateHandler> sessions) {
        super(services.access(), sessions);
        access = services.access();
        requestReader = services.reader();
        podPlans = services.plans();
        spareAnswers = services.spareAnswers();
        podsJudged = services.podsJudged();
        limits = services.limits();
        this.reader = reader;
        this.kind = kind;
    }

    @Override
    public PodQuery read(byte[] request, StopSignal stop) throws InvalidProtocolBufferException {
        return reader.read(kind, request, stop);
    }

    /** Quick if most pods are cached. */
    @Override
    public @Nullable PodQuery readAtOnce(byte[] request) throws InvalidProtocolBufferException {
        return reader.readAtOnce(kind, request);
    }

    @Override
    public Prepared<ResponseBytes> prepare(PodQuery query) {
        return new Batch(query);
    }

    /**
     * The pods of one request. The plans of a small batch are looked up when it is prepared, because they determine how
     * long the answer takes. Those of a large batch are looked up when it is answered. Not thread-safe.
     */
    private final class Batch implements Prepared<ResponseBytes> {
        private final PodQuery query;
        private final QueryOptions options;
        private final Overlay overlay;
        private final ResponseForm form;
        private final int best;
        private final EntryRules rules;
        private final @Nullable SpreadDefaults ownDefaults;
        private final boolean isShort;
        private @Nullable Question question;
        private @Nullable List<Entry> entries;

        /** A pod of the batch: its plan, or the error that rejects it. */
        private record Entry(
                PodPlans.@Nullable Wanted wanted, @Nullable PodAnswer refusal) {}

        /** A plan, which equals only itself, and the rules that are not judged. */
        private record PlanPlace(PodPlan plan, int unjudged) {}

        Batch(PodQuery query) {
            this.query = query;
            this.options = query.options().message();
            access.requireReady();
            overlay = query.overlay() == null ? Overlay.NONE : query.overlay().valid();
            Limits.admit(query.pods().size(), limits.pods(), "pods");
            best = best();
            rules = query.options().rules();
            form = form();
            ownDefaults = query.options().ownDefaults(requestReader);
            boolean few = query.pods().size() <= FEW_PODS
                    && options.getCandidates().getNamed().getNamesCount() <= FEW_NAMES;
            if (!few) {
                isShort = false;
            } else {
                question = question();
                entries = read(StopSignal.NEVER);
                isShort = !options.getEveryNode()
                        && overlay.without().size() + overlay.added().size() <= FEW_PODS_CHANGED
                        && (long) query.pods().size() * access.nodes() <= FEW_VERDICTS
                        && (long) query.pods().size() * Math.min(best, access.nodes()) <= FEW_BEST
                        && !mayBringLargeTable()
                        && arePlansThere(entries);
            }
        }

        private static boolean arePlansThere(List<Entry> entries) {
            boolean there = true;
            for (Entry entry : entries) {
                there &= entry.wanted == null || entry.wanted.find();
            }
            return there;
        }

        /** True if the answer may have to contain the whole node table, and the table is large. */
        private boolean mayBringLargeTable() {
            String known = query.knownNodeTableToken();
            if (known == null || access.nodes() <= FEW_NAMES) {
                return false;
            }
            SpreadEngine engine = access.engine();
            long revision = access.tokens().revision(known);
            return revision != engine.nodeTableRevision() && !engine.nodeNames().knowsSince(revision);
        }

        private int best() {
            int asked = Limits.orDefault(options.getMaxBest(), DEFAULT_BEST, "options.maxBest");
            return query.kind() == PodQuery.Kind.FILTER ? 0 : asked;
        }

        private ResponseForm form() {
            boolean everyNode = options.getEveryNode();
            return switch (options.getForm()) {
                case ANSWER_FORM_UNSPECIFIED, ANSWER_FORM_READABLE -> new ReadableForm(everyNode, best);
                case ANSWER_FORM_PACKED -> {
                    requireUnset(everyNode);
                    yield new PackedForm(rules == EntryRules.FITTING);
                }
                case ANSWER_FORM_BEST -> {
                    requireUnset(everyNode);
                    yield bestForm();
                }
                case UNRECOGNIZED ->
                    throw RequestException.invalid(
                            "options.form",
                            "must be ANSWER_FORM_READABLE, ANSWER_FORM_PACKED or ANSWER_FORM_BEST, was "
                                    + options.getFormValue());
            };
        }

        private static void requireUnset(boolean everyNode) {
            if (everyNode) {
                throw RequestException.invalid(
                        "options.everyNode", "must be false unless form is ANSWER_FORM_READABLE, was true");
            }
        }

        private ResponseForm bestForm() {
            if (query.kind() == PodQuery.Kind.FILTER) {
                throw RequestException.invalid(
                        "options.form",
                        "must be ANSWER_FORM_READABLE or ANSWER_FORM_PACKED for Filter, which does not rank nodes, was"
                                + " ANSWER_FORM_BEST");
            }
            return new BestForm(best);
        }

        private Question question() {
            NodeSubset candidates = query.options().candidates(requestReader);
            Question asked = switch (query.kind()) {
                case FILTER -> Question.filter(candidates);
                case SCORE -> Question.score(candidates, best);
                case EVALUATE -> Question.evaluate(candidates, best);
            };
            Question question = asked.under(rules);
            return switch (options.getForm()) {
                case ANSWER_FORM_BEST -> question.bestAlone();
                case ANSWER_FORM_UNSPECIFIED, ANSWER_FORM_READABLE ->
                    options.getEveryNode() ? question : question.withoutScores();
                case ANSWER_FORM_PACKED, UNRECOGNIZED -> question;
            };
        }

        /** Reads the pods, and rejects the query as soon as they have too many constraints in total. */
        private List<Entry> read(StopSignal stop) {
            long constraints = 0;
            List<Entry> read = new ArrayList<>(query.pods().size());
            for (PodPlans.Requested pod : query.pods()) {
                stop.check();
                try {
                    PodPlans.Wanted wanted = podPlans.read(pod, rules, ownDefaults);
                    constraints += wanted.constraints();
                    limits.admitConstraints(constraints, "pods");
                    read.add(new Entry(wanted, null));
                } catch (InvalidObjectException e) {
                    PodAnswer refusal = PodAnswer.newBuilder()
                            .setError(ItemErrors.invalid(e, ""))
                            .build();
                    read.add(new Entry(null, refusal));
                }
            }
            return read;
        }

        @Override
        public boolean isShort() {
            return isShort;
        }

        @Override
        public ResponseBytes answer(StopSignal stop) {
            try {
                return work(stop);
            } catch (PlanLimitException e) {
                throw RequestException.overLimit(e, "pods");
            } catch (InvalidSlotsException e) {
                throw CandidateBits.refusal(e, "options.candidates");
            }
        }

        private ResponseBytes work(StopSignal stop) {
            access.requireReached(query.freshness());
            Question asked = question == null ? question() : question;
            List<Entry> all = entries == null ? read(stop) : entries;
            admitResponse(asked.candidates(), all);
            if (isEachThere(all)) {
                return judge(all, asked, stop);
            }
            try (PlanPins pins = access.engine().pinPlans(stop, limits.newConstraints())) {
                PodPlans.take(all.size(), pod -> all.get(pod).wanted, pins, (refused, pod) -> {
                    PodAnswer refusal = PodAnswer.newBuilder()
                            .setError(ItemErrors.of(refused))
                            .build();
                    all.set(pod, new Entry(null, refusal));
                });
                return judge(all, asked, stop);
            }
        }

        private static boolean isEachThere(List<Entry> all) {
            for (Entry entry : all) {
                if (entry.wanted != null && !entry.wanted.isThere()) {
                    return false;
                }
            }
            return true;
        }

        /** Computes the answers for the pods that were not rejected. Their plans must have been found. */
        private ResponseBytes judge(List<Entry> all, Question asked, StopSignal stop) {
            List<PodPlan> plans = new ArrayList<>(all.size());
            int[] unjudged = new int[all.size()];
            int[] places = places(all, plans, unjudged);
            ResponseWriter writer =
                    new ResponseWriter(form, Arrays.copyOf(unjudged, plans.size()), ResponseBytes.output());
            Answer spare = spareAnswers.poll();
            Answer answer = spare == null ? new Answer() : spare;
            answer.wantVersions(EngineAccess.needsVersions(query.freshness()));
            List<PodKey> unknownPods = List.of();
            if (!overlay.isEmpty()) {
                unknownPods = access.engine().evaluate(plans, asked, overlay, answer, writer::take, stop);
            } else if (plans.size() == 1) {
                access.engine().evaluate(plans.get(0), asked, answer);
                writer.take(answer, 0);
            } else {
                access.engine().evaluate(plans, asked, answer, writer::take, stop);
            }
            ResponseBytes response = writer.finish(
                    access,
                    answer,
                    places,
                    pod -> all.get(pod).refusal,
                    query.knownNodeTableToken(),
                    access.versionsFor(answer.versions(), query.freshness()),
                    unknownPods);
            answer.releasePlan();
            // If the pool is full, the answer is garbage.
            spareAnswers.offer(answer);
            podsJudged.add(all.size());
            return response;
        }

        /**
         * Collects the distinct plans, each once for each set of rules that are not judged. Returns the index of each
         * pod's plan among them, or -1.
         *
         * @param unjudged receives the set of each plan
         */
        private static int[] places(List<Entry> all, List<PodPlan> plans, int[] unjudged) {
            int[] places = new int[all.size()];
            // For a single pod, a map would cost more than the answer itself.
            Map<PlanPlace, Integer> known = places.length == 1 ? null : new HashMap<>();
            for (int pod = 0; pod < places.length; pod++) {
                PodPlans.Wanted wanted = all.get(pod).wanted;
                if (wanted == null) {
                    places[pod] = -1;
                    continue;
                }
                PodPlan plan = wanted.plan();
                int its = wanted.unjudged();
                Integer place = known == null ? null : known.putIfAbsent(new PlanPlace(plan, its), plans.size());
                places[pod] = place == null ? plans.size() : place;
                if (place == null) {
                    unjudged[plans.size()] = its;
                    plans.add(plan);
                }
            }
            return places;
        }

        /** Rejects a request whose response would be too large, before computing anything. */
        private void admitResponse(NodeSubset candidates, List<Entry> all) {
            int nodes = access.nodes();
            // The other forms contain every node index.
            int listed = form instanceof ReadableForm ? candidates.most(nodes) : nodes;
            long bytes = form.bytes(listed) * all.size();
            if (options.getEveryNode() && rules == EntryRules.FITTING) {
                for (Entry entry : all) {
                    bytes += entry.wanted == null ? 0 : (long) listed * entry.wanted.shortageBytes();
                }
            }
            if (bytes > limits.responseBytes()) {
                throw RequestException.overLimit(
                        "pods",
                        "must be few enough for a response of " + limits.responseBytes() + " bytes, had "
                                + query.pods().size() + " entries, which would take about " + bytes);
            }
        }
    }
}
