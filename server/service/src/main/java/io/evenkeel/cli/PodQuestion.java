package io.evenkeel.cli;

import com.google.protobuf.Message;
import io.evenkeel.client.CandidateNodes;
import io.evenkeel.kube.WorkloadClient;
import io.evenkeel.kube.client.ClusterAccess;
import io.evenkeel.manifest.PodManifest;
import io.evenkeel.manifest.PodSearch;
import io.evenkeel.placement.answer.FitSummary;
import io.evenkeel.v1.DefaultConstraints;
import io.evenkeel.v1.ExplainRequest;
import io.evenkeel.v1.ExplainResponse;
import io.evenkeel.v1.LabelSelector;
import io.evenkeel.v1.ObjectMeta;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.PodReference;
import io.evenkeel.v1.ReasonCount;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The options of the commands that ask about one pod. Queries the cluster that they name and prints the answer. */
public final class PodQuestion {
    public static final String ANSWERED = "0:the pod was evaluated, whether or not a node is available";
    public static final String NOT_DONE =
            "2:wrong usage, a file or a server that cannot be read, an answer that cannot be written, or a pod"
                    + " that does not exist or is invalid";

    /** A kind begins with a capital letter, unlike a namespace. */
    private static final Pattern WORKLOAD =
            Pattern.compile("((?<namespace>[^A-Z/]+)/)?(?<workload>[A-Z][A-Za-z0-9]*/[^/]+)");

    private static final int ALL = Integer.MAX_VALUE;

    @Spec(Spec.Target.MIXEE)
    @SuppressWarnings("NullAway.Init") // Set by picocli.
    private CommandSpec spec;

    @Mixin
    private ClusterOptions cluster = new ClusterOptions();

    @ArgGroup(multiplicity = "1")
    private Which which = new Which();

    /** The options that name the pod: one in the cluster, or one from a manifest. */
    static final class Which {
        @Parameters(
                paramLabel = "[NAMESPACE/][KIND/]NAME",
                description =
                        "A pod of the cluster, pending or placed. With a KIND, such as Deployment/web or Rollout/web: the next pod of"
                                + " a workload in the files of --cluster or, of Kubernetes' own kinds, behind the API server of --kube. Without a namespace here or in -n, it is default or, with --kube, that of the context.")
        private @Nullable String name;

        @Option(
                names = "--pod",
                paramLabel = "FILE",
                description =
                        "A pod that does not exist yet: the manifest of a Pod, or of a Deployment, ReplicaSet, StatefulSet, DaemonSet,"
                                + " ReplicationController, Job, CronJob or PodTemplate, or of another kind with a pod template in spec.template."
                                + " A workload is represented by a pod of its next revision. Other kinds in the file are skipped. - is standard"
                                + " input.")
        private @Nullable String manifest;
    }

    @Option(
            names = "--workload",
            paramLabel = "KIND/NAME",
            description =
                    "The workload in the file of --pod, for instance Deployment/web; needed if the file has several.")
    private @Nullable String workload;

    @Option(
            names = {"-n", "--namespace"},
            paramLabel = "NAMESPACE",
            description =
                    "The namespace of the pod, if neither its name nor its manifest gives one (default: default; with --kube, that of the context).")
    private @Nullable String namespace;

    @Option(
            names = "--without-node",
            paramLabel = "NODE",
            description =
                    "Answer as if the cluster did not have this node, whose pods are then not counted. Can be repeated; with --cluster or"
                            + " --kube.")
    private List<String> withoutNodes = new ArrayList<>();

    @ArgGroup(multiplicity = "0..1")
    private DefaultsOptions defaults = new DefaultsOptions();

    @Mixin
    private OutputOptions output = new OutputOptions();

    /** The rules before the constraints, named as they are typed. */
    enum Rules {
        fitting,
        enterable
    }

    @Option(
            names = "--rules",
            paramLabel = "fitting|enterable",
            defaultValue = "fitting",
            description =
                    "The rules to check before the constraints: enterable is cordons, taints and node affinity; fitting also"
                            + " checks nodeName, host ports and resources, for which --kube reads the pods of all namespaces"
                            + " (default: ${DEFAULT-VALUE}).")
    private Rules rules = Rules.fitting;

    /** No question yet. */
    public PodQuestion() {}

    /** What a command does with the pod. */
    public interface Use {
        /**
         * Uses the pod.
         *
         * @param subject the pod: as in its manifest, or as in the cluster
         */
        void of(AskedCluster cluster, PodManifest subject) throws IOException;
    }

    /** The pod in question: in the cluster, or from a manifest. */
    private record Subject(@Nullable PodManifest manifest, String namespace, String name, boolean isInFiles) {}

