package io.evenkeel.placement;

import static io.evenkeel.placement.Messages.HOSTNAME;
import static io.evenkeel.placement.Messages.ZONE;
import static io.evenkeel.placement.Messages.apply;
import static io.evenkeel.placement.Messages.soft;
import static io.evenkeel.placement.Messages.web;
import static io.evenkeel.placement.Messages.zones;

import io.evenkeel.engine.Await;
import io.evenkeel.engine.model.EngineOptions;
import io.evenkeel.engine.model.IncomingPod;
import io.evenkeel.engine.model.SpreadDefaults;
import io.evenkeel.engine.plan.PodPlan;
import io.evenkeel.engine.script.World;
import io.evenkeel.v1.EvaluateRequest;
import java.lang.ref.WeakReference;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

final class AnswerPoolTest {
    private final Instance instance = new Instance(
            InstanceOptions.standard().withEngine(EngineOptions.defaults().withMaxPlans(1)));

    @AfterEach
    void close() {
        instance.close();
    }

    /** The bound on plans counts the bytes of plans that are kept, so a dropped plan must not stay in memory. */
    @Test
    @Timeout(60)
    void droppedPlan_isNotKeptByItsAnswerInThePool() throws InterruptedException {
        instance.clusterState().apply(apply(zones(2, 1)));
        List<WeakReference<Object>> parts = evaluateAndDrop();
        Await.until(() -> {
            System.gc();
            return parts.stream().allMatch(part -> part.get() == null);
        });
    }

    /** Returns the plan, and the groups that it counted. */
    private List<WeakReference<Object>> evaluateAndDrop() {
        EvaluateRequest request = EvaluateRequest.newBuilder()
                .addPods(web(soft(ZONE), soft(HOSTNAME)))
                .build();
        Queries.of(instance.placement()).prepare(request).answer();
        PodPlan plan = Objects.requireNonNull(
                instance.engine().findPlan(World.web(World.soft(ZONE), World.soft(HOSTNAME)), SpreadDefaults.SYSTEM));
        List<WeakReference<Object>> parts = Stream.concat(Stream.of(plan), Arrays.stream(plan.groups()))
                .map(WeakReference<Object>::new)
                .toList();
        IncomingPod other = World.web(World.hard(ZONE));
        instance.engine().plan(other, SpreadDefaults.SYSTEM);
        return parts;
    }
}
