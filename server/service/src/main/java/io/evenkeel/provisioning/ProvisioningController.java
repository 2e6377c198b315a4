package io.evenkeel.provisioning;

import io.evenkeel.client.PlacementClient;
import io.evenkeel.client.PlacementException;
import io.evenkeel.kube.SharedClient;
import io.evenkeel.kube.client.ClusterAccess;
import io.evenkeel.manifest.ObjectFormatException;
import io.evenkeel.v1.ScheduledPods;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Answers the ProvisioningRequests of one class until it is closed, as cluster-autoscaler answers those of its class
 * check-capacity. Each pass reads all requests, books the room of those that are provisioned, and judges those that are
 * due, the oldest first. A failure is logged, and what it affects is tried again. Thread-safe.
 */
public final class ProvisioningController implements AutoCloseable {
    private static final Duration RETRY = Duration.ofSeconds(2);
    private static final Duration LONGEST_WAIT = Duration.ofMinutes(1);
    private static final Duration REMINDER = Duration.ofMinutes(5);

    /** How long after a request its PodTemplates may be created. */
    private static final Duration TEMPLATE_DELAY = Duration.ofMinutes(1);

    private final PlacementClient client;
    private final Duration booking;
    private final Consumer<String> log;
    private final SharedClient kube;
    private final ProvisioningApi api;
    private final List<Thread> threads;

    /** Has a permit if a request may have changed. */
    private final Semaphore changes = new Semaphore(0);

    /** When problems were logged lately. Accessed under the lock of this. */
    private final Map<String, Instant> logged = new HashMap<>();

    private ProvisioningController(
            ClusterAccess access,
            PlacementClient client,
            String provisioningClass,
            Duration booking,
            Consumer<String> log) {
        this.client = client;
        this.booking = booking;
        this.log = log;
        kube = new SharedClient(access);
        api = new ProvisioningApi(kube, provisioningClass);
        threads = List.of(thread(this::watch, "watch"), thread(this::judge, "judge"));
    }

    /**
     * Starts to answer.
     *
     * @param client asks the cluster in which pods must fit; one thread uses it
     * @param booking for how long the room that was found is booked
     * @param log receives a line for each problem
     */
    public static ProvisioningController start(
            ClusterAccess access,
            PlacementClient client,
            String provisioningClass,
            Duration booking,
            Consumer<String> log) {
        ProvisioningController controller = new ProvisioningController(access, client, provisioningClass, booking, log);
        controller.threads.forEach(Thread::start);
        return controller;
    }

    /** What a thread does again and again. */
    private interface Step {
        void run() throws IOException, InterruptedException;
    }

    private Thread thread(Step step, String name) {
        Thread thread = new Thread(
                () -> {
                    try {
                        while (true) {
                            attempt(step);
                        }
                    } catch (InterruptedException closed) {
                        Thread.currentThread().interrupt();
                    }
                },
                "evenkeel-provisioning-" + name);
        thread.setDaemon(true);
        return thread;
    }

    /** Takes a step. If it fails, reports why, waits, and returns false. */
    private boolean attempt(Step step) throws InterruptedException {
        try {
            step.run();
            return true;
        } catch (PlacementException e) {
            report(e.description());
        } catch (IOException e) {
            report(String.valueOf(e.getMessage()));
        } catch (RuntimeException | Error e) {
            // For example no memory for a new thread. Without this thread, no request would be answered again.
            report(e.toString());
        }
        Thread.sleep(RETRY.toMillis());
        return false;
    }

    private synchronized void report(String what) {
        Instant now = Instant.now();
        logged.values().removeIf(at -> at.plus(REMINDER).isBefore(now));
        if (logged.putIfAbsent(what, now) == null) {
            log.accept("provisioning: " + what + "; retrying");
        }
    }

    private void watch() throws IOException, InterruptedException {
        api.watch(this::changed);
        // A proxy may end watches at once.
        Thread.sleep(RETRY.toMillis());
    }

    private synchronized void changed() {
        if (changes.availablePermits() == 0) {
            changes.release();
        }
    }

    private void judge() throws IOException, InterruptedException {
        Instant now = Instant.now();
        Instant next = new Pass(now).over(api.list());
        boolean unused =
                changes.tryAcquire(Duration.between(Instant.now(), next).toMillis(), TimeUnit.MILLISECONDS);
    }

    /** One pass over all requests. */
    private final class Pass {
        private final Instant now;

        /** How many placed pods consume each request, by namespace and name. */
        private final Map<String, Map<String, Integer>> consumers = new HashMap<>();

        /** When the next pass is due if nothing changes. */
        private Instant next;

        Pass(Instant now) {
            this.now = now;
            next = now.plus(LONGEST_WAIT);
        }

        Instant over(List<ProvisioningRequest> all) throws InterruptedException {
            List<ProvisioningRequest> due = all.stream()
                    .filter(each -> each.isPending() && hasCome(each.nextTry()))
                    .toList();
            List<ProvisioningRequest> booked = all.stream()
                    .filter(ProvisioningRequest::isBooked)
                    .filter(each -> !hasCome(each.judged().plus(booking)))
                    .toList();
            for (ProvisioningRequest each : all) {
                if (each.isBooked() && !booked.contains(each)) {
                    String reason = "CapacityReservationTimeExpired";
                    String message = "Capacity reservation time is expired";
                    tryFor(() -> set(each, ProvisioningRequest.BOOKING_EXPIRED, true, reason, message));
                }
            }
            if (!due.isEmpty()) {
                judge(due, booked);
            }
            return next;
        }

