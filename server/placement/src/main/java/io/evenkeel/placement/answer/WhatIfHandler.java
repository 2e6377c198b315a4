package io.evenkeel.placement.answer;

import com.google.protobuf.InvalidProtocolBufferException;
import io.evenkeel.engine.lock.StopSignal;
import io.evenkeel.engine.model.EntryRules;
import io.evenkeel.engine.model.PodKey;
import io.evenkeel.engine.model.Reason;
import io.evenkeel.engine.model.SpreadDefaults;
import io.evenkeel.engine.plan.PlanLimitException;
import io.evenkeel.engine.plan.PlanPins;
import io.evenkeel.engine.plan.PodPlan;
import io.evenkeel.engine.whatif.WhatIfAnswers;
import io.evenkeel.engine.whatif.WhatIfCase;
import io.evenkeel.engine.whatif.WhatIfResult;
import io.evenkeel.objects.InvalidObjectException;
import io.evenkeel.objects.WireOutput;
import io.evenkeel.placement.call.Handler;
import io.evenkeel.placement.call.ItemErrors;
import io.evenkeel.placement.call.Limits;
import io.evenkeel.placement.call.Prepared;
import io.evenkeel.placement.call.RequestException;
import io.evenkeel.placement.call.SessionLookup;
import io.evenkeel.placement.query.CaseQuery;
import io.evenkeel.placement.query.CaseReader;
import io.evenkeel.placement.query.PodPlans;
import io.evenkeel.placement.query.PodReferences;
import io.evenkeel.placement.query.QueryServices;
import io.evenkeel.placement.query.RequestReader;
import io.evenkeel.v1.ErrorReason;
import io.evenkeel.v1.ItemError;
import io.evenkeel.v1.KindVersion;
import io.evenkeel.v1.WhatIfAnswer;
import io.evenkeel.v1.WhatIfResponse;
import io.evenkeel.v1.WhatIfVerdict;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Answers WhatIf: reads a batch of cases for one pod, finds or compiles the pod's plan, evaluates each case on its
 * hypothetical cluster, and writes the answers. All are from one revision. Thread-safe.
 */
public final class WhatIfHandler extends Handler<CaseQuery, ResponseBytes> {
    private static final int FEW_CASES = 32;
    private static final int SHORT = 64;

    private final QueryServices services;
    private final CaseReader reader;

    /** @param sessions finds the handler of the same method in a session */
    public WhatIfHandler(QueryServices services, SessionLookup<WhatIfHandler> sessions) {
        super(services.access(), sessions);
        this.services = services;
        this.reader = new CaseReader(services.plans(), services.limits());
    }

    @Override
    public CaseQuery read(byte[] request, StopSignal stop) throws InvalidProtocolBufferException {
        return reader.read(request, stop);
    }

    @Override
    public Prepared<ResponseBytes> prepare(CaseQuery query) {
        return new Batch(query);
    }

    /** The cases of one request. Not thread-safe. */
    private final class Batch implements Prepared<ResponseBytes> {
        private final CaseQuery query;
        private final PodPlans.Wanted wanted;
        private final EntryRules rules;

        Batch(CaseQuery query) {
            this.query = query;
            services.access().requireReady();
            Limits.admit(query.caseCount(), services.limits().cases(), "cases");
            if (query.podCount() > services.limits().names()) {
                throw RequestException.overLimit(
                        "cases",
                        "must name at most " + services.limits().names()
                                + " pods in their overlays in total, named more; send fewer cases per request");
            }
            rules = RequestReader.rules(query.rules(), "rules");
            PodPlans.Requested pod = query.pod();
            if (pod == null) {
                throw RequestException.invalid("pod", "must be set");
            }
            SpreadDefaults ownDefaults = services.reader().ownDefaults(query.defaults(), "defaults");
            try {
                wanted = services.plans().read(pod, rules, ownDefaults);
            } catch (InvalidObjectException e) {
                throw RequestException.invalid(e, "pod");
            }
            services.limits().admitConstraints(wanted.constraints(), "pod");
        }

        @Override
        public boolean isShort() {
            return query.caseCount() <= FEW_CASES
                    && query.podCount() <= EvaluateHandler.FEW_PODS_CHANGED
                    && wanted.find();
        }

        @Override
        public ResponseBytes answer(StopSignal stop) {
            try {
                return work(stop);
            } catch (PlanLimitException e) {
                throw RequestException.overLimit(e, "pod.spec.topologySpreadConstraints");
            }
        }

        private ResponseBytes work(StopSignal stop) {
            services.access().requireReached(query.freshness());
            try (PlanPins pins = services.pinPlans(stop)) {
                return judge(wanted.get(pins), stop);
            }
        }

        /** Answers the valid cases with the engine. */
        private ResponseBytes judge(PodPlan plan, StopSignal stop) {
            List<WhatIfCase> cases = new ArrayList<>(query.cases().size());
            for (CaseQuery.Case each : query.cases()) {
                if (wrong(each) == null) {
                    cases.add(new WhatIfCase(
                            plan, each.node(), rules, each.overlay().overlay()));
                }
            }
            WhatIfAnswers judged = services.access().engine().whatIf(cases, stop);
            List<KindVersion> versions = services.access().versionsFor(judged.versions(), query.freshness());
            WireOutput out = ResponseBytes.output();
            ResponseWriter.writeRevision(
                    WhatIfResponse.REVISION_FIELD_NUMBER, services.access(), judged.revision(), out);
            int next = 0;
            for (CaseQuery.Case each : query.cases()) {
                ItemError wrong = wrong(each);
                out.open(WhatIfResponse.ANSWERS_FIELD_NUMBER, SHORT);
                if (wrong == null) {
                    write(judged.results().get(next++), each.node(), out);
                } else {
                    out.message(WhatIfAnswer.ERROR_FIELD_NUMBER, wrong);
                }
                out.close();
            }
            for (KindVersion version : versions) {
                out.message(WhatIfResponse.RESOURCE_VERSIONS_FIELD_NUMBER, version);
            }
            ResponseWriter.writeUnjudged(WhatIfResponse.UNJUDGED_FIELD_NUMBER, wanted.unjudged(), out);
            return ResponseBytes.of(out);
        }
    }

    /** The error of a case; null if it is valid. */
    private static @Nullable ItemError wrong(CaseQuery.Case each) {
        if (each.node().isEmpty()) {
            return ItemErrors.invalid("node", "must not be empty");
        }
        RequestException refusal = each.overlay().refusal();
        return refusal == null ? null : ItemErrors.of(refusal);
    }

    private static void write(WhatIfResult judged, String node, WireOutput out) {
        if (!judged.knownNode()) {
            out.message(
                    WhatIfAnswer.ERROR_FIELD_NUMBER,
                    ItemErrors.of(ErrorReason.ERROR_REASON_NODE_UNKNOWN, "node " + node + " is unknown (node)"));
            return;
        }
        out.open(WhatIfAnswer.VERDICT_FIELD_NUMBER, SHORT);
        out.number(
                WhatIfVerdict.CODE_FIELD_NUMBER, NodeReasons.code(judged.code()).getNumber());
        Reason reason = judged.reason();
        if (reason != null) {
            out.number(WhatIfVerdict.REASON_FIELD_NUMBER, NodeReasons.of(reason).getNumber());
            out.text(WhatIfVerdict.MESSAGE_FIELD_NUMBER, judged.message());
        }
        for (PodKey unknown : judged.unknown()) {
            out.message(WhatIfVerdict.UNKNOWN_PODS_FIELD_NUMBER, PodReferences.of(unknown));
        }
        out.close();
    }
}
