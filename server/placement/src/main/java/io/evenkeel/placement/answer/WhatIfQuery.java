package io.evenkeel.placement.answer;

import io.evenkeel.engine.lock.StopSignal;
import io.evenkeel.engine.model.PodKey;
import io.evenkeel.engine.model.PodObject;
import io.evenkeel.engine.model.Reason;
import io.evenkeel.engine.model.SpreadDefaults;
import io.evenkeel.engine.plan.PlanHold;
import io.evenkeel.engine.plan.PodPlan;
import io.evenkeel.engine.whatif.WhatIfResult;
import io.evenkeel.objects.InvalidObjectException;
import io.evenkeel.objects.Violations;
import io.evenkeel.placement.call.ItemErrors;
import io.evenkeel.placement.call.Limits;
import io.evenkeel.placement.call.Prepared;
import io.evenkeel.placement.call.RequestException;
import io.evenkeel.placement.call.StoppableWork;
import io.evenkeel.placement.query.PodPlans;
import io.evenkeel.v1.AddedPod;
import io.evenkeel.v1.ErrorReason;
import io.evenkeel.v1.ItemError;
import io.evenkeel.v1.ObjectMeta;
import io.evenkeel.v1.Overlay;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.PodReference;
import io.evenkeel.v1.WhatIfAnswer;
import io.evenkeel.v1.WhatIfCase;
import io.evenkeel.v1.WhatIfRequest;
import io.evenkeel.v1.WhatIfResponse;
import io.evenkeel.v1.WhatIfVerdict;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** Answers a batch of what-if cases of one pod, all from one revision. Not safe for use by several threads. */
public final class WhatIfQuery implements Prepared<WhatIfResponse> {
    private static final String DEFAULT_NAMESPACE = "default";
    private static final int FEW_CASES = 32;
    private static final int FEW_PODS_CHANGED = 256;

    private final BatchQuery.Services services;
    private final WhatIfRequest request;
    private final PodPlans.Wanted wanted;

    public WhatIfQuery(BatchQuery.Services services, WhatIfRequest request) {
        this.services = services;
        this.request = request;
        services.access().requireReady();
        services.access().requireLiveState(request.getSession());
        Limits.admit(request.getCasesCount(), services.limits().cases(), "cases");
        SpreadDefaults ownDefaults = services.reader().ownDefaults(request.getDefaults(), "defaults");
        try {
            wanted = services.plans().read(request.getPod(), ownDefaults);
        } catch (InvalidObjectException e) {
            throw RequestException.invalid(Violations.within("pod", e.violations()));
        }
        services.limits().admitConstraints(wanted.constraints(), "pod");
    }

    /** Why a case has no answer; null where nothing is wrong with it. */
    private @Nullable ItemError wrong(WhatIfCase each) {
        if (each.getNode().isEmpty()) {
            return ItemErrors.invalid("node", "must not be empty");
        }
        Overlay overlay = each.getOverlay();
        int most = services.limits().pod().entries();
        if (overlay.getWithoutCount() > most || overlay.getAddCount() > most) {
            boolean without = overlay.getWithoutCount() > most;
            return ItemErrors.invalid(
                    without ? "overlay.without" : "overlay.add",
                    "must have at most " + most + " entries, had "
                            + (without ? overlay.getWithoutCount() : overlay.getAddCount()));
        }
        for (int i = 0; i < overlay.getWithoutCount(); i++) {
            if (isNameless(overlay.getWithout(i))) {
                return ItemErrors.invalid("overlay.without[" + i + "]", "must have a uid or a name");
            }
        }
        for (int i = 0; i < overlay.getAddCount(); i++) {
            AddedPod added = overlay.getAdd(i);
            if (added.hasReference()) {
                return ItemErrors.of(RequestException.notServed("overlay.add[" + i + "].reference"));
            }
            if (!added.hasObject()) {
                return ItemErrors.invalid("overlay.add[" + i + "]", "must have an object or a reference");
            }
        }
        return null;
    }

    /** Whether a reference names no pod. */
    public static boolean isNameless(PodReference reference) {
        return reference.getUid().isEmpty() && reference.getName().isEmpty();
    }

