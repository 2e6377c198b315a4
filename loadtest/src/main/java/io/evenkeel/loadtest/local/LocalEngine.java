package io.evenkeel.loadtest.local;

import io.evenkeel.client.PlacementClient;
import io.evenkeel.client.embedded.EmbeddedPlacement;
import io.evenkeel.engine.SpreadEngine;
import io.evenkeel.engine.cluster.NodeNameTable;
import io.evenkeel.engine.model.SpreadDefaults;
import io.evenkeel.engine.plan.PodPlan;
import io.evenkeel.loadtest.cluster.ClusterGenerator;
import io.evenkeel.objects.IncomingPodTranslator;
import io.evenkeel.objects.InvalidObjectException;
import io.evenkeel.objects.PodLimits;
import io.evenkeel.placement.Instance;
import io.evenkeel.placement.InstanceOptions;
import io.evenkeel.v1.ClusterObject;
import io.evenkeel.v1.Pod;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

/** Runs an engine in this process with a generated cluster, to be called without a transport. */
public final class LocalEngine implements AutoCloseable {
    private static final IncomingPodTranslator TRANSLATOR = new IncomingPodTranslator(PodLimits.DEFAULT);

    private final Instance instance = new Instance(InstanceOptions.standard());

    private LocalEngine() {}

    /** An engine with every object of {@code cluster}. */
    public static LocalEngine holding(ClusterGenerator cluster) {
        return holding(cluster.objects());
    }

    /** An engine with the objects of a cluster. */
    public static LocalEngine holding(Iterator<ClusterObject> cluster) {
        LocalEngine local = new LocalEngine();
        try (PlacementClient client = local.client()) {
            ClusterFill.send(cluster, client);
        }
        return local;
    }

    /** A client of the engine. The caller closes it. */
    public PlacementClient client() {
        return EmbeddedPlacement.builder().over(instance);
    }

    public SpreadEngine engine() {
        return instance.engine();
    }

    /** The names of all nodes, in the order of their indexes. */
    public List<String> nodes() {
        NodeNameTable names = engine().nodeNames();
        List<String> known = new ArrayList<>();
        for (int index = 0; index < names.limit(); index++) {
            String name = names.name(index);
            if (name != null) {
                known.add(name);
            }
        }
        return known;
    }

    /** The compiled plan of an incoming pod, under kube-scheduler's System defaults. */
    public PodPlan plan(Pod pod) {
        return plan(engine(), pod);
    }

    static PodPlan plan(SpreadEngine engine, Pod pod) {
        try {
            return engine.plan(TRANSLATOR.translate(pod), SpreadDefaults.SYSTEM);
        } catch (InvalidObjectException e) {
            throw new IllegalArgumentException(e);
        }
    }

    @Override
    public void close() {
        instance.close();
    }
}
