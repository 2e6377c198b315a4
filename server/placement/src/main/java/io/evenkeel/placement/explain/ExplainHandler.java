package io.evenkeel.placement.explain;

import io.evenkeel.engine.cluster.InvalidSlotsException;
import io.evenkeel.engine.cluster.NodeSubset;
import io.evenkeel.engine.lock.StopSignal;
import io.evenkeel.engine.model.EntryRules;
import io.evenkeel.engine.model.Overlay;
import io.evenkeel.engine.model.PodKey;
import io.evenkeel.engine.model.PodSelector;
import io.evenkeel.engine.model.SpreadDefaults;
import io.evenkeel.engine.model.StoredPod;
import io.evenkeel.engine.plan.PlanLimitException;
import io.evenkeel.engine.plan.PlanPins;
import io.evenkeel.engine.plan.PodPlan;
import io.evenkeel.objects.InvalidObjectException;
import io.evenkeel.objects.TemplateReader;
import io.evenkeel.placement.answer.MessageHandler;
import io.evenkeel.placement.call.Limits;
import io.evenkeel.placement.call.Prepared;
import io.evenkeel.placement.call.RequestException;
import io.evenkeel.placement.call.SessionLookup;
import io.evenkeel.placement.query.CandidateBits;
import io.evenkeel.placement.query.OverlayReader;
import io.evenkeel.placement.query.PodPlans;
import io.evenkeel.placement.query.PodReferences;
import io.evenkeel.placement.query.QueryServices;
import io.evenkeel.placement.query.RequestReader;
import io.evenkeel.v1.ExplainRequest;
import io.evenkeel.v1.ExplainResponse;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.ReferencedPod;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Answers Explain: everything that the answer for one pod depends on. Thread-safe. */
public final class ExplainHandler extends MessageHandler<ExplainRequest, ExplainResponse> {
    private static final String REFERENCE = "podReference";
    private static final String CONTROLLER_SELECTOR = "controllerSelector";
    private static final int DEFAULT_MAX_DOMAINS = 100;
    private static final int DEFAULT_MAX_VERDICTS = 100;

    /**
     * The approximate size of a node in bytes: its name, verdict, reason, and its domain for each constraint. A listed
     * domain takes about as much.
     */
    private static final int BYTES_A_NODE = 200;

    private static final int BYTES_A_SPOT = 30;
    private static final int BYTES_A_DOMAIN = 100;

    private final QueryServices services;

    /** @param sessions finds the handler of the same method in a session */
    public ExplainHandler(QueryServices services, SessionLookup<ExplainHandler> sessions) {
        super(
                services.access(),
                ExplainRequest.parser(),
                ExplainRequest::getFreshness,
                ExplainRequest::getSession,
                sessions);
        this.services = services;
    }

    @Override
    protected Prepared<ExplainResponse> prepare(ExplainRequest message) {
        return new Explanation(message);
    }

    /** The explanation of one pod. Not thread-safe. */
    private final class Explanation implements Prepared<ExplainResponse> {
        private final ExplainRequest request;
        private final NodeSubset candidates;
        private final EntryRules rules;
        private final @Nullable SpreadDefaults ownDefaults;
        private final @Nullable Subject given;
        private final @Nullable PodKey reference;
        private final Overlay overlay;
        private final int maxDomains;
        private final int maxVerdicts;

        /**
         * The pod to explain.
         *
         * @param node the node that it is on in the cluster; empty if there is none
         * @param overlay the request's overlay, which also removes the pod itself if it is in the cluster
         */
        private record Subject(Pod message, String node, PodPlans.Wanted wanted, Overlay overlay) {}

        Explanation(ExplainRequest request) {
            this.request = request;
            reference = reference(request);
            maxDomains = Limits.orDefault(request.getMaxDomains(), DEFAULT_MAX_DOMAINS, "maxDomains");
            maxVerdicts = Limits.orDefault(request.getMaxVerdicts(), DEFAULT_MAX_VERDICTS, "maxVerdicts");
            candidates = services.reader().candidates(request.getCandidates(), "candidates");
            rules = RequestReader.rules(request.getCandidates(), "candidates");
            ownDefaults = services.reader().ownDefaults(request.getDefaults(), "defaults");
            PodSelector ofController = controllerSelector();
            PodPlans.Wanted wanted = reference == null ? read(request.getPod(), "pod", ofController) : null;
            overlay = OverlayReader.read(
                            request.getOverlay(), services.limits().pod().entries())
                    .valid();
            given = wanted == null
                    ? null
                    : new Subject(request.getPod(), nodeInCluster(request.getPod()), wanted, overlay);
        }

        /** The node that the pod is on in the cluster; empty if there is none. */
        private String nodeInCluster(Pod pod) {
            String uid = pod.getMetadata().getUid();
            StoredPod stored = uid.isEmpty() ? null : services.access().engine().pod(PodKey.ofUid(uid));
            return stored == null ? "" : stored.nodeName();
        }

