package io.evenkeel.placement.query;

import com.google.protobuf.DiscardUnknownFieldsParser;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Parser;
import io.evenkeel.engine.SpreadEngine;
import io.evenkeel.engine.lock.StopSignal;
import io.evenkeel.engine.model.ControllerRef;
import io.evenkeel.engine.model.EntryRules;
import io.evenkeel.engine.model.IncomingPod;
import io.evenkeel.engine.model.PodKey;
import io.evenkeel.engine.model.PodSelector;
import io.evenkeel.engine.model.SpreadDefaults;
import io.evenkeel.engine.plan.PlanLimitException;
import io.evenkeel.engine.plan.PlanPins;
import io.evenkeel.engine.plan.PodPlan;
import io.evenkeel.objects.IncomingPodTranslator;
import io.evenkeel.objects.InvalidObjectException;
import io.evenkeel.objects.PodRanges;
import io.evenkeel.objects.UnjudgedRules;
import io.evenkeel.objects.WireCursor;
import io.evenkeel.placement.call.Limits;
import io.evenkeel.placement.call.RequestException;
import io.evenkeel.v1.LabelSelector;
import io.evenkeel.v1.Pod;
import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.IntFunction;
import java.util.function.ObjIntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Finds the plans for the pods of requests: looks each pod up in the cache or parses it, and compiles its plan if the
 * engine has none. Thread-safe.
 */
public final class PodPlans {
    private static final Parser<Pod> PARSER = DiscardUnknownFieldsParser.wrap(Pod.parser());

    private final SpreadEngine engine;
    private final RequestReader reader;
    private final IncomingPodTranslator translator;
    private final PodCache known;
    private final ThreadLocal<PodRanges> ranges = ThreadLocal.withInitial(PodRanges::new);
    private final LongAdder parsed = new LongAdder();
    private final LongAdder misses = new LongAdder();

    public PodPlans(SpreadEngine engine, RequestReader reader, Limits limits, PodCache known) {
        this.engine = engine;
        this.reader = reader;
        this.translator = new IncomingPodTranslator(limits.pod());
        this.known = known;
    }

    /** The number of plans compiled because a request needed one that was not cached. */
    public long misses() {
        return misses.sum();
    }

    /** The number of pods parsed because no pod with an equal key was cached. */
    public long parsed() {
        return parsed.sum();
    }

    /**
     * A pod of a request: translated, or rejected with an error.
     *
     * @param pod the translated pod; null if it is rejected
     * @param unjudged the rules that its fields call for and that are not judged, which need not be those of a cached
     *     pod with an equal key; see {@link UnjudgedRules}
     * @param wasParsed whether its bytes had to be parsed, which takes time
     */
    public record Requested(
            PodCache.@Nullable Entry pod, @Nullable InvalidObjectException refusal, int unjudged, boolean wasParsed) {}

    /**
     * Reads the pod that the cursor has entered, and moves the cursor to its end. The pod is parsed only if no pod with
     * an equal key is cached.
     *
     * @throws InvalidProtocolBufferException if the bytes are malformed
     */
    public Requested ask(WireCursor wire) throws InvalidProtocolBufferException {
        return Objects.requireNonNull(ask(wire, Integer.MAX_VALUE));
    }

    /**
     * Like {@link #ask(WireCursor)}, but limits parsing.
     *
     * @param maxParsed the maximum length of a pod to parse
     * @return null if the pod is not cached and is longer than that
     * @throws InvalidProtocolBufferException if the bytes are malformed
     */
    @Nullable
    Requested ask(WireCursor wire, int maxParsed) throws InvalidProtocolBufferException {
        PodRanges its = ranges.get();
        int from = wire.position();
        boolean found = its.find(wire);
        // Decided once, so that what is cached for a key always means the same.
        boolean inCluster = isInCluster(its.uidIfNamingNode());
        boolean keyed = found && (inCluster || its.addNodeName()) && PodCache.takes(its);
        long hash = keyed ? its.hash() : 0;
        PodCache.Entry cached = keyed ? known.find(hash, its) : null;
        if (cached != null) {
            return new Requested(cached, null, its.unjudged(), false);
        }
        if (wire.position() - from > maxParsed) {
            return null;
        }
        // Translated immediately because the message takes many times the memory of the translated pod.
        try {
            PodCache.Entry pod = translate(parse(wire.bytes(), from, wire.position()), inCluster);
            if (keyed) {
                known.put(hash, its.copy(), pod);
            }
            return new Requested(pod, null, its.unjudged(), true);
        } catch (InvalidObjectException e) {
            return new Requested(null, e, 0, true);
        }
    }

