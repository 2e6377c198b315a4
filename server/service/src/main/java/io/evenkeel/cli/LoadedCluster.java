package io.evenkeel.cli;

import io.evenkeel.client.PlacementClient;
import io.evenkeel.client.PlacementException;
import io.evenkeel.kube.ClusterReadException;
import io.evenkeel.kube.KubeFeed;
import io.evenkeel.kube.NamespaceLister;
import io.evenkeel.kube.WorkloadClient;
import io.evenkeel.kube.client.ClusterAccess;
import io.evenkeel.manifest.ClaimNotes;
import io.evenkeel.manifest.PodManifest;
import io.evenkeel.manifest.PodSearch;
import io.evenkeel.manifest.Storage;
import io.evenkeel.objects.IncomingPodTranslator;
import io.evenkeel.objects.InvalidObjectException;
import io.evenkeel.objects.PodLimits;
import io.evenkeel.objects.UnjudgedRules;
import io.evenkeel.placement.ClusterStateHandler;
import io.evenkeel.placement.Instance;
import io.evenkeel.placement.InstanceOptions;
import io.evenkeel.placement.call.Limits;
import io.evenkeel.placement.call.ProfileDefaults;
import io.evenkeel.v1.ApplyRequest;
import io.evenkeel.v1.ClusterEvent;
import io.evenkeel.v1.ClusterObject;
import io.evenkeel.v1.ExplainRequest;
import io.evenkeel.v1.ExplainResponse;
import io.evenkeel.v1.GetStatusRequest;
import io.evenkeel.v1.Node;
import io.evenkeel.v1.ObjectMeta;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.PodReference;
import io.evenkeel.v1.Unjudged;
import io.evenkeel.v1.UnjudgedRule;
import java.io.IOException;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A cluster that is loaded for one question, from files or from an API server, or that follows an API server. */
final class LoadedCluster implements AskedCluster {
    /** Unlimited, because the response does not leave this process. */
    private static final Limits NO_LIMIT =
            Limits.builder().responseBytes(Long.MAX_VALUE).build();

    private final String source;
    private final ProfileDefaults defaults;
    private final ClusterOptions.Needs needs;
    private final PodSearch pods;
    private final Consumer<String> warnings;
    private final Instance instance;
    private final PlacementClient client;
    private final Storage storage;
    private @Nullable ClusterInput files;
    private @Nullable KubeFeed feed;

    private LoadedCluster(
            String source,
            ClusterOptions.Needs needs,
            ProfileDefaults defaults,
            Consumer<String> warnings,
            Storage storage) {
        this.source = source;
        this.needs = needs;
        this.pods = needs.pods();
        this.defaults = defaults;
        this.warnings = warnings;
        this.storage = storage;
        instance =
                new Instance(InstanceOptions.standard().withDefaults(defaults).withLimits(NO_LIMIT));
        client = PlacementClient.over(new InstanceTransport(instance), Duration.ofDays(1));
    }

    /** Reads the files together as one cluster. */
    static LoadedCluster ofFiles(
            List<String> files, ClusterOptions.Needs needs, ProfileDefaults defaults, Consumer<String> warnings)
            throws IOException {
        String source =
                String.join(", ", files.stream().map(ClusterInput::called).toList());
        ClusterInput input = new ClusterInput(needs, warnings, summary -> {});
        LoadedCluster loaded = new LoadedCluster(source, needs, defaults, warnings, input.storage());
        try {
            input.read(files, loaded.instance.clusterState());
            loaded.files = input;
            return loaded;
        } catch (IOException | RuntimeException e) {
            loaded.close();
            throw e;
        }
    }

    /** Reads what is needed from the API server: always the nodes. */
    static LoadedCluster ofServer(
            ClusterAccess access, ClusterOptions.Needs needs, ProfileDefaults defaults, Consumer<String> warnings)
            throws CommandFailure {
        LoadedCluster loaded = new LoadedCluster(access.server(), needs, defaults, warnings, new KubeStorage(access));
        try {
            new NamespaceLister(access, needs.namespace(), needs.everyPod())
                    .read(
                            loaded.instance.clusterState(),
                            object -> {
                                if (object instanceof Pod pod) {
                                    needs.pods().look(pod);
                                }
                                needs.objects().accept(object);
                            },
                            refusal -> warnings.accept(access.server() + ": " + ClusterInput.text(refusal)));
            return loaded;
        } catch (ClusterReadException e) {
            loaded.close();
            throw new CommandFailure("--kube: " + e.getMessage());
        } catch (InterruptedException e) {
            loaded.close();
            Thread.currentThread().interrupt();
            throw new CommandFailure("--kube: interrupted");
        }
    }

    /**
     * Follows the API server until it is closed. Calls fail until {@code start}'s feed has made the state ready.
     *
     * @param start begins the feed
     */
    static LoadedCluster following(
            ClusterAccess access,
            ProfileDefaults defaults,
            Consumer<String> warnings,
            BiFunction<ClusterStateHandler, ClusterAccess, KubeFeed> start) {
        LoadedCluster following = new LoadedCluster(
                access.server(),
                ClusterOptions.Needs.everyPod(null, object -> {}),
                defaults,
                warnings,
                new KubeStorage(access));
        following.feed = start.apply(following.instance.clusterState(), access);
        return following;
    }

