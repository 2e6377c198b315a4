package io.evenkeel.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.Any;
import com.google.rpc.BadRequest;
import com.google.rpc.ErrorInfo;
import com.google.rpc.RetryInfo;
import io.evenkeel.client.remote.RemotePlacement;
import io.evenkeel.v1.ApplyRequest;
import io.evenkeel.v1.ApplyResponse;
import io.evenkeel.v1.AssumeRequest;
import io.evenkeel.v1.AssumeResponse;
import io.evenkeel.v1.ClusterStateGrpc;
import io.evenkeel.v1.ErrorReason;
import io.evenkeel.v1.EvaluateRequest;
import io.evenkeel.v1.FieldViolation;
import io.evenkeel.v1.FilterRequest;
import io.evenkeel.v1.FilterResponse;
import io.evenkeel.v1.PlacementGrpc;
import io.evenkeel.v1.WhatIfRequest;
import io.evenkeel.v1.WhatIfResponse;
import io.grpc.Context;
import io.grpc.Status;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.protobuf.StatusProto;
import io.grpc.protobuf.services.HealthStatusManager;
import io.grpc.stub.StreamObserver;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests how a remote client handles servers that fail. */
@Timeout(60)
final class RemoteFaultsTest {
    private static final FilterRequest QUESTION = FilterRequest.getDefaultInstance();

    /** Fails the first calls of any method with a status, and answers the later ones. */
    private static final class Failing extends PlacementGrpc.PlacementImplBase {
        private final Status status;
        private final AtomicInteger left;
        private final AtomicInteger calls = new AtomicInteger();

        Failing(Status status, int times) {
            this.status = status;
            left = new AtomicInteger(times);
        }

        @Override
        public void filter(FilterRequest request, StreamObserver<FilterResponse> answer) {
            answer(FilterResponse.getDefaultInstance(), answer);
        }

        <A> void answer(A value, StreamObserver<A> answer) {
            calls.incrementAndGet();
            if (left.getAndDecrement() > 0) {
                answer.onError(status.asRuntimeException());
            } else {
                answer.onNext(value);
                answer.onCompleted();
            }
        }
    }

    private static final class FailingState extends ClusterStateGrpc.ClusterStateImplBase {
        private final Failing failing;

        FailingState(Failing failing) {
            this.failing = failing;
        }

        @Override
        public void apply(ApplyRequest request, StreamObserver<ApplyResponse> answer) {
            failing.answer(ApplyResponse.getDefaultInstance(), answer);
        }

        @Override
        public void assume(AssumeRequest request, StreamObserver<AssumeResponse> answer) {
            failing.answer(AssumeResponse.getDefaultInstance(), answer);
        }
    }

    /** Accepts calls but never answers. Records the cancelled call. */
    private static final class Silent extends PlacementGrpc.PlacementImplBase {
        private final CountDownLatch called = new CountDownLatch(1);
        private final CountDownLatch cancelled = new CountDownLatch(1);

        @Override
        public void filter(FilterRequest request, StreamObserver<FilterResponse> answer) {
            Context.current().addListener(context -> cancelled.countDown(), Runnable::run);
            called.countDown();
        }
    }

    @Test
    void query_isAskedAgain_whileTheServerIsUnavailable() {
        Failing failing = new Failing(Status.UNAVAILABLE, 3);
        try (ScriptedServer server = new ScriptedServer(failing);
                PlacementClient client = server.connect()) {
            assertEquals(FilterResponse.getDefaultInstance(), client.filter(QUESTION));
            assertEquals(4, failing.calls.get());
        }
    }

    @Test
    void writes_areMadeAgain_whileTheServerIsUnavailable() {
        Failing failing = new Failing(Status.UNAVAILABLE, 2);
        try (ScriptedServer server = new ScriptedServer(new FailingState(failing));
                PlacementClient client = server.connect()) {
            assertEquals(ApplyResponse.getDefaultInstance(), client.apply(ApplyRequest.getDefaultInstance()));
            assertEquals(3, failing.calls.get());
            failing.left.set(1);
            assertEquals(AssumeResponse.getDefaultInstance(), client.assume(AssumeRequest.getDefaultInstance()));
            assertEquals(5, failing.calls.get());
        }
    }

    @Test
    void call_fails_whenTheServerStaysUnavailable() {
        Failing failing = new Failing(Status.UNAVAILABLE.withDescription("no cluster yet"), Integer.MAX_VALUE);
        try (ScriptedServer server = new ScriptedServer(failing);
                PlacementClient client = server.connect()) {
            PlacementException failure = assertThrows(PlacementException.class, () -> client.filter(QUESTION));
            assertEquals(ErrorCode.UNAVAILABLE, failure.code());
            assertEquals("no cluster yet", failure.description());
            assertEquals("UNAVAILABLE: no cluster yet", failure.getMessage());
            assertEquals(4, failing.calls.get());
        }
    }