    private Pod parse(byte[] bytes, int from, int to) throws InvalidProtocolBufferException {
        parsed.increment();
        return PARSER.parseFrom(bytes, from, to - from);
    }

    /**
     * Translates a pod. The node that a pod of the cluster is bound to is no demand: the pod is judged on all nodes, as
     * if it were to be placed again.
     */
    private IncomingPod incoming(Pod message, boolean inCluster) throws InvalidObjectException {
        IncomingPod pod = translator.translate(message);
        return inCluster ? pod.withoutNodeName() : pod;
    }

    private boolean isInCluster(Pod message) {
        return !message.getSpec().getNodeName().isEmpty()
                && isInCluster(message.getMetadata().getUid());
    }

    private boolean isInCluster(String uid) {
        return !uid.isEmpty() && engine.pod(PodKey.ofUid(uid)) != null;
    }

    /**
     * Translates a pod without the fields that no answer depends on, so that pods that differ only in these share a
     * plan.
     */
    private PodCache.Entry translate(Pod message, boolean inCluster) throws InvalidObjectException {
        IncomingPod pod = incoming(message, inCluster);
        return new PodCache.Entry(pod.reduced(), pod.labels(), reader.profileDefaults(message));
    }

    /**
     * Reads a pod of a request, and the default constraints for it.
     *
     * @param rules the rules before the constraints that the question is under
     * @param own the default constraints of the request, or null
     */
    public Wanted read(Requested asked, EntryRules rules, @Nullable SpreadDefaults own) throws InvalidObjectException {
        if (asked.refusal != null) {
            throw asked.refusal;
        }
        return wanted(Objects.requireNonNull(asked.pod), asked.unjudged, rules, own);
    }

    /** The same for a pod given as a message. */
    public Wanted read(Pod pod, EntryRules rules, @Nullable SpreadDefaults own) throws InvalidObjectException {
        return wanted(translate(pod, isInCluster(pod)), UnjudgedRules.of(pod.getSpec()), rules, own);
    }

    /**
     * Reads a pod with all fields that an explanation shows.
     *
     * @param controllerSelector the selector that its controller will have; null for its current one
     */
    public Wanted readWhole(Pod pod, @Nullable SpreadDefaults own, @Nullable PodSelector controllerSelector)
            throws InvalidObjectException {
        IncomingPod translated = ofEachNode(pod, incoming(pod, isInCluster(pod)));
        return wanted(
                new PodCache.Entry(
                        controllerSelector == null ? translated : translated.withControllerSelector(controllerSelector),
                        translated.labels(),
                        reader.profileDefaults(pod)),
                UnjudgedRules.of(pod.getSpec()),
                EntryRules.FITTING,
                own);
    }

    /**
     * A pod of a DaemonSet without a name comes from its template, and represents a pod of each node, which the
     * controller restricts to that node. With nodeAffinityPolicy Honor, only the node's domain is then eligible, and no
     * skew exceeds maxSkew.
     */
    private static IncomingPod ofEachNode(Pod message, IncomingPod pod) {
        ControllerRef controller = pod.controller();
        return controller == null
                        || !controller.kind().equals("DaemonSet")
                        || !message.getMetadata().getName().isEmpty()
                ? pod
                : pod.withConstraints(pod.constraints().stream()
                        .map(each -> each.hard() && each.honorAffinity() ? each.withoutLimit() : each)
                        .toList());
    }

