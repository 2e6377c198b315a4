package io.evenkeel.cli;

import com.google.protobuf.MessageLite;
import io.evenkeel.client.ErrorCode;
import io.evenkeel.client.Payload;
import io.evenkeel.client.PlacementException;
import io.evenkeel.client.ProtocolMethod;
import io.evenkeel.client.Transport;
import io.evenkeel.placement.Instance;
import io.evenkeel.placement.PlacementHandler;
import io.evenkeel.placement.SimulationHandler;
import io.evenkeel.placement.call.Call;
import io.evenkeel.placement.call.RequestException;
import io.evenkeel.placement.call.TaskPool;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Carries the unary calls that commands make to the handlers of an instance in this process. The caller's thread does
 * all work, without a deadline. Not thread-safe.
 */
final class InstanceTransport implements Transport {
    private final Instance instance;
    private final Map<ProtocolMethod<?, ?>, BiConsumer<MessageLite, Call<MessageLite>>> methods = new HashMap<>();

    /** @param instance is closed with the transport */
    InstanceTransport(Instance instance) {
        this.instance = instance;
        PlacementHandler placement = instance.placement();
        add(ProtocolMethod.PREEMPT, placement.preempt()::handleMessage);
        add(ProtocolMethod.EXPLAIN, placement.explain()::handleMessage);
        add(ProtocolMethod.LIST_SPREAD, placement.listSpread()::handleMessage);
        add(ProtocolMethod.RANK_VICTIMS, placement.rankVictims()::handleMessage);
        add(ProtocolMethod.ESTIMATE_NODES, placement.estimateNodes()::handleMessage);
        add(ProtocolMethod.PLACE_GROUP, placement.placeGroup()::handleMessage);
        add(ProtocolMethod.SIMULATE_REMOVAL, placement.simulateRemoval()::handleMessage);
        add(ProtocolMethod.REBALANCE, placement.rebalance()::handleMessage);
        SimulationHandler simulation = instance.simulation();
        add(ProtocolMethod.OPEN_SESSION, simulation::open);
        add(ProtocolMethod.CHANGE_SESSION, simulation::change);
        add(ProtocolMethod.CLOSE_SESSION, simulation::close);
        add(ProtocolMethod.SCHEDULE, simulation::schedule);
    }

    @SuppressWarnings("unchecked") // The method links the types.
    private <Q extends MessageLite, A extends MessageLite> void add(
            ProtocolMethod<Q, A> method, BiConsumer<Q, Call<A>> handle) {
        methods.put(method, (request, call) -> handle.accept((Q) request, (Call<A>) (Call<?>) call));
    }

    @Override
    @SuppressWarnings("unchecked") // The method links the types.
    public <Q extends MessageLite, A extends MessageLite> A call(
            ProtocolMethod<Q, A> method, Payload<Q> request, Duration deadline) {
        BiConsumer<MessageLite, Call<MessageLite>> handle = methods.get(method);
        if (handle == null) {
            throw new UnsupportedOperationException(method.fullName());
        }
        DirectCall call = new DirectCall();
        call.attempt(() -> handle.accept(Objects.requireNonNull(request.message()), call));
        return (A) call.result();
    }

    @Override
    public <Q extends MessageLite, A extends MessageLite> Runnable start(
            ProtocolMethod<Q, A> method, Payload<Q> request, Duration deadline, Answers<A> answers) {
        throw new UnsupportedOperationException("commands wait for each answer");
    }

    @Override
    public <Q extends MessageLite, A extends MessageLite> Exchange<Q> open(
            ProtocolMethod<Q, A> method, Answers<A> answers) {
        throw new UnsupportedOperationException("commands open no streams");
    }

    @Override
    public void close(Duration grace) {
        instance.close();
    }

    /** A call that is answered before it returns, because no command demands a newer state. */
    private static final class DirectCall implements Call<MessageLite>, TaskPool {
        private @Nullable MessageLite answer;
        private @Nullable Throwable failure;

        MessageLite result() {
            Throwable why = failure;
            if (why instanceof RequestException refused) {
                throw new PlacementException(
                        ErrorCode.of(refused.code().number()),
                        refused.reason(),
                        refused.getMessage(),
                        refused.violations(),
                        refused.reached(),
                        refused);
            }
            if (why != null) {
                throw new IllegalStateException(why);
            }
            return Objects.requireNonNull(answer);
        }

        @Override
        public void answer(MessageLite given) {
            answer = given;
        }

        @Override
        public void fail(Throwable why) {
            failure = why;
        }

        @Override
        public boolean isStopped() {
            return false;
        }

        @Override
        public void onStop(Runnable action) {}

        @Override
        public Duration patience() {
            return Duration.ofDays(1);
        }

        @Override
        public Object identity() {
            return DirectCall.class;
        }

        @Override
        public TaskPool pool() {
            return this;
        }

        @Override
        public void execute(Runnable task, Consumer<Throwable> refused) {
            task.run();
        }

        @Override
        public void later(Object caller, int bytes, Runnable task, Consumer<Throwable> refused) {
            task.run();
        }

        @Override
        public Object caller() {
            return this;
        }
    }
}
