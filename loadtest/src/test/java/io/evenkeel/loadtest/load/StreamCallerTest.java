package io.evenkeel.loadtest.load;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.evenkeel.v1.EvaluateStreamRequest;
import io.evenkeel.v1.EvaluateStreamResponse;
import io.evenkeel.v1.PlacementGrpc;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.QueryOptions;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class StreamCallerTest {
    private static final PlacementGrpc.PlacementImplBase ANSWERS = new PlacementGrpc.PlacementImplBase() {
        @Override
        public StreamObserver<EvaluateStreamRequest> evaluateStream(StreamObserver<EvaluateStreamResponse> answers) {
            return new BreakingStream(answers, 10);
        }
    };

    private static @Nullable Fault fault(Duration timeout) throws IOException, InterruptedException {
        BlockingQueue<AtomicReference<@Nullable Fault>> over = new ArrayBlockingQueue<>(1);
        try (ScriptedPlacementServer server = ScriptedPlacementServer.start(ANSWERS);
                DirectChannel connection = new DirectChannel(server.target());
                StreamCaller<?, ?> caller = new StreamCaller<>(
                        connection.channel(),
                        LoadQuestions.evaluateStream(
                                List.of(List.of(Pod.getDefaultInstance())), QueryOptions.getDefaultInstance()),
                        timeout,
                        Clock.SYSTEM)) {
            caller.call(fault -> over.add(new AtomicReference<>(fault)));
            AtomicReference<@Nullable Fault> ended = over.poll(1, TimeUnit.MINUTES);
            assertNotNull(ended);
            return ended.get();
        }
    }

    @Test
    void answer_hasFailed_whenItTookLongerThanItMay() throws Exception {
        Fault fault = fault(Duration.ofNanos(1));
        assertNotNull(fault);
        assertEquals("DEADLINE_EXCEEDED", fault.status());
    }

    @Test
    void answer_isWell_whenItCameInTime() throws Exception {
        assertNull(fault(Duration.ofMinutes(1)));
    }
}