    /**
     * Queries the cluster about the pod and prints the answer.
     *
     * @param asText formats the answer as text
     * @param asMessage converts the answer to the message that is printed as JSON
     */
    public void answer(
            BiFunction<ExplainText, ExplainResponse, String> asText, Function<ExplainResponse, Message> asMessage)
            throws IOException {
        checkUsage();
        DefaultConstraints inForce = cluster.defaults(defaults, spec.commandLine());
        Subject subject = subject();
        PodManifest manifest = subject.manifest();
        try (AskedCluster asked = open(subject, object -> {})) {
            ExplainRequest.Builder request = ExplainRequest.newBuilder()
                    .setCandidates(rules == Rules.fitting ? CandidateNodes.fitting() : CandidateNodes.enterable())
                    .setMaxDomains(ALL)
                    .setMaxVerdicts(ALL);
            if (inForce != null) {
                request.setDefaults(inForce);
            }
            PodManifest judged = manifest == null ? null : judged(manifest, asked);
            if (judged == null) {
                request.setPodReference(asked.reference(subject.namespace(), subject.name()));
            } else {
                setPod(request, judged);
            }
            ExplainResponse response = explain(asked, request);
            PodTitle title = judged == null
                    ? PodTitle.of(response.getPod(), response.getPlaced())
                    : PodTitle.of(judged, response.getPlaced());
            Pod pod = judged == null ? asked.pod() : judged.pod();
            ExplainText text = new ExplainText(rows(), pod == null ? PodState.UNKNOWN : new PodState(pod));
            print(
                    () -> title + System.lineSeparator() + asText.apply(text, response),
                    () -> JsonText.of(asMessage.apply(response)));
        }
    }

    private static PodManifest judged(PodManifest manifest, AskedCluster asked) {
        PodManifest judged = manifest.withoutClashes(asked.standIns()).identifiedBy(asked.pod());
        asked.warnOfGaps(judged);
        return judged;
    }

    /**
     * Opens the cluster, and lets {@code use} ask more than one question about the pod.
     *
     * @param objects first called with each node and pod of the cluster; not of a server, which lists none
     */
    public void use(Consumer<Message> objects, Use use) throws IOException {
        checkUsage();
        if (rules != Rules.fitting) {
            throw wrongUsage("--rules=enterable is only for questions about one pod");
        }
        cluster.requireDefaultsOfServer(defaults, spec.commandLine());
        Subject subject = subject();
        PodManifest manifest = subject.manifest();
        try (AskedCluster asked = open(subject, objects)) {
            if (manifest == null) {
                asked.reference(subject.namespace(), subject.name());
                Pod pod = asked.pod();
                if (pod == null) {
                    throw new CommandFailure(
                            "a server does not list its pods: with --server, give a manifest in --pod");
                }
                use.of(asked, PodManifest.of(pod));
            } else {
                use.of(asked, judged(manifest, asked));
            }
        }
    }

    private Subject subject() throws IOException {
        String name = which.name;
        Matcher ofWorkload = WORKLOAD.matcher(name == null ? "" : name);
        PodManifest manifest = name == null ? manifest() : ofWorkload.matches() ? workload(ofWorkload) : null;
        if (manifest == null) {
            String pod = String.valueOf(name);
            return new Subject(null, namespace(pod), pod.replaceFirst(".*/", ""), ofWorkload.matches());
        }
        ObjectMeta metadata = manifest.pod().getMetadata();
        return new Subject(manifest, metadata.getNamespace(), metadata.getName(), ofWorkload.matches());
    }

    private AskedCluster open(Subject subject, Consumer<Message> objects) throws IOException {
        String wanted = subject.name().isEmpty() ? null : subject.namespace() + "/" + subject.name();
        ClusterOptions.Needs needs = new ClusterOptions.Needs(
                subject.namespace(), rules == Rules.fitting, new PodSearch(wanted), subject.isInFiles(), objects);
        AskedCluster asked = cluster.open(needs, defaults, this::warn);
        try {
            asked.removeNodes(withoutNodes);
            return asked;
        } catch (CommandFailure e) {
            asked.close();
            throw e;
        }
    }

    /** Whether the cluster is that of a running server. */
    public boolean asksServer() {
        return cluster.isServed();
    }

    /** The maximum number of rows in each table. */
    public int rows() {
        return output.rows();
    }

    /** Prints an answer in the chosen format. */
    public void print(Supplier<String> text, Supplier<String> json) {
        output.print(spec.commandLine(), text, json);
    }

