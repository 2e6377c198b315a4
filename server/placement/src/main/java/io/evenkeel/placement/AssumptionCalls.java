package io.evenkeel.placement;

import io.evenkeel.engine.memory.CapacityException;
import io.evenkeel.engine.model.Assumption;
import io.evenkeel.engine.model.PodRecord;
import io.evenkeel.objects.InvalidObjectException;
import io.evenkeel.objects.PodScanner;
import io.evenkeel.placement.call.EngineAccess;
import io.evenkeel.placement.call.ItemErrors;
import io.evenkeel.placement.call.Limits;
import io.evenkeel.placement.call.RequestException;
import io.evenkeel.placement.call.WireDurations;
import io.evenkeel.placement.change.Feeder;
import io.evenkeel.placement.change.Refusals;
import io.evenkeel.v1.AssumeRequest;
import io.evenkeel.v1.AssumeResponse;
import io.evenkeel.v1.AssumedPod;
import io.evenkeel.v1.ErrorReason;
import io.evenkeel.v1.ForgetRequest;
import io.evenkeel.v1.ForgetResponse;
import io.evenkeel.v1.Refusal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Answers {@code Assume} and {@code Forget}, with which callers announce the pods that they are about to bind, and
 * revoke those that they will not bind after all. Both throw {@link RequestException} if the whole request is rejected.
 * Thread-safe.
 */
final class AssumptionCalls {
    private final EngineAccess access;
    private final InstanceOptions options;

    /** The number of assumed pods, by outcome. */
    private final LongAdder[] outcomes =
            Stream.generate(LongAdder::new).limit(Assumption.values().length).toArray(LongAdder[]::new);

    AssumptionCalls(EngineAccess access, InstanceOptions options) {
        this.access = access;
        this.options = options;
    }

    AssumeResponse assume(AssumeRequest request) {
        Limits.admit(request.getPodsCount(), options.limits().events(), "pods");
        Duration timeToLive = timeToLive(request.getTimeToLive(), options);
        AssumeResponse.Builder response = AssumeResponse.newBuilder();
        List<Assumed> slice = new ArrayList<>(Feeder.SLICE);
        Set<String> unknownNodes = new LinkedHashSet<>();
        long revision = access.engine().revision();
        for (int i = 0; i < request.getPodsCount(); i++) {
            AssumedPod each = request.getPods(i);
            try {
                PodRecord pod = PodScanner.assumed(each.getPod());
                String wrong = NodeNames.wrong(each.getNode());
                if (wrong != null) {
                    response.addRefusals(
                            Refusals.of(i, each.getPod().getMetadata(), ItemErrors.invalid("node", wrong)));
                } else {
                    slice.add(new Assumed(i, each, pod));
                }
            } catch (InvalidObjectException e) {
                response.addRefusals(Refusals.of(i, each.getPod().getMetadata(), ItemErrors.invalid(e, "pod")));
            }
            if (slice.size() == Feeder.SLICE || i == request.getPodsCount() - 1) {
                revision = access.engine().write(writer -> {
                    for (Assumed assumed : slice) {
                        try {
                            Assumption assumption = writer.assume(assumed.pod, assumed.message.getNode(), timeToLive);
                            if (assumption == Assumption.NODE_UNKNOWN) {
                                unknownNodes.add(assumed.message.getNode());
                            }
                            outcomes[assumption.ordinal()].increment();
                            assumed.note(assumption, response);
                        } catch (CapacityException full) {
                            response.addRefusals(Refusals.of(
                                    assumed.position,
                                    assumed.message.getPod().getMetadata(),
                                    ItemErrors.of(ErrorReason.ERROR_REASON_STATE_FULL, full)));
                        }
                    }
                });
                slice.clear();
            }
        }
        return response.addAllUnknownNodes(unknownNodes)
                .setRevision(access.revision(revision))
                .build();
    }

    /** The number of pods assumed so far with this outcome, without rejected ones. */
    long count(Assumption outcome) {
        return outcomes[outcome.ordinal()].sum();
    }

    /** A pod of an AssumeRequest, and its position in the request. */
    private record Assumed(int position, AssumedPod message, PodRecord pod) {
        void note(Assumption assumption, AssumeResponse.Builder response) {
            response.setAssumedCount(response.getAssumedCount() + (assumption.isAssumed() ? 1 : 0));
            switch (assumption) {
                case COUNTED, NODE_UNKNOWN -> {}
                case NOT_COUNTED -> response.addUncountedUids(pod.uid());
                case ALREADY_BOUND -> response.addBoundUids(pod.uid());
                case BOUND_TO_ANOTHER_NODE ->
                    response.addBoundUids(pod.uid())
                            .addRefusals(refusal(
                                    ErrorReason.ERROR_REASON_POD_BOUND,
                                    "the pod is already bound to another node (node)"));
                case DELETED ->
                    response.addRefusals(refusal(
                            ErrorReason.ERROR_REASON_POD_DELETED, "the pod was recently deleted (pod.metadata.uid)"));
            }
        }

        private Refusal refusal(ErrorReason reason, String text) {
            return Refusals.of(position, message.getPod().getMetadata(), ItemErrors.of(reason, text));
        }
    }

    /** The lifetime of a request's assumptions; null means forever, as do durations longer than any process runs. */
    static @Nullable Duration timeToLive(com.google.protobuf.Duration given, InstanceOptions options) {
        WireDurations.requireValid(given, "timeToLive");
        Duration asked = WireDurations.of(given);
        Duration lifetime = asked.isZero() ? options.assumptionLifetime() : asked;
        return lifetime.isZero() || lifetime.compareTo(Limits.LONGEST) >= 0 ? null : lifetime;
    }

    ForgetResponse forget(ForgetRequest request) {
        Limits.admit(request.getUidsCount(), options.limits().events(), "uids");
        int[] forgotten = new int[1];
        long revision = access.engine().revision();
        for (int from = 0; from < request.getUidsCount(); from += Feeder.SLICE) {
            List<String> slice =
                    request.getUidsList().subList(from, Math.min(request.getUidsCount(), from + Feeder.SLICE));
            revision = access.engine().write(writer -> {
                for (String uid : slice) {
                    forgotten[0] += writer.forget(uid) ? 1 : 0;
                }
            });
        }
        return ForgetResponse.newBuilder()
                .setRevision(access.revision(revision))
                .setForgottenCount(forgotten[0])
                .build();
    }
}