    /** Delegates to {@link IncomingPodTranslator#controllerSelector}. */
    public PodSelector controllerSelector(Pod pod, LabelSelector selector, String field) throws InvalidObjectException {
        return translator.controllerSelector(pod, selector, field);
    }

    private Wanted wanted(PodCache.Entry pod, int unjudged, EntryRules rules, @Nullable SpreadDefaults own) {
        return new Wanted(pod, unjudged, rules, pod.defaults(own));
    }

    /**
     * Compiles the plan of a pod in advance, unless there is one.
     *
     * @param controllerSelector the selector that its controller will have; null for its current one
     */
    public void warm(Pod pod, @Nullable LabelSelector controllerSelector) throws InvalidObjectException {
        Wanted wanted = controllerSelector == null
                ? read(pod, EntryRules.ENTERABLE, null)
                : readWhole(pod, null, controllerSelector(pod, controllerSelector, "controller_selector"));
        if (!wanted.find()) {
            try (PlanPins pins = engine.pinPlans(StopSignal.NEVER, PlanPins.UNLIMITED)) {
                wanted.compile(pins);
            }
        }
    }

    /**
     * Pins all plans of a call, and compiles the missing ones. The engine does not evict pinned plans, so a call with
     * more plans than the engine keeps compiles each only once.
     *
     * @param pods the number of pods in the call
     * @param wanted the pod at each index; null if it was already rejected
     * @param pins the pins of the call
     * @param refuse called with the index and the error of each pod whose plan would exceed the call's limits
     */
    public static void take(
            int pods, IntFunction<@Nullable Wanted> wanted, PlanPins pins, ObjIntConsumer<RequestException> refuse) {
        for (int i = 0; i < pods; i++) {
            Wanted pod = wanted.apply(i);
            if (pod != null) {
                pod.pinIn(pins);
            }
        }
        for (int i = 0; i < pods; i++) {
            Wanted pod = wanted.apply(i);
            if (pod != null && pod.plan == null) {
                try {
                    pod.get(pins);
                } catch (PlanLimitException e) {
                    refuse.accept(RequestException.overLimit(e, "spec.topologySpreadConstraints"), i);
                }
            }
        }
    }

    /** A pod whose plan a call needs, and the plan once it is found. Not thread-safe. */
    public final class Wanted {
        private final PodCache.Entry pod;
        private final int unjudged;
        private final EntryRules rules;
        private final SpreadDefaults defaults;
        private @Nullable PodPlan plan;

        private Wanted(PodCache.Entry pod, int unjudged, EntryRules rules, SpreadDefaults defaults) {
            this.pod = pod;
            this.unjudged = unjudged;
            this.rules = rules;
            this.defaults = defaults;
        }

        /** The number of constraints in force for the pod. */
        public int constraints() {
            return pod.constraints(defaults);
        }

        /** The approximate size in bytes of the message for a node that lacks all resources that the pod asks for. */
        public int shortageBytes() {
            return pod.shortageBytes();
        }

        /** The rules that can exclude nodes for the pod at the moment and are not judged; see {@link UnjudgedRules}. */
        public int unjudged() {
            return unjudged | pod.unjudged(engine);
        }

        /** Looks for the plan; returns whether there is one. */
        public boolean find() {
            plan = pod.findPlan(engine, rules, defaults);
            return plan != null;
        }

        /** True if the plan has been found before, or is found now. */
        public boolean isThere() {
            return plan != null || find();
        }

        /** Pins the plan in {@code pins}. If the engine has evicted it meanwhile, it counts as not found. */
        private void pinIn(PlanPins pins) {
            if (isThere() && !pins.pin(plan())) {
                plan = null;
            }
        }

        /** The plan, which must have been found. */
        public PodPlan plan() {
            return Objects.requireNonNull(plan);
        }

        /** The plan, pinned by {@code pins}. Compiles it if none was found. */
        public PodPlan get(PlanPins pins) {
            pinIn(pins);
            if (plan == null) {
                misses.increment();
                compile(pins);
            }
            return plan();
        }

        private void compile(PlanPins pins) {
            plan = pod.plan(pins, rules, defaults);
        }
    }
}
