package io.evenkeel.provisioning;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.StringValue;
import io.evenkeel.client.PlacementClient;
import io.evenkeel.client.remote.RemotePlacement;
import io.evenkeel.placement.Messages;
import io.evenkeel.service.EvenkeelServer;
import io.evenkeel.service.ServerOptions;
import io.evenkeel.v1.ErrorReason;
import io.evenkeel.v1.ItemError;
import io.evenkeel.v1.Node;
import io.evenkeel.v1.NodeStatus;
import io.evenkeel.v1.ScheduleResponse;
import io.evenkeel.v1.ScheduledItem;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Answers requests of an API server that fails, with a real server that has room for two pods. */
@Timeout(60)
final class ProvisioningControllerTest {
    private final Instant now = Instant.now();

    @TempDir
    private Path directory = Path.of("");

    private final Queue<String> log = new ConcurrentLinkedQueue<>();
    private final EvenkeelServer server = EvenkeelServer.start(ServerOptions.onLoopback(0));
    private final PlacementClient client = RemotePlacement.connect("127.0.0.1:" + server.port());
    private final RequestServer api = new RequestServer();
    private @Nullable ProvisioningController started;

    ProvisioningControllerTest() throws IOException {}

    @BeforeEach
    void addNode() {
        Node node = Messages.node("a", "a").toBuilder()
                .setStatus(NodeStatus.newBuilder()
                        .putAllocatable("cpu", StringValue.of("2"))
                        .putAllocatable("pods", StringValue.of("10")))
                .build();
        client.apply(Messages.apply(List.of(Messages.object(node))));
        api.template("old");
        api.template("new");
    }

    @AfterEach
    void stop() {
        if (started != null) {
            started.close();
        }
        client.close();
        server.close();
        api.close();
    }

    private void start(PlacementClient asked) throws Exception {
        started = ProvisioningController.start(
                api.access(directory), asked, RequestServer.CLASS, Duration.ofMinutes(10), log::add);
    }

    /** A request for two pods, for which there is room. */
    private void book(String name) throws IOException {
        api.put(api.request(name, now.minusSeconds(60), 2)
                .with(ProvisioningRequest.PROVISIONED, true, "CapacityIsFound", "", now));
    }

    @Test
    void bookingWhosePodsAreOnNodes_ends_evenIfItsTemplateIsDeleted() throws Exception {
        book("without-template");
        for (String consumed : List.of("without-template", "other", "without-template")) {
            api.consumer(consumed);
        }
        api.request("new", now, 2);
        start(client);
        ProvisioningRequest ended = api.await("without-template", ProvisioningRequest.BOOKING_EXPIRED);
        assertTrue(ended.object().toString().contains("CapacityBookingConsumed"), ended.object()::toString);
        assertTrue(api.await("new", ProvisioningRequest.PROVISIONED).isBooked());
    }

    @Test
    void nothing_isJudged_withoutAllBookings() throws Exception {
        book("old");
        api.failTemplate("old", 500);
        api.request("new", now, 1);
        start(client);
        assertFalse(api.await("new", ProvisioningRequest.PROVISIONED).isBooked());
        assertEquals(1, log.size(), log::toString);
    }

    /** A status that was not accepted takes no room. If it is unknown whether it was, it does. */
    @ParameterizedTest
    @CsvSource({"409, true", "404, true", "500, false"})
    void failedWrite_takesRoomOnlyIfItMayHaveBeenMade(int status, boolean isRoomLeft) throws Exception {
        api.request("old", now.minusSeconds(60), 2);
        api.request("new", now, 2);
        api.failWrite("old", status);
        start(client);
        assertEquals(
                isRoomLeft, api.await("new", ProvisioningRequest.PROVISIONED).isBooked());
    }

    @Test
    void requestForTooManyPods_fails() throws Exception {
        api.request("new", now, 100_001);
        start(client);
        ProvisioningRequest failed = api.await("new", ProvisioningRequest.FAILED);
        assertTrue(failed.object().toString().contains("FailedToCreatePods"), failed.object()::toString);
    }

    @Test
    void fullState_isTriedAgain() throws Exception {
        ScheduledItem full = ScheduledItem.newBuilder()
                .setError(ItemError.newBuilder()
                        .setReason(ErrorReason.ERROR_REASON_STATE_FULL)
                        .setMessage("full"))
                .build();
        assertRecovery(
                "schedule", () -> ScheduleResponse.newBuilder().addItems(full).build(), "provisioning: full; retrying");
    }

    @Test
    void error_isTriedAgain() throws Exception {
        assertRecovery(
                "openSession",
                () -> {
                    throw new OutOfMemoryError("no thread");
                },
                "provisioning: java.lang.OutOfMemoryError: no thread; retrying");
    }

    /** Asserts that a request is answered although the first call of a method ends in another way. */
    private void assertRecovery(String method, Callable<Object> first, String logged) throws Exception {
        AtomicBoolean isFirst = new AtomicBoolean(true);
        PlacementClient once = (PlacementClient) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {PlacementClient.class}, (proxy, called, arguments) -> {
                    if (called.getName().equals(method) && isFirst.getAndSet(false)) {
                        return first.call();
                    }
                    try {
                        return called.invoke(client, arguments);
                    } catch (InvocationTargetException e) {
                        throw Objects.requireNonNull(e.getCause());
                    }
                });
        api.request("new", now, 2);
        start(once);
        assertTrue(api.await("new", ProvisioningRequest.PROVISIONED).isBooked());
        assertEquals(List.of(logged), List.copyOf(log));
    }
}
