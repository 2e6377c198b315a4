package io.evenkeel.placement;

import com.google.protobuf.MessageLite;
import io.evenkeel.engine.lock.StopSignal;
import io.evenkeel.engine.simulation.Scheduler;
import io.evenkeel.objects.PodScanner;
import io.evenkeel.placement.call.Call;
import io.evenkeel.placement.call.EngineAccess;
import io.evenkeel.placement.call.Limits;
import io.evenkeel.placement.call.RequestException;
import io.evenkeel.placement.call.WireDurations;
import io.evenkeel.placement.query.PodPlans;
import io.evenkeel.v1.ChangeSessionRequest;
import io.evenkeel.v1.ChangeSessionResponse;
import io.evenkeel.v1.CloseSessionRequest;
import io.evenkeel.v1.CloseSessionResponse;
import io.evenkeel.v1.Freshness;
import io.evenkeel.v1.OpenSessionRequest;
import io.evenkeel.v1.OpenSessionResponse;
import io.evenkeel.v1.OperationResult;
import io.evenkeel.v1.ScheduleRequest;
import io.evenkeel.v1.ScheduleResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Answers the calls of the {@code Simulation} service, which open, change and close sessions. Thread-safe. */
public final class SimulationHandler {
    private final EngineAccess access;
    private final Sessions sessions;
    private final Limits limits;
    private final PodPlans plans;
    private final InstanceOptions options;

    /**
     * @param access the live state
     * @param plans of the live state
     */
    SimulationHandler(EngineAccess access, Sessions sessions, PodPlans plans, InstanceOptions options) {
        this.plans = plans;
        this.options = options;
        this.access = access;
        this.sessions = sessions;
        this.limits = options.limits();
    }

    /** Opens a session once the live state is as fresh as demanded. */
    public void open(OpenSessionRequest request, Call<OpenSessionResponse> call) {
        call.attempt(() -> {
            access.requireReady();
            Duration idle = idle(request);
            afterReaching(request.getFreshness(), request, call, () -> open(idle, call));
        });
    }

    /** Does the work of a call on the pool, once the live state is as fresh as demanded. */
    private void afterReaching(Freshness demanded, MessageLite request, Call<?> call, Runnable work) {
        access.whenReached(demanded, request.getSerializedSize(), call, () -> {
            access.requireReached(demanded);
            work.run();
        });
    }

    private Duration idle(OpenSessionRequest request) {
        WireDurations.requireValid(request.getIdleTimeout(), "idleTimeout");
        Duration asked = WireDurations.of(request.getIdleTimeout());
        return asked.isZero() || asked.compareTo(limits.sessionIdle()) > 0 ? limits.sessionIdle() : asked;
    }

    private void open(Duration idle, Call<OpenSessionResponse> call) {
        SessionCluster session = sessions.open(call.identity(), idle);
        call.answer(OpenSessionResponse.newBuilder()
                .setSession(session.id())
                .setRevision(session.revision())
                .setIdleTimeout(WireDurations.ofNanos(idle.toNanos()))
                .build());
    }

    /** Makes operations in a session. */
    public void change(ChangeSessionRequest request, Call<ChangeSessionResponse> call) {
        call.answerWith(false, () -> {
            Limits.admit(request.getOperationsCount(), limits.events(), "operations");
            List<OperationResult> results = new ArrayList<>(request.getOperationsCount());
            ChangeSessionResponse.Builder response = ChangeSessionResponse.newBuilder();
            response.setRevision(sessions.require(request.getSession(), call.identity())
                    .change(request.getOperationsList(), results, call));
            return response.addAllResults(results).build();
        });
    }

    /** Places pods in a session or, without one, in a copy of the live state. */
    public void schedule(ScheduleRequest request, Call<ScheduleResponse> call) {
        call.attempt(() -> {
            ScheduleCall.admit(request, limits, ScheduleCall.MAX_PODS);
            if (request.hasTimeToLive()) {
                throw RequestException.invalid("timeToLive", "must be unset, because Schedule assumes no pods");
            }
            if (request.getSession().isEmpty()) {
                access.requireReady();
                afterReaching(request.getFreshness(), request, call, () -> scheduleInCopy(request, call));
                return;
            }
            if (request.hasFreshness()) {
                throw RequestException.invalid("freshness", "must be unset for a session");
            }
            SessionCluster session = sessions.require(request.getSession(), call.identity());
            call.answerWith(false, () -> session.schedule(request, call));
        });
    }

    private void scheduleInCopy(ScheduleRequest request, Call<ScheduleResponse> call) {
        SessionCluster session = sessions.ofOneCall(call.identity());
        try {
            call.answer(session.schedule(request, call));
        } finally {
            session.close("was for one call");
        }
    }

    /** Places pods in the live state, as assumptions. */
    public void scheduleAndAssume(ScheduleRequest request, Call<ScheduleResponse> call) {
        call.attempt(() -> {
            ScheduleCall.admit(request, limits, ScheduleCall.maxAssumed(request));
            if (!request.getSession().isEmpty()) {
                throw RequestException.invalid("session", "must be empty, because pods are assumed in the live state");
            }
            Duration timeToLive = AssumptionCalls.timeToLive(request.getTimeToLive(), options);
            access.requireReady();
            afterReaching(
                    request.getFreshness(), request, call, () -> call.answer(scheduleLive(request, timeToLive, call)));
        });
    }

    private ScheduleResponse scheduleLive(ScheduleRequest request, @Nullable Duration timeToLive, StopSignal stop) {
        return new ScheduleCall(access, plans, limits, request, stop)
                .run(
                        (item, count) -> {
                            if (count > 1) {
                                throw RequestException.invalid("count", "must be 1 for pods to assume, was " + count);
                            }
                            return PodScanner.assumed(item.getPod());
                        },
                        (items, rule, refusals) -> new Scheduler(
                                        access.engine(), items, rule, request.getNodeOrderList(), refusals, stop)
                                .assume(timeToLive));
    }

    /** Closes a session. */
    public void close(CloseSessionRequest request, Call<CloseSessionResponse> call) {
        call.answerWith(true, () -> {
            sessions.close(request.getSession(), call.identity());
            return CloseSessionResponse.getDefaultInstance();
        });
    }

    /** How many sessions are open. */
    public int openSessions() {
        return sessions.size();
    }
}
