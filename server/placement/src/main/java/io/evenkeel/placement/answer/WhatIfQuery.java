package io.evenkeel.placement.answer;

import io.evenkeel.engine.lock.StopSignal;
import io.evenkeel.engine.model.Overlay;
import io.evenkeel.engine.model.PodKey;
import io.evenkeel.engine.model.PodObject;
import io.evenkeel.engine.model.Reason;
import io.evenkeel.engine.model.SpreadDefaults;
import io.evenkeel.engine.plan.PlanHold;
import io.evenkeel.engine.whatif.WhatIfCase;
import io.evenkeel.objects.InvalidObjectException;
import io.evenkeel.placement.call.ErrorCode;
import io.evenkeel.placement.call.ItemErrors;
import io.evenkeel.placement.call.Limits;
import io.evenkeel.placement.call.Prepared;
import io.evenkeel.placement.call.StoppableWork;
import io.evenkeel.placement.query.PodPlans;
import io.evenkeel.v1.ItemError;
import io.evenkeel.v1.ObjectMeta;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.PodRef;
import io.evenkeel.v1.WhatIf;
import io.evenkeel.v1.WhatIfAnswer;
import io.evenkeel.v1.WhatIfRequest;
import io.evenkeel.v1.WhatIfResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** Answers a batch of what-if cases, all from one revision. Not safe for use by several threads. */
public final class WhatIfQuery implements Prepared<WhatIfResponse> {
    private static final String DEFAULT_NAMESPACE = "default";
    private static final int FEW_CASES = 32;
    private static final int FEW_PODS_CHANGED = 256;

    private final BatchQuery.Services services;
    private final WhatIfRequest request;
    private final @Nullable SpreadDefaults ownDefaults;
    private final @Nullable List<Entry> entries;

    /** A case of the batch: the question, or the error for which it has no answer. */
    private record Entry(
            PodPlans.@Nullable Wanted wanted, @Nullable ItemError error) {}

    public WhatIfQuery(BatchQuery.Services services, WhatIfRequest request) {
        this.services = services;
        this.request = request;
        services.access().requireReady();
        Limits.admit(request.getCasesCount(), services.limits().cases(), "cases");
        ownDefaults = services.reader().ownDefaults(request.getDefaults(), "defaults");
        entries = request.getCasesCount() <= FEW_CASES ? read() : null;
    }

    private List<Entry> read() {
        List<Entry> read = new ArrayList<>(request.getCasesCount());
        for (WhatIf each : request.getCasesList()) {
            read.add(read(each));
        }
        return read;
    }

    private Entry read(WhatIf each) {
        if (each.getNode().isEmpty()) {
            return new Entry(null, ItemErrors.invalid("node", "must not be empty"));
        }
        int most = services.limits().pod().entries();
        if (each.getRemoveCount() > most || each.getAddCount() > most) {
            boolean remove = each.getRemoveCount() > most;
            return new Entry(
                    null,
                    ItemErrors.invalid(
                            remove ? "remove" : "add",
                            "must have at most " + most + " entries, had "
                                    + (remove ? each.getRemoveCount() : each.getAddCount())));
        }
        for (int i = 0; i < each.getRemoveCount(); i++) {
            PodRef ref = each.getRemove(i);
            if (ref.getUid().isEmpty() && ref.getName().isEmpty()) {
                return new Entry(null, ItemErrors.invalid("remove[" + i + "]", "must have a uid or a name"));
            }
        }
        try {
            return new Entry(services.plans().read(each.getPod(), ownDefaults), null);
        } catch (InvalidObjectException e) {
            return new Entry(null, ItemErrors.invalid(e, "pod"));
        }
    }

    @Override
    public boolean isShort() {
        int changed = 0;
        for (WhatIf each : request.getCasesList()) {
            changed += each.getRemoveCount() + each.getAddCount();
        }
        return changed <= FEW_PODS_CHANGED
                && entries != null
                && entries.stream().allMatch(entry -> entry.wanted == null || entry.wanted.find());
    }