        /** The pod of the cluster that the request refers to; null if the request contains a pod. */
        private static @Nullable PodKey reference(ExplainRequest request) {
            return switch (request.getSubjectCase()) {
                case POD -> null;
                case POD_REFERENCE -> PodReferences.require(request.getPodReference(), REFERENCE);
                case SUBJECT_NOT_SET -> throw RequestException.invalid("pod", "must be set unless podReference is set");
            };
        }

        /** The selector that the pod's controller will have; null for its current one. */
        private @Nullable PodSelector controllerSelector() {
            if (!request.hasControllerSelector()) {
                return null;
            }
            if (reference != null) {
                throw RequestException.invalid(CONTROLLER_SELECTOR, "must be unset with " + REFERENCE);
            }
            try {
                return services.plans()
                        .controllerSelector(request.getPod(), request.getControllerSelector(), CONTROLLER_SELECTOR);
            } catch (InvalidObjectException e) {
                throw RequestException.invalid(e.violations());
            }
        }

        private PodPlans.Wanted read(Pod pod, String field, @Nullable PodSelector controllerSelector) {
            try {
                return services.plans().readWhole(pod, ownDefaults, controllerSelector);
            } catch (InvalidObjectException e) {
                throw RequestException.invalid(e, field);
            }
        }

        /** A pod of the cluster. The counts omit it, even if it has moved before the answer. */
        private Subject subject(StoredPod stored) {
            Pod message = TemplateReader.pod(stored);
            List<PodKey> without = new ArrayList<>(overlay.without());
            without.add(stored.key());
            return new Subject(
                    message, stored.nodeName(), read(message, REFERENCE, null), new Overlay(without, overlay.added()));
        }

        @Override
        public ExplainResponse answer(StopSignal stop) {
            try (PlanPins pins = services.pinPlans(stop)) {
                return reference == null
                        ? explain(Objects.requireNonNull(given), pins, stop)
                        : explain(reference, pins, stop);
            } catch (PlanLimitException e) {
                throw RequestException.overLimit(
                        e, (reference == null ? "pod" : REFERENCE) + ".spec.topologySpreadConstraints");
            } catch (InvalidSlotsException e) {
                throw CandidateBits.refusal(e, "candidates");
            }
        }

        private ExplainResponse explain(PodKey key, PlanPins pins, StopSignal stop) {
            StoredPod stored = services.access().engine().pod(key);
            if (stored == null) {
                throw PodReferences.unknown(key, REFERENCE);
            }
            ExplainResponse response = explain(subject(stored), pins, stop);
            if (response.getUnknownPodsList().contains(PodReferences.of(stored.key()))) {
                // Deleted after it was found.
                throw PodReferences.unknown(key, REFERENCE);
            }
            return response.toBuilder().setPod(message(stored)).build();
        }

        private static ReferencedPod message(StoredPod stored) {
            StoredPod.Binding binding = stored.binding();
            return ReferencedPod.newBuilder()
                    .setUid(stored.key().uid())
                    .setNamespace(stored.namespace())
                    .setName(stored.name())
                    .setNode(binding.nodeName())
                    .setAssumed(binding.assumed())
                    .setTerminating(binding.terminating())
                    .setFinished(binding.finished())
                    .build();
        }

        private ExplainResponse explain(Subject subject, PlanPins pins, StopSignal stop) {
            PodPlan plan = subject.wanted.get(pins);
            admitResponse(
                    plan.pod().constraints().size(), rules == EntryRules.FITTING ? subject.wanted.shortageBytes() : 0);
            PodExplainer.Explained explained = new PodExplainer(
                            services.access().engine())
                    .explain(
                            subject.message,
                            subject.node,
                            plan,
                            subject.wanted.unjudged(),
                            candidates,
                            rules,
                            subject.overlay,
                            maxDomains,
                            maxVerdicts,
                            pins,
                            stop);
            return explained
                    .response()
                    .setRevision(services.access().revision(explained.revision()))
                    .addAllResourceVersions(services.access().versionsFor(explained.versions(), request.getFreshness()))
                    .build();
        }

        /** Rejects a request whose response would be too large, before computing anything. */
        private void admitResponse(int constraints, int shortageBytes) {
            int nodes = services.access().nodes();
            // The message of a node names what it lacks, and the detail names it with the figures.
            long each = BYTES_A_NODE + (long) constraints * BYTES_A_SPOT + 4L * shortageBytes;
            long bytes = Math.min(nodes, maxVerdicts) * each
                    + (long) Math.min(nodes, maxDomains) * constraints * BYTES_A_DOMAIN;
            long most = services.limits().responseBytes();
            if (bytes > most) {
                throw RequestException.overLimit(
                        "maxVerdicts",
                        "maxVerdicts and maxDomains must be small enough for a response of " + most + " bytes; "
                                + constraints + " constraints on " + nodes + " nodes would take about " + bytes);
            }
        }
    }
}