        private void judge(List<ProvisioningRequest> due, List<ProvisioningRequest> booked)
                throws InterruptedException {
            // Before the session begins, so that no pod ends a booking without being in the session.
            for (ProvisioningRequest each : booked) {
                if (!tryFor(() -> readConsumers(each.namespace()))) {
                    return;
                }
            }
            try (RemainingCapacity capacity = new RemainingCapacity(client)) {
                for (ProvisioningRequest each : booked) {
                    if (!tryFor(() -> book(each, capacity))) {
                        return;
                    }
                }
                for (ProvisioningRequest each : due) {
                    tryFor(() -> judge(each, capacity));
                }
            }
        }

        /** Whether a time has come. If not, the next pass is then at the latest. */
        private boolean hasCome(Instant time) {
            boolean isLater = time.isAfter(now);
            next = isLater && time.isBefore(next) ? time : next;
            return !isLater;
        }

        /** Takes a step for one request. If it fails, the next pass is soon, and this returns false. */
        private boolean tryFor(Step step) throws InterruptedException {
            boolean isDone = attempt(step);
            next = isDone ? next : now;
            return isDone;
        }

        private void set(ProvisioningRequest request, String type, boolean isTrue, String reason, String message)
                throws IOException, InterruptedException {
            boolean unused = api.writeStatus(request.with(type, isTrue, reason, message, now));
        }

        private void fail(ProvisioningRequest request, String reason, String message)
                throws IOException, InterruptedException {
            set(request, ProvisioningRequest.FAILED, true, reason, message);
        }

        private void book(ProvisioningRequest request, RemainingCapacity capacity)
                throws IOException, InterruptedException {
            Map<String, Integer> counts = consumers.getOrDefault(request.namespace(), Map.of());
            if (counts.getOrDefault(request.name(), 0) >= request.podCount()) {
                String message = "Capacity booking consumed: all pods scheduled";
                set(request, ProvisioningRequest.BOOKING_EXPIRED, true, "CapacityBookingConsumed", message);
                return;
            }
            String failure = "FailedToBookCapacity";
            RemainingCapacity.Result result = capacity.place(pods(request, failure));
            if (result.outcome() == RemainingCapacity.Outcome.INVALID) {
                fail(request, failure, result.detail());
            }
        }

        private void readConsumers(String namespace) throws IOException, InterruptedException {
            if (!consumers.containsKey(namespace)) {
                consumers.put(namespace, api.consumers(namespace));
            }
        }

        private void judge(ProvisioningRequest request, RemainingCapacity capacity)
                throws IOException, InterruptedException {
            if (hasCome(request.expires())) {
                fail(request, "Expired", "ProvisioningRequest is expired");
                return;
            }
            List<ScheduledPods> pods = pods(request, "FailedToCreatePods");
            if (pods.isEmpty()) {
                return;
            }
            capacity.begin();
            boolean isTaken = false;
            try {
                RemainingCapacity.Result result = capacity.place(pods);
                // If writing fails, the status may nevertheless be written. Then the room stays taken in this pass.
                isTaken = result.outcome() == RemainingCapacity.Outcome.FOUND;
                isTaken &= api.writeStatus(answered(request, result));
            } finally {
                capacity.end(isTaken);
            }
        }

        private ProvisioningRequest answered(ProvisioningRequest request, RemainingCapacity.Result result) {
            String acceptance = "ProvisioningRequest is accepted by Evenkeel";
            ProvisioningRequest accepted = request.has(ProvisioningRequest.ACCEPTED)
                    ? request
                    : request.with(ProvisioningRequest.ACCEPTED, true, "Accepted", acceptance, now);
            String detail = result.detail();
            return switch (result.outcome()) {
                case INVALID -> accepted.with(ProvisioningRequest.FAILED, true, "FailedToCreatePods", detail, now);
                case FOUND -> {
                    String message = "Capacity is found in the cluster" + (detail.isEmpty() ? "" : "; " + detail);
                    yield accepted.with(ProvisioningRequest.PROVISIONED, true, "CapacityIsFound", message, now);
                }
                case NOT_FOUND -> {
                    boolean isLast = request.isTriedOnce();
                    String type = isLast ? ProvisioningRequest.FAILED : ProvisioningRequest.PROVISIONED;
                    String message = "Capacity is not found"
                            + (isLast ? ": " : ", Evenkeel will try to find it later: ") + detail;
                    yield accepted.with(type, isLast, "CapacityIsNotFound", message, now);
                }
            };
        }

        /** The pods of a request; none if they cannot be made, which fails the request unless it is new. */
        private List<ScheduledPods> pods(ProvisioningRequest request, String reason)
                throws IOException, InterruptedException {
            try {
                return api.pods(request);
            } catch (IOException e) {
                boolean isMissing = ProvisioningApi.isMissing(e);
                if (!isMissing && !(e instanceof ObjectFormatException)) {
                    throw e;
                }
                if (!isMissing || hasCome(request.created().plus(TEMPLATE_DELAY))) {
                    fail(request, reason, "Couldn't create pods: " + e.getMessage());
                } else {
                    boolean unused = hasCome(now.plus(RETRY));
                }
                return List.of();
            }
        }
    }

    /** Ends it. A pass that is in progress writes nothing more. */
    @Override
    public void close() {
        threads.forEach(Thread::interrupt);
        kube.close();
    }
}