    @Override
    public PodReference reference(String namespace, String name) throws CommandFailure {
        Pod pod = pods.found();
        if (pod == null) {
            String kind = WorkloadClient.kindCalled(namespace);
            List<String> near = kind == null ? pods.nearNames() : List.of("the workload " + kind + "/" + name);
            throw new CommandFailure(Paragraphs.printable("there is no pod " + namespace + "/" + name + " in " + source
                    + (near.isEmpty() ? "" : "; did you mean " + String.join(", or ", near) + "?")));
        }
        warnOfGaps(PodManifest.of(pod));
        return PodReference.newBuilder()
                .setUid(pod.getMetadata().getUid())
                .setNamespace(namespace)
                .setName(name)
                .build();
    }

    @Override
    public @Nullable Pod pod() {
        return pods.found();
    }

    /** Each node is replaced by one with a known UID, which is then deleted. */
    @Override
    public void removeNodes(Collection<String> nodes) throws CommandFailure {
        for (String name : new LinkedHashSet<>(nodes)) {
            ClusterObject node = ClusterObject.newBuilder()
                    .setNode(Node.newBuilder()
                            .setMetadata(ObjectMeta.newBuilder().setName(name).setUid("--without-node " + name)))
                    .build();
            long before = nodeCount();
            apply(ClusterEvent.Type.TYPE_ADDED, node);
            if (nodeCount() != before) {
                throw new CommandFailure(
                        Paragraphs.printable("there is no node " + name + " in " + source + " (--without-node)"));
            }
            apply(ClusterEvent.Type.TYPE_DELETED, node);
        }
    }

    private long nodeCount() {
        return instance.clusterState()
                .getStatus(GetStatusRequest.getDefaultInstance())
                .getNodeCount();
    }

    private void apply(ClusterEvent.Type type, ClusterObject object) {
        instance.clusterState()
                .apply(ApplyRequest.newBuilder()
                        .addEvents(ClusterEvent.newBuilder().setType(type).setObject(object))
                        .build());
    }

    @Override
    public Set<String> standIns() {
        return pods.standIns();
    }

    @Override
    public void warnOfGaps(PodManifest manifest) {
        ClusterInput input = files;
        if (input != null) {
            Pod pod = manifest.pod();
            input.warnOfGaps(
                    pod, manifest.selector() != null, defaults.of(pod.getSpec().getSchedulerName()));
        }
    }

    @Override
    public ExplainResponse explain(ExplainRequest request) throws CommandFailure {
        ExplainResponse response = AskedCluster.super.explain(request);
        Pod pod = request.hasPod() ? request.getPod() : Objects.requireNonNull(pods.found());
        warnOfOtherNamespaces(pod, request, response);
        return withWhatTheClusterShows(pod, response);
    }

    @Override
    public String unknown(String pod) {
        return "the pod " + pod + " could not be loaded: see the warnings above";
    }

    @Override
    public PlacementClient client() {
        return client;
    }

    @Override
    public CommandFailure failure(PlacementException e) {
        return new CommandFailure(Paragraphs.printable(e.description()));
    }

    private void warnOfOtherNamespaces(Pod pod, ExplainRequest request, ExplainResponse response) {
        try {
            String warning =
                    pods.namespaces().warning(new IncomingPodTranslator(PodLimits.DEFAULT).translate(pod), response);
            if (warning != null) {
                warnings.accept(request.hasPod() ? warning + "; does the pod need --namespace?" : warning);
            }
        } catch (InvalidObjectException e) {
            throw new IllegalStateException("the pod was explained", e);
        }
    }

    /** The response, which also says what the cluster shows about the pod's claims, and what was not read. */
    private ExplainResponse withWhatTheClusterShows(Pod pod, ExplainResponse response) {
        ExplainResponse.Builder with = response.toBuilder();
        for (Unjudged.Builder each : with.getUnjudgedBuilderList()) {
            if (each.getRule() == UnjudgedRule.UNJUDGED_RULE_VOLUMES) {
                each.setMessage(each.getMessage() + new ClaimNotes(storage).of(pod));
            }
        }
        if (files == null && !needs.everyPod()) {
            with.addUnjudged(Unjudged.newBuilder()
                    .setRule(UnjudgedRule.UNJUDGED_RULE_ANTI_AFFINITY_OF_OTHERS)
                    .setMessage("Pods of other namespaces were not read, so it is not known whether they have required"
                            + " anti-affinity to this pod."));
            String name = UnjudgedRules.name(UnjudgedRule.UNJUDGED_RULE_ANTI_AFFINITY_OF_OTHERS);
            if (!with.getUnjudgedRulesList().contains(name)) {
                with.addUnjudgedRules(name);
            }
        }
        return with.build();
    }

    @Override
    public void close() {
        KubeFeed open = feed;
        if (open != null) {
            open.close();
        }
        client.close();
    }
}