    @Override
    public WhatIfResponse answer(BooleanSupplier over) {
        return StoppableWork.run(over, this::work);
    }

    private WhatIfResponse work(StopSignal stop) {
        services.access().requireReached(request.getAtLeast());
        List<Entry> all = entries == null ? read() : entries;
        long constraints = 0;
        for (Entry entry : all) {
            constraints += entry.wanted == null ? 0 : entry.wanted.constraints();
        }
        services.limits().admitConstraints(constraints, "cases");
        try (PlanHold hold =
                services.access().engine().hold(stop, services.limits().newConstraints())) {
            PodPlans.take(
                    all.size(),
                    place -> all.get(place).wanted,
                    hold,
                    (refused, place) -> all.set(place, new Entry(null, ItemErrors.of(refused))));
            return judge(all, stop);
        }
    }

    /** Answers the cases that were not refused. Their plans must have been found. */
    private WhatIfResponse judge(List<Entry> all, StopSignal stop) {
        List<WhatIfCase> cases = new ArrayList<>(all.size());
        for (int i = 0; i < all.size(); i++) {
            PodPlans.Wanted wanted = all.get(i).wanted;
            if (wanted != null) {
                WhatIf each = request.getCases(i);
                cases.add(new WhatIfCase(wanted.plan(), each.getNode(), overlay(each)));
            }
        }
        long revision = services.access().engine().revision();
        List<io.evenkeel.engine.whatif.WhatIfResult> judged =
                services.access().engine().whatIf(cases, stop);
        WhatIfResponse.Builder response = WhatIfResponse.newBuilder()
                .setRevision(services.access()
                        .revision(judged.isEmpty() ? revision : judged.get(0).revision()));
        int next = 0;
        for (int i = 0; i < all.size(); i++) {
            Entry entry = all.get(i);
            response.addAnswers(
                    entry.wanted == null
                            ? refused(Objects.requireNonNull(entry.error))
                            : written(judged.get(next++), request.getCases(i)));
        }
        return response.build();
    }

    private static WhatIfAnswer refused(ItemError error) {
        return WhatIfAnswer.newBuilder().setError(error).build();
    }

    private static WhatIfAnswer written(io.evenkeel.engine.whatif.WhatIfResult judged, WhatIf asked) {
        if (!judged.knownNode()) {
            return refused(ItemErrors.of(ErrorCode.NOT_FOUND, "node " + asked.getNode() + " is not known (node)"));
        }
        WhatIfAnswer.Builder answer = WhatIfAnswer.newBuilder().setCode(NodeCodes.of(judged.code()));
        Reason reason = judged.reason();
        if (reason != null) {
            answer.setReason(reason.text());
        }
        for (PodKey unknown : judged.unknown()) {
            answer.addUnknown(PodRef.newBuilder()
                    .setUid(unknown.uid())
                    .setNamespace(unknown.namespace())
                    .setName(unknown.name()));
        }
        return answer.build();
    }

    private static Overlay overlay(WhatIf each) {
        return new Overlay(
                each.getRemoveList().stream().map(WhatIfQuery::key).toList(),
                each.getAddList().stream().map(WhatIfQuery::added).toList());
    }

    public static PodKey key(PodRef ref) {
        return ref.getUid().isEmpty()
                ? PodKey.ofName(namespace(ref.getNamespace()), ref.getName())
                : PodKey.ofUid(ref.getUid());
    }

    /** A pod that the case adds to the cluster. It needs neither a name nor a UID. */
    private static Overlay.Added added(Pod pod) {
        ObjectMeta metadata = pod.getMetadata();
        String phase = pod.getStatus().getPhase();
        return new Overlay.InFull(new PodObject(
                namespace(metadata.getNamespace()),
                metadata.getName(),
                metadata.getUid(),
                0,
                metadata.getLabelsMap(),
                pod.getSpec().getNodeName(),
                metadata.hasDeletionTimestamp(),
                phase.equals("Succeeded") || phase.equals("Failed")));
    }

    private static String namespace(String name) {
        return name.isEmpty() ? DEFAULT_NAMESPACE : name;
    }
}
