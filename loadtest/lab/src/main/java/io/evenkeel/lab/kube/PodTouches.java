package io.evenkeel.lab.kube;

import com.google.protobuf.ByteString;
import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.lab.controlplane.ObjectEnvelope;
import io.evenkeel.lab.wire.KeyValue;
import io.evenkeel.lab.wire.PutRequest;
import io.evenkeel.lab.wire.PutResponse;
import io.evenkeel.v1.Pod;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Changes pods at a steady rate until it is closed: each loses a label that selectors match, and gets it back. It
 * writes to etcd directly, so that the API server only sends events and spends no processor time, which is measured
 * here, on accepting writes. Writes do not wait for each other unless many are in flight.
 */
final class PodTouches implements AutoCloseable {
    private static final int PODS = 2_000;
    private static final int MAX_IN_PROGRESS = 16;
    private static final String LABEL = "app";

    /**
     * A pod to change.
     *
     * @param states two alternating writes: without the label, and unchanged
     */
    record Touched(List<PutRequest> states) {}

    private final EtcdKeys etcd;
    private final List<Touched> pods;
    private final int perSecond;
    private final Thread thread = new Thread(this::run, "pod-touches");
    private final Semaphore free = new Semaphore(MAX_IN_PROGRESS);
    private final AtomicInteger made = new AtomicInteger();
    private volatile @Nullable Throwable failure;
    private volatile boolean closed;

    /** @param pods from {@link #pods}, before any of them was changed */
    PodTouches(URI etcd, List<Touched> pods, int perSecond) {
        this.etcd = new EtcdKeys(etcd);
        this.pods = pods;
        this.perSecond = perSecond;
        thread.setDaemon(true);
        thread.start();
    }

    /** The pods to change, in their current state. */
    static List<Touched> pods(URI etcd) throws IOException {
        List<Touched> pods = new ArrayList<>();
        try (EtcdKeys keys = new EtcdKeys(etcd)) {
            for (KeyValue entry : keys.range(EtcdKeys.prefix(ObjectKind.POD), PODS)) {
                Pod pod = Pod.parseFrom(ObjectEnvelope.open(entry.getValue()));
                Pod.Builder without = pod.toBuilder();
                without.getMetadataBuilder().putLabels(LABEL, "none");
                pods.add(new Touched(List.of(write(entry.getKey(), without.build()), write(entry.getKey(), pod))));
            }
        }
        if (pods.isEmpty()) {
            throw new IOException("there are no pods to change");
        }
        return pods;
    }

    private static PutRequest write(ByteString key, Pod pod) {
        return PutRequest.newBuilder()
                .setKey(key)
                .setValue(ObjectEnvelope.around(ObjectKind.POD, pod.toByteString()))
                .build();
    }

    private void run() {
        long begin = System.nanoTime();
        try {
            for (long i = 0; !closed && failure == null; i++) {
                long due = begin + i * 1_000_000_000 / perSecond;
                TimeUnit.NANOSECONDS.sleep(Math.max(0, due - System.nanoTime()));
                int pod = (int) (i % pods.size());
                int state = (int) (i / pods.size() % 2);
                free.acquire();
                put(pods.get(pod).states().get(state));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void put(PutRequest write) {
        etcd.put(write, new StreamObserver<>() {
            @Override
            public void onNext(PutResponse response) {
                made.incrementAndGet();
            }

            @Override
            public void onError(Throwable why) {
                failure = why;
                free.release();
            }

            @Override
            public void onCompleted() {
                free.release();
            }
        });
    }

    /**
     * The number of changes made.
     *
     * @throws IOException if no more changes can be made
     */
    int made() throws IOException {
        Throwable failed = failure;
        if (failed != null) {
            throw new IOException("pod changes have stopped", failed);
        }
        return made.get();
    }

    @Override
    public void close() {
        closed = true;
        thread.interrupt();
        // No change is counted after this returns.
        free.acquireUninterruptibly(MAX_IN_PROGRESS);
        etcd.close();
    }
}