    @Test
    void call_isMadeOnce_whenOneAttemptIsAllowed_orTheFaultIsAnother() {
        Failing unavailable = new Failing(Status.UNAVAILABLE, 1);
        try (ScriptedServer server = new ScriptedServer(unavailable);
                PlacementClient client =
                        RemotePlacement.builder(server.target()).attempts(1).build()) {
            assertThrows(PlacementException.class, () -> client.filter(QUESTION));
            assertEquals(1, unavailable.calls.get());
        }
        Failing exhausted = new Failing(Status.RESOURCE_EXHAUSTED, 1);
        try (ScriptedServer server = new ScriptedServer(exhausted);
                PlacementClient client = server.connect()) {
            assertThrows(PlacementException.class, () -> client.filter(QUESTION));
            assertEquals(1, exhausted.calls.get());
        }
    }

    @Test
    void attempts_areRefused_outsideOneToFive() {
        assertThrows(IllegalArgumentException.class, () -> RemotePlacement.serviceConfig(0));
        assertThrows(IllegalArgumentException.class, () -> RemotePlacement.serviceConfig(6));
        RemotePlacement.connect("127.0.0.1:1").close();
    }

    @Test
    void keepAlive_isRefused_ifItIsTooShort_andMayBeAsLongAsTimeGoes() {
        RemotePlacement.Builder builder = RemotePlacement.builder("127.0.0.1:1");
        assertThrows(
                IllegalArgumentException.class,
                () -> builder.keepAlive(Duration.ofSeconds(10).minusNanos(1)));
        builder.keepAlive(Duration.ofSeconds(Long.MAX_VALUE)).build().close();
    }

    @Test
    void callForWhichThereIsNoToken_failsAsOthersDo() {
        assertHasNoToken("token: no such file", () -> {
            throw new UncheckedIOException(new IOException("token: no such file"));
        });
        assertHasNoToken("no line break", () -> "the-line-of-a-file\n");
    }

    private static void assertHasNoToken(String why, Supplier<String> token) {
        try (ScriptedServer server = new ScriptedServer(new Failing(Status.UNAVAILABLE, 0));
                PlacementClient client =
                        RemotePlacement.builder(server.target()).token(token).build();
                EvaluationStream stream = client.evaluationStream()) {
            PlacementException failure = assertThrows(PlacementException.class, () -> client.filter(QUESTION));
            assertEquals(ErrorCode.UNAUTHENTICATED, failure.code());
            assertTrue(failure.description().contains(why), failure.description());
            for (CompletableFuture<?> future :
                    List.of(client.async().filter(QUESTION), stream.evaluate(EvaluateRequest.getDefaultInstance()))) {
                ExecutionException failed = assertThrows(ExecutionException.class, future::get);
                assertEquals(
                        ErrorCode.UNAUTHENTICATED,
                        assertInstanceOf(PlacementException.class, failed.getCause())
                                .code());
            }
        }
    }

