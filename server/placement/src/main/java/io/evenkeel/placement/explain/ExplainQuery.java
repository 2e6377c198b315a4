package io.evenkeel.placement.explain;

import io.evenkeel.engine.cluster.CandidateNodes;
import io.evenkeel.engine.lock.StopSignal;
import io.evenkeel.engine.model.Overlay;
import io.evenkeel.engine.model.SpreadDefaults;
import io.evenkeel.engine.plan.PlanHold;
import io.evenkeel.engine.plan.PodPlan;
import io.evenkeel.objects.InvalidObjectException;
import io.evenkeel.objects.Violations;
import io.evenkeel.placement.answer.BatchQuery;
import io.evenkeel.placement.call.Limits;
import io.evenkeel.placement.call.Prepared;
import io.evenkeel.placement.call.RequestException;
import io.evenkeel.placement.call.StoppableWork;
import io.evenkeel.placement.query.CandidateBits;
import io.evenkeel.placement.query.OverlayReader;
import io.evenkeel.placement.query.PodPlans;
import io.evenkeel.v1.ExplainRequest;
import io.evenkeel.v1.ExplainResponse;
import java.util.function.BooleanSupplier;

/** Answers Explain: everything that the answer for one pod depends on. Not safe for use by several threads. */
public final class ExplainQuery implements Prepared<ExplainResponse> {
    private static final int DEFAULT_MAX_DOMAINS = 100;
    private static final int DEFAULT_MAX_VERDICTS = 100;

    /**
     * Roughly how many bytes a node takes: its name, verdict, reason, and its domain for each constraint. A domain that
     * is listed takes about as many.
     */
    private static final int BYTES_A_NODE = 200;

    private static final int BYTES_A_SPOT = 30;
    private static final int BYTES_A_DOMAIN = 100;

    private final BatchQuery.Services services;
    private final ExplainRequest request;
    private final CandidateNodes candidates;
    private final PodPlans.Wanted wanted;
    private final Overlay overlay;
    private final int maxDomains;
    private final int maxVerdicts;

    public ExplainQuery(BatchQuery.Services services, ExplainRequest request) {
        this.services = services;
        this.request = request;
        services.access().requireReady();
        services.access().requireLiveState(request.getSession());
        requirePod(request);
        maxDomains = Limits.orDefault(request.getMaxDomains(), DEFAULT_MAX_DOMAINS, "maxDomains");
        maxVerdicts = Limits.orDefault(request.getMaxVerdicts(), DEFAULT_MAX_VERDICTS, "maxVerdicts");
        candidates = services.reader().candidates(request.getCandidates(), "candidates");
        SpreadDefaults ownDefaults = services.reader().ownDefaults(request.getDefaults(), "defaults");
        try {
            wanted = services.plans().readWhole(request.getPod(), ownDefaults);
        } catch (InvalidObjectException e) {
            throw RequestException.invalid(Violations.within("pod", e.violations()));
        }
        OverlayReader.Read read =
                OverlayReader.read(request.getOverlay(), services.limits().pod().entries());
        RequestException wrongOverlay = read.refusal();
        if (wrongOverlay != null) {
            throw wrongOverlay;
        }
        overlay = read.overlay();
    }

    private static void requirePod(ExplainRequest request) {
        switch (request.getSubjectCase()) {
            case POD -> {}
            case POD_REFERENCE -> throw RequestException.notServed("podReference");
            case SUBJECT_NOT_SET -> throw RequestException.invalid("pod", "must be set, or podReference");
        }
    }

    /** Always false: an explanation reads every node and writes much. */
    @Override
    public boolean isShort() {
        return false;
    }

    @Override
    public ExplainResponse answer(BooleanSupplier over) {
        return CandidateBits.checked(
                "candidates", () -> StoppableWork.run(over, "pod.spec.topologySpreadConstraints", this::work));
    }

    private ExplainResponse work(StopSignal stop) {
        services.access().requireReached(request.getFreshness());
        try (PlanHold hold =
                services.access().engine().hold(stop, services.limits().newConstraints())) {
            return explain(hold, stop);
        }
    }

    private ExplainResponse explain(PlanHold hold, StopSignal stop) {
        PodPlan plan = wanted.get(hold);
        admitResponse(plan.pod().constraints().size());
        PodExplainer.Explained explained = new PodExplainer(services.access().engine())
                .explain(request.getPod(), plan, candidates, overlay, maxDomains, maxVerdicts, hold, stop);
        return explained
                .response()
                .setRevision(services.access().revision(explained.revision()))
                .addAllResourceVersions(services.access().told(explained.versions(), request.getFreshness()))
                .build();
    }

    /** Refuses a request whose response would be too large, before anything is computed. */
    private void admitResponse(int constraints) {
        int nodes = services.access().nodes();
        long each = BYTES_A_NODE + (long) constraints * BYTES_A_SPOT;
        long bytes =
                Math.min(nodes, maxVerdicts) * each + (long) Math.min(nodes, maxDomains) * constraints * BYTES_A_DOMAIN;
        long most = services.limits().responseBytes();
        if (bytes > most) {
            throw RequestException.overLimit(
                    "maxVerdicts",
                    "maxVerdicts and maxDomains must be small enough for a response of " + most + " bytes; "
                            + constraints + " constraints on " + nodes + " nodes would take about " + bytes);
        }
    }
}
