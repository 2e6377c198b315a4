package io.evenkeel.placement;

import io.evenkeel.placement.call.Call;
import io.evenkeel.placement.call.EngineAccess;
import io.evenkeel.placement.call.Limits;
import io.evenkeel.placement.call.WireDurations;
import io.evenkeel.v1.ChangeSessionRequest;
import io.evenkeel.v1.ChangeSessionResponse;
import io.evenkeel.v1.CloseSessionRequest;
import io.evenkeel.v1.CloseSessionResponse;
import io.evenkeel.v1.OpenSessionRequest;
import io.evenkeel.v1.OpenSessionResponse;
import io.evenkeel.v1.OperationResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Answers the calls of the {@code Simulation} service, which open, change and close sessions. Thread-safe. */
public final class SimulationHandler {
    private final EngineAccess access;
    private final Sessions sessions;
    private final Limits limits;

    /** @param access the live state */
    SimulationHandler(EngineAccess access, Sessions sessions, Limits limits) {
        this.access = access;
        this.sessions = sessions;
        this.limits = limits;
    }

    /** Opens a session once the live state is as fresh as demanded. */
    public void open(OpenSessionRequest request, Call<OpenSessionResponse> call) {
        call.attempt(() -> {
            access.requireReady();
            Duration idle = idle(request);
            Object caller = call.pool().caller();
            int bytes = request.getSerializedSize();
            CompletableFuture<Void> reached = access.gate()
                    .reach(
                            request.getFreshness(),
                            call.patience(),
                            caller,
                            call.pool().waitingBytes(bytes));
            call.onStop(() -> reached.cancel(false));
            CompletableFuture<Void> unused = reached.whenComplete((nothing, error) -> {
                if (error == null) {
                    // Not in this thread, which may belong to the writer.
                    call.pool().later(caller, bytes, () -> call.attempt(() -> open(request, idle, call)), call::fail);
                } else {
                    call.fail(error);
                }
            });
        });
    }

    private Duration idle(OpenSessionRequest request) {
        WireDurations.requireValid(request.getIdleTimeout(), "idleTimeout");
        Duration asked = WireDurations.of(request.getIdleTimeout());
        return asked.isZero() || asked.compareTo(limits.sessionIdle()) > 0 ? limits.sessionIdle() : asked;
    }

    private void open(OpenSessionRequest request, Duration idle, Call<OpenSessionResponse> call) {
        call.check();
        access.requireReached(request.getFreshness());
        Session session = sessions.open(call.identity(), idle);
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
                    .change(request.getOperationsList(), results));
            return response.addAllResults(results).build();
        });
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