    @Test
    void failure_canBeSerialised() throws Exception {
        Failing failing = new Failing(Status.NOT_FOUND.withDescription("no such set"), 1);
        try (ScriptedServer server = new ScriptedServer(failing);
                PlacementClient client = server.connect()) {
            PlacementException failure = assertThrows(PlacementException.class, () -> client.filter(QUESTION));
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
                out.writeObject(failure);
            }
            try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
                PlacementException read = assertInstanceOf(PlacementException.class, in.readObject());
                assertEquals(failure.toString(), read.toString());
                assertEquals(ErrorCode.NOT_FOUND, read.code());
                assertEquals(List.of(), read.violations());
                assertEquals(failure.getStackTrace()[0], read.getStackTrace()[0]);
            }
        }
    }

    @Test
    void overloadedServer_saysWhenToCallAgain_andTheCallIsMadeOnce() {
        var status = StatusProto.toStatusRuntimeException(com.google.rpc.Status.newBuilder()
                .setCode(ErrorCode.RESOURCE_EXHAUSTED.number())
                .addDetails(Any.pack(RetryInfo.newBuilder()
                        .setRetryDelay(com.google.protobuf.Duration.newBuilder().setNanos(120_000_000))
                        .build()))
                .build());
        AtomicInteger calls = new AtomicInteger();
        var service = new PlacementGrpc.PlacementImplBase() {
            @Override
            public void filter(FilterRequest request, StreamObserver<FilterResponse> answer) {
                calls.incrementAndGet();
                answer.onError(status);
            }
        };
        try (ScriptedServer server = new ScriptedServer(service);
                PlacementClient client = server.connect()) {
            PlacementException failure = assertThrows(PlacementException.class, () -> client.filter(QUESTION));
            assertEquals(Optional.of(Duration.ofMillis(120)), failure.retryDelay());
            assertEquals(1, calls.get());
        }
    }

    @Test
    void badRequest_namesItsFieldsAndItsReason_inTheException() {
        BadRequest details = BadRequest.newBuilder()
                .addFieldViolations(BadRequest.FieldViolation.newBuilder()
                        .setField("options.maxBest")
                        .setDescription("must be at most 1000, was 2000"))
                .build();
        var status = StatusProto.toStatusRuntimeException(com.google.rpc.Status.newBuilder()
                .setCode(ErrorCode.INVALID_ARGUMENT.number())
                .setMessage("maxBest must be at most 1000, was 2000 (options.maxBest)")
                .addDetails(Any.pack(details))
                .addDetails(Any.pack(ErrorInfo.newBuilder()
                        .setDomain("evenkeel.io")
                        .setReason(ErrorReason.ERROR_REASON_INVALID_FIELD.name())
                        .build()))
                .build());
        var service = new PlacementGrpc.PlacementImplBase() {
            @Override
            public void whatIf(WhatIfRequest request, StreamObserver<WhatIfResponse> answer) {
                answer.onError(status);
            }
        };
        try (ScriptedServer server = new ScriptedServer(service);
                PlacementClient client = server.connect()) {
            PlacementException failure =
                    assertThrows(PlacementException.class, () -> client.whatIf(WhatIfRequest.getDefaultInstance()));
            assertEquals(ErrorCode.INVALID_ARGUMENT, failure.code());
            assertEquals(ErrorReason.ERROR_REASON_INVALID_FIELD, failure.reason());
            assertEquals(
                    List.of(FieldViolation.newBuilder()
                            .setField("options.maxBest")
                            .setDescription("must be at most 1000, was 2000")
                            .build()),
                    failure.violations());

            CompletableFuture<WhatIfResponse> future = client.async().whatIf(WhatIfRequest.getDefaultInstance());
            ExecutionException asynchronous = assertThrows(ExecutionException.class, future::get);
            PlacementException cause = assertInstanceOf(PlacementException.class, asynchronous.getCause());
            assertEquals(failure.violations(), cause.violations());
            assertEquals(failure.reason(), cause.reason());
        }
    }

    @Test
    void reason_isUnspecified_ifTheServerReportsNone_orOneThatTheClientDoesNotKnow() {
        for (ErrorInfo info : List.of(
                ErrorInfo.getDefaultInstance(),
                ErrorInfo.newBuilder()
                        .setDomain("evenkeel.io")
                        .setReason("ERROR_REASON_OF_LATER")
                        .build(),
                ErrorInfo.newBuilder()
                        .setDomain("another.example")
                        .setReason("ERROR_REASON_NOT_FED")
                        .build())) {
            var status = StatusProto.toStatusRuntimeException(com.google.rpc.Status.newBuilder()
                    .setCode(ErrorCode.ABORTED.number())
                    .addDetails(Any.pack(info))
                    .build());
            var service = new PlacementGrpc.PlacementImplBase() {
                @Override
                public void filter(FilterRequest request, StreamObserver<FilterResponse> answer) {
                    answer.onError(status);
                }
            };
            try (ScriptedServer server = new ScriptedServer(service);
                    PlacementClient client = server.connect()) {
                PlacementException failure = assertThrows(PlacementException.class, () -> client.filter(QUESTION));
                assertEquals(ErrorCode.ABORTED, failure.code());
                assertEquals(ErrorReason.ERROR_REASON_UNSPECIFIED, failure.reason());
            }
        }
    }

    @Test
    void call_fails_whenItsDeadlineHasPassed() {
        Silent silent = new Silent();
        try (ScriptedServer server = new ScriptedServer(silent);
                PlacementClient client = server.connect()) {
            PlacementClient hasty = client.within(Duration.ofMillis(50));
            PlacementException failure = assertThrows(PlacementException.class, () -> hasty.filter(QUESTION));
            assertEquals(ErrorCode.DEADLINE_EXCEEDED, failure.code());
            assertThrows(IllegalArgumentException.class, () -> client.within(Duration.ZERO));
        }
    }

    @Test
    void call_reportsWhatTheServerSaidLast_whenItsDeadlinePassesDuringAnotherAttempt() {
        AtomicInteger calls = new AtomicInteger();
        var service = new PlacementGrpc.PlacementImplBase() {
            @Override
            public void filter(FilterRequest request, StreamObserver<FilterResponse> answer) {
                if (calls.incrementAndGet() == 1) {
                    answer.onError(
                            Status.UNAVAILABLE.withDescription("no cluster yet").asRuntimeException());
                }
            }
        };
        try (ScriptedServer server = new ScriptedServer(service);
                PlacementClient client = server.connect()) {
            // Connects and loads what a call needs, so that the deadline only covers two attempts.
            assertThrows(PlacementException.class, client::status);
            PlacementClient hasty = client.within(Duration.ofSeconds(2));
            PlacementException failure = assertThrows(PlacementException.class, () -> hasty.filter(QUESTION));
            assertEquals(ErrorCode.UNAVAILABLE, failure.code());
            assertEquals("no cluster yet; the deadline passed before a retry was answered", failure.description());
            assertEquals(2, calls.get());
        }
    }

    @Test
    void call_isCancelledOnTheServer_whenItsFutureIs() throws Exception {
        Silent silent = new Silent();
        try (ScriptedServer server = new ScriptedServer(silent);
                PlacementClient client = server.connect()) {
            CompletableFuture<FilterResponse> future = client.async().filter(QUESTION);
            silent.called.await();
            assertTrue(future.cancel(true));
            silent.cancelled.await();
        }
    }

    @Test
    void call_fails_whenItsThreadIsInterrupted() throws Exception {
        Silent silent = new Silent();
        try (ScriptedServer server = new ScriptedServer(silent);
                PlacementClient client = server.connect()) {
            CompletableFuture<PlacementException> failure = new CompletableFuture<>();
            CompletableFuture<Boolean> flag = new CompletableFuture<>();
            Thread caller = new Thread(() -> {
                failure.complete(assertThrows(PlacementException.class, () -> client.filter(QUESTION)));
                flag.complete(Thread.currentThread().isInterrupted());
            });
            caller.start();
            silent.called.await();
            caller.interrupt();
            assertEquals(ErrorCode.CANCELLED, failure.get().code());
            assertTrue(flag.get());
            silent.cancelled.await();
        }
    }

    @Test
    void call_fails_whenTheClientIsClosed_orNoOneListens() {
        String target;
        PlacementClient client;
        try (ScriptedServer server = new ScriptedServer(new Failing(Status.OK, 0))) {
            target = server.target();
            client = server.connect();
            client.filter(QUESTION);
            client.within(Duration.ofSeconds(1)).close();
            client.readingOwnWrites().close();
            client.filter(QUESTION);
            client.close();
            client.close();
        }
        PlacementException closed = assertThrows(PlacementException.class, () -> client.filter(QUESTION));
        assertEquals(ErrorCode.UNAVAILABLE, closed.code());
        try (PlacementClient late = RemotePlacement.connect(target)) {
            PlacementException refused = assertThrows(PlacementException.class, () -> late.filter(QUESTION));
            assertEquals(ErrorCode.UNAVAILABLE, refused.code());
            assertEquals("connection refused by " + target, refused.description());
        }
    }

    @Test
    void callAmongReplicas_waitsUntilOneIsThere_orItsDeadlinePasses() throws Exception {
        int port;
        String target;
        try (ScriptedServer gone = new ScriptedServer()) {
            port = gone.port();
            target = gone.target();
        }
        try (PlacementClient client =
                RemotePlacement.builder(List.of(target)).attempts(1).build()) {
            PlacementException failure = assertThrows(
                    PlacementException.class,
                    () -> client.within(Duration.ofMillis(500)).filter(QUESTION));
            assertEquals(ErrorCode.UNAVAILABLE, failure.code());
            assertEquals(
                    "no server became ready before the deadline: connection refused by " + target,
                    failure.description());

            CompletableFuture<FilterResponse> waiting =
                    client.within(Duration.ofSeconds(30)).async().filter(QUESTION);
            HealthStatusManager health = new HealthStatusManager();
            health.setStatus(PlacementGrpc.SERVICE_NAME, ServingStatus.NOT_SERVING);
            try (ScriptedServer server =
                    new ScriptedServer(port, new Failing(Status.OK, 0), health.getHealthService())) {
                assertEquals(port, server.port());
                String seen;
                do {
                    seen = assertThrows(
                                    PlacementException.class,
                                    () -> client.within(Duration.ofMillis(300)).filter(QUESTION))
                            .description();
                } while (seen.contains("connection refused"));
                assertEquals(
                        "no server became ready before the deadline:"
                                + " Health-check service responded NOT_SERVING for 'evenkeel.v1.Placement'",
                        seen);
                assertFalse(waiting.isDone());
                health.setStatus(PlacementGrpc.SERVICE_NAME, ServingStatus.SERVING);
                assertEquals(FilterResponse.getDefaultInstance(), waiting.get());
            }
        }
    }
}