    /**
     * Omits the revision, which means nothing outside the command and differs from one source to another. The summary
     * calls no node available that a rule which was not judged may exclude.
     */
    private ExplainResponse explain(AskedCluster asked, ExplainRequest.Builder request) throws CommandFailure {
        ExplainResponse.Builder response =
                asked.explain(request.build()).toBuilder().clearRevision();
        if (rules == Rules.enterable && response.getPassedCount() > 0) {
            response.setSummary(FitSummary.of(
                    response.getPassedCount(),
                    response.getCandidateCount(),
                    response.getReasonsList().stream()
                            .collect(Collectors.toMap(ReasonCount::getMessage, ReasonCount::getNodeCount)),
                    response.getUnjudgedRulesList()));
        }
        return response.build();
    }

    private void checkUsage() throws CommandFailure {
        cluster.requireOneStandardInput(which.manifest, spec.commandLine());
        output.check(spec.commandLine());
        String name = which.name;
        if (name != null && !WORKLOAD.matcher(name).matches() && !name.matches("([^/]+/)?[^/]+")) {
            throw wrongUsage("the pod must be named as NAME or NAMESPACE/NAME, or the workload as KIND/NAME, was '"
                    + name + "'");
        }
        if (name != null && namespace != null && name.matches("[^A-Z/]+/.+") && !name.startsWith(namespace + "/")) {
            throw wrongUsage("the pod and --namespace must name the same namespace, was '" + name
                    + "' with --namespace " + namespace);
        }
        if (namespace != null && namespace.isEmpty()) {
            throw wrongUsage("--namespace must not be empty");
        }
        String chosen = workload;
        if (chosen != null && which.manifest == null) {
            throw wrongUsage("--workload needs --pod");
        }
        if (chosen != null && !chosen.matches("[^/]+/[^/]*")) {
            throw wrongUsage("--workload must be KIND/NAME, was '" + chosen + "'");
        }
        cluster.check(spec.commandLine());
    }

    /** The namespace of the pod in the question. */
    private String namespace(String name) {
        int slash = name.indexOf('/');
        return slash >= 0 ? name.substring(0, slash) : Objects.requireNonNullElse(namespace, cluster.namespace());
    }

    private ParameterException wrongUsage(String message) {
        return new ParameterException(spec.commandLine(), message);
    }

    /** The next pod of a workload in the files of the cluster, or behind its API server. */
    private PodManifest workload(Matcher name) throws IOException {
        String given = name.group("namespace");
        String in = given == null ? Objects.requireNonNullElse(namespace, cluster.namespace()) : given;
        String title = name.group("workload");
        String kind = title.substring(0, title.indexOf('/'));
        ClusterAccess access = cluster.access();
        if (access != null && WorkloadClient.knows(kind)) {
            return behind(access, kind, title.substring(kind.length() + 1), in);
        }
        List<String> files = cluster.files();
        if (files.isEmpty() || files.stream().anyMatch(ClusterInput::isReadOnce)) {
            throw wrongUsage("a " + (access == null ? "workload" : kind)
                    + " is found by its name only in regular files of --cluster, was '" + which.name
                    + "'; otherwise save it with `kubectl get " + title.toLowerCase(Locale.ROOT) + " -n " + in
                    + " -o yaml > pod.yaml`, and use --pod pod.yaml");
        }
        return ManifestChoice.next(files, title, in);
    }

    private static PodManifest behind(ClusterAccess access, String kind, String name, String namespace)
            throws CommandFailure {
        try {
            return ManifestChoice.next(access, kind, name, namespace);
        } catch (IOException e) {
            throw new CommandFailure(Paragraphs.printable("--kube: " + e.getMessage()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CommandFailure("--kube: interrupted");
        }
    }

    private PodManifest manifest() throws IOException {
        return new ManifestChoice(String.valueOf(which.manifest), workload, namespace)
                .read(this::warn)
                .orIn(cluster.namespace());
    }

    private static void setPod(ExplainRequest.Builder request, PodManifest manifest) {
        Pod pod = manifest.pod();
        request.setPod(pod);
        LabelSelector selector = manifest.controllerSelector();
        if (selector != null) {
            request.setControllerSelector(selector);
        }
        ObjectMeta metadata = pod.getMetadata();
        if (!metadata.getUid().isEmpty() || !metadata.getName().isEmpty()) {
            request.getOverlayBuilder()
                    .addWithout(PodReference.newBuilder()
                            .setUid(metadata.getUid())
                            .setNamespace(metadata.getNamespace())
                            .setName(metadata.getName()));
        }
    }

    private void warn(String message) {
        OutputOptions.warn(spec.commandLine(), message);
    }
}