    @Override
    public boolean isShort() {
        if (request.getCasesCount() > FEW_CASES) {
            return false;
        }
        int changed = 0;
        for (WhatIfCase each : request.getCasesList()) {
            changed += each.getOverlay().getWithoutCount() + each.getOverlay().getAddCount();
        }
        return changed <= FEW_PODS_CHANGED && wanted.find();
    }

    @Override
    public WhatIfResponse answer(BooleanSupplier over) {
        return StoppableWork.run(over, this::work);
    }

    private WhatIfResponse work(StopSignal stop) {
        services.access().requireReached(request.getFreshness());
        try (PlanHold hold =
                services.access().engine().hold(stop, services.limits().newConstraints())) {
            return judge(wanted.get(hold), stop);
        }
    }

    private WhatIfResponse judge(PodPlan plan, StopSignal stop) {
        List<@Nullable ItemError> errors = new ArrayList<>(request.getCasesCount());
        List<io.evenkeel.engine.whatif.WhatIfCase> cases = new ArrayList<>(request.getCasesCount());
        for (WhatIfCase each : request.getCasesList()) {
            ItemError error = wrong(each);
            errors.add(error);
            if (error == null) {
                cases.add(new io.evenkeel.engine.whatif.WhatIfCase(plan, each.getNode(), overlay(each.getOverlay())));
            }
        }
        long revision = services.access().engine().revision();
        List<WhatIfResult> judged = services.access().engine().whatIf(cases, stop);
        WhatIfResponse.Builder response = WhatIfResponse.newBuilder()
                .setRevision(services.access()
                        .revision(judged.isEmpty() ? revision : judged.get(0).revision()));
        int next = 0;
        for (int i = 0; i < errors.size(); i++) {
            ItemError error = errors.get(i);
            response.addAnswers(error == null ? written(judged.get(next++), request.getCases(i)) : refused(error));
        }
        return response.build();
    }

    private static WhatIfAnswer refused(ItemError error) {
        return WhatIfAnswer.newBuilder().setError(error).build();
    }

    private static WhatIfAnswer written(WhatIfResult judged, WhatIfCase asked) {
        if (!judged.knownNode()) {
            return refused(ItemErrors.of(
                    ErrorReason.ERROR_REASON_NODE_UNKNOWN, "node " + asked.getNode() + " is not known (node)"));
        }
        WhatIfVerdict.Builder verdict = WhatIfVerdict.newBuilder().setCode(NodeCodes.of(judged.code()));
        Reason reason = judged.reason();
        if (reason != null) {
            verdict.setReason(NodeCodes.of(reason)).setMessage(reason.text());
        }
        for (PodKey unknown : judged.unknown()) {
            verdict.addUnknownPods(PodReference.newBuilder()
                    .setUid(unknown.uid())
                    .setNamespace(unknown.namespace())
                    .setName(unknown.name()));
        }
        return WhatIfAnswer.newBuilder().setVerdict(verdict).build();
    }

    private static io.evenkeel.engine.model.Overlay overlay(Overlay asked) {
        return new io.evenkeel.engine.model.Overlay(
                asked.getWithoutList().stream().map(WhatIfQuery::key).toList(),
                asked.getAddList().stream().map(WhatIfQuery::added).toList());
    }

    public static PodKey key(PodReference reference) {
        return reference.getUid().isEmpty()
                ? PodKey.ofName(namespace(reference.getNamespace()), reference.getName())
                : PodKey.ofUid(reference.getUid());
    }

    /** A pod that the case adds to the cluster. It needs neither a name nor a UID. */
    private static io.evenkeel.engine.model.Overlay.Added added(AddedPod added) {
        Pod pod = added.getObject();
        ObjectMeta metadata = pod.getMetadata();
        String phase = pod.getStatus().getPhase();
        return new io.evenkeel.engine.model.Overlay.InFull(new PodObject(
                namespace(metadata.getNamespace()),
                metadata.getName(),
                metadata.getUid(),
                0,
                metadata.getLabelsMap(),
                added.getNode().isEmpty() ? pod.getSpec().getNodeName() : added.getNode(),
                metadata.hasDeletionTimestamp(),
                phase.equals("Succeeded") || phase.equals("Failed")));
    }

    private static String namespace(String name) {
        return name.isEmpty() ? DEFAULT_NAMESPACE : name;
    }
}
