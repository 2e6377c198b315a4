package io.evenkeel.loadtest.feed;

import com.google.protobuf.InvalidProtocolBufferException;
import com.sun.management.ThreadMXBean;
import io.evenkeel.engine.SpreadEngine;
import io.evenkeel.engine.model.Change;
import io.evenkeel.engine.model.EngineOptions;
import io.evenkeel.engine.model.PodRecord;
import io.evenkeel.engine.model.SpreadDefaults;
import io.evenkeel.loadtest.cluster.ClusterGenerator;
import io.evenkeel.loadtest.cluster.Spread;
import io.evenkeel.loadtest.cluster.Workload;
import io.evenkeel.objects.IncomingPodTranslator;
import io.evenkeel.objects.InvalidObjectException;
import io.evenkeel.objects.PodLimits;
import io.evenkeel.objects.PodScanner;
import io.evenkeel.objects.StoredObjectTranslator;
import io.evenkeel.objects.TemplateCache;
import io.evenkeel.objects.WireCursor;
import io.evenkeel.v1.ClusterObject;
import io.evenkeel.v1.Pod;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Random;

/**
 * Feeds pod events to an engine and times them. The engine holds a cluster, with a zone group and a hostname group for
 * each workload. Each pod is deleted, and added again many events later. Not thread-safe.
 */
public final class EngineFeed {
    /** The number of events that the server applies in one write. */
    private static final int SLICE = 256;

    private static final int MAX_PODS = 200_000;
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private final SpreadEngine engine =
            new SpreadEngine(EngineOptions.defaults().withMaxPlanBytes(Long.MAX_VALUE));
    private final PodScanner scanner = new PodScanner(new TemplateCache());
    private final byte[][] moving;
    private final List<PodRecord> slice = new ArrayList<>(SLICE);
    private int next;
    private long written;
    private long allocated;

    /**
     * The cost of events.
     *
     * @param bytesAPair bytes allocated for one deletion and one addition together
     */
    record Events(double perSecond, double bytesAPair) {}

    /** Creates an engine, feeds it all nodes, asks about each workload, and then feeds it all pods. */
    EngineFeed(ClusterGenerator cluster) {
        IncomingPodTranslator translator = new IncomingPodTranslator(PodLimits.DEFAULT);
        try {
            feedNodes(cluster);
            for (Workload workload : cluster.workloads()) {
                engine.plan(translator.translate(Spread.HARD_ZONE_HARD_HOSTNAME.of(workload)), SpreadDefaults.SYSTEM);
            }
            moving = new byte[Math.min(cluster.shape().pods(), MAX_PODS)][];
            for (int i = 0; i < cluster.shape().pods(); i++) {
                PodRecord pod = PodScanner.record(cluster.pod(i), Change.ADDED);
                engine.write(writer -> writer.apply(Change.ADDED, pod));
            }
        } catch (InvalidObjectException e) {
            throw new IllegalStateException("a generated object was rejected", e);
        }
    }

    private void feedNodes(ClusterGenerator cluster) throws InvalidObjectException {
        Iterator<ClusterObject> objects = cluster.objects();
        for (int i = 0; i < cluster.shape().nodes(); i++) {
            var node = StoredObjectTranslator.node(objects.next().getNode(), Change.ADDED);
            engine.write(writer -> writer.apply(Change.ADDED, node));
        }
    }

    /** The heap that an engine needs for a generated cluster, in bytes. */
    public static long heapFor(ClusterGenerator cluster) {
        long before = usedBytes();
        EngineFeed feed = new EngineFeed(cluster);
        long used = usedBytes() - before;
        int pods = feed.engine.status().pods();
        if (pods != cluster.shape().pods()) {
            throw new IllegalStateException("the engine holds " + pods + " pods");
        }
        return used;
    }

    /** The heap that this process uses after a garbage collection, in bytes. */
    private static long usedBytes() {
        System.gc();
        System.gc();
        Runtime runtime = Runtime.getRuntime();
        return runtime.totalMemory() - runtime.freeMemory();
    }

    /**
     * Chooses the pods to delete and add. Called before memory is measured, because these objects are not part of the
     * engine.
     */
    void chooseMoving(ClusterGenerator cluster) {
        Random random = new Random(1);
        int step = cluster.shape().pods() / moving.length;
        for (int i = 0; i < moving.length; i++) {
            int number = i * step + random.nextInt(step);
            int place = random.nextInt(i + 1);
            moving[i] = moving[place];
            moving[place] = cluster.pod(number).toByteArray();
        }
        int away = moving.length / 4;
        for (int i = 0; i < away; i += SLICE) {
            apply(Change.DELETED, i, Math.min(SLICE, away - i));
        }
        next = away;
    }

    /** Opens sessions of the engine. */
    PlacingSessions open(Pod pod) {
        return new PlacingSessions(engine, pod);
    }

    /** Feeds events until the engine has worked for {@code seconds}. */
    Events measure(double seconds) {
        int away = moving.length / 4;
        long pairs = 0;
        written = 0;
        allocated = 0;
        while (written < seconds * 1e9) {
            int size = Math.min(SLICE, moving.length - next);
            apply(Change.DELETED, next, size);
            int back = Math.floorMod(next - away, moving.length);
            int first = Math.min(size, moving.length - back);
            apply(Change.ADDED, back, first);
            apply(Change.ADDED, 0, size - first);
            next = (next + size) % moving.length;
            pairs += size;
        }
        return new Events(2 * pairs / (written / 1e9), (double) allocated / pairs);
    }

    /** Scans the pods as the server does, and then writes them. Only the write is timed. */
    private void apply(Change change, int from, int size) {
        slice.clear();
        for (int i = from; i < from + size; i++) {
            slice.add(scan(moving[i], change));
        }
        long allocatedBefore = THREADS.getCurrentThreadAllocatedBytes();
        long begin = System.nanoTime();
        engine.write(writer -> {
            writer.expect(slice);
            for (PodRecord pod : slice) {
                if (!writer.apply(change, pod)) {
                    throw new IllegalStateException("an event changed nothing");
                }
            }
        });
        written += System.nanoTime() - begin;
        allocated += THREADS.getCurrentThreadAllocatedBytes() - allocatedBefore;
    }

    private PodRecord scan(byte[] bytes, Change change) {
        WireCursor wire = new WireCursor(bytes, 0, bytes.length);
        scanner.begin(wire);
        try {
            scanner.scan(wire);
            PodRecord pod = scanner.finish(change);
            // Without a version, the pod always counts as newer than the stored one.
            pod.resourceVersion = 0;
            return pod;
        } catch (InvalidProtocolBufferException | InvalidObjectException e) {
            throw new IllegalStateException("a generated object was rejected", e);
        }
    }
}
