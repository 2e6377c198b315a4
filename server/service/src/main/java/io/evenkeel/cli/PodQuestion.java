package io.evenkeel.cli;

import com.google.protobuf.Message;
import io.evenkeel.manifest.PodManifest;
import io.evenkeel.placement.Instance;
import io.evenkeel.placement.InstanceOptions;
import io.evenkeel.placement.call.Limits;
import io.evenkeel.placement.call.ProfileDefaults;
import io.evenkeel.placement.call.RequestException;
import io.evenkeel.v1.Candidates;
import io.evenkeel.v1.ClusterObject;
import io.evenkeel.v1.EnterableNodes;
import io.evenkeel.v1.ExplainRequest;
import io.evenkeel.v1.ExplainResponse;
import io.evenkeel.v1.ObjectMeta;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.PodReference;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * The options of the commands that ask about one pod, with a cluster in files. It reads the files, asks, and prints the
 * answer.
 */
final class PodQuestion {
    static final String ANSWERED = "0:the pod was judged, whether or not a node is available";
    static final String NOT_DONE =
            "2:wrong usage, a file that cannot be read, an answer that cannot be written, or a pod"
                    + " that is not there or not valid";

    /** No limit on the response, since it is used in this process only. */
    private static final Limits NO_LIMIT =
            Limits.builder().responseBytes(Long.MAX_VALUE).build();

    private static final String DEFAULT_NAMESPACE = "default";

    private static final int ALL = Integer.MAX_VALUE;

    @Spec(Spec.Target.MIXEE)
    @SuppressWarnings("NullAway.Init") // Set by picocli.
    private CommandSpec spec;

    @Option(
            names = "--cluster",
            required = true,
            paramLabel = "FILE",
            description =
                    "The cluster: what `kubectl get nodes,pods,services,replicationcontrollers,replicasets,"
                            + "statefulsets -A -o json` prints, or YAML, plain or gzip. - is standard input. Several are read as one.")
    private List<String> cluster = new ArrayList<>();

    @ArgGroup(multiplicity = "1")
    private Which which = new Which();

    /** The options that name the pod: one of the cluster, or one from a manifest. */
    static final class Which {
        @Parameters(
                paramLabel = "[NAMESPACE/]NAME",
                description =
                        "A pod of the cluster, pending or placed. The namespace is named here or by -n; without either it is default.")
        private @Nullable String name;

        @Option(
                names = "--pod",
                paramLabel = "FILE",
                description =
                        "A pod that does not exist yet: the manifest of a Pod, or of a Deployment, ReplicaSet, StatefulSet,"
                                + " ReplicationController, Job, CronJob or PodTemplate. A workload is judged by a pod of its next revision. Other"
                                + " kinds in the file are skipped. - is standard input.")
        private @Nullable String manifest;
    }

    @Option(
            names = "--workload",
            paramLabel = "KIND/NAME",
            description =
                    "Which workload in the file of --pod is meant, as Deployment/web; needed where there are several.")
    private @Nullable String workload;

    @Option(
            names = {"-n", "--namespace"},
            paramLabel = "NAMESPACE",
            description =
                    "The namespace of the pod, where neither its name nor its manifest names one (default: default).")
    private @Nullable String namespace;

    @ArgGroup(multiplicity = "0..1")
    private DefaultsOptions defaults = new DefaultsOptions();

    /** The formats, named as they are typed. */
    enum Output {
        text,
        json
    }

    @Option(
            names = {"-o", "--output"},
            paramLabel = "text|json",
            defaultValue = "text",
            description =
                    "The format of the answer: text for a person, json for a program (default: ${DEFAULT-VALUE}).")
    private Output output = Output.text;

    @Option(
            names = "--rows",
            paramLabel = "N",
            defaultValue = "20",
            description = "How many rows a table in the text has at most (default: ${DEFAULT-VALUE}).")
    private int rows;

    PodQuestion() {}

    /**
     * Asks about the pod, and prints the answer.
     *
     * @param asText writes the answer as text
     * @param asMessage gives the message that is printed as JSON
     */
    void answer(BiFunction<ExplainText, ExplainResponse, String> asText, Function<ExplainResponse, Message> asMessage)
            throws IOException {
        checkUsage();
        ProfileDefaults inForce = defaults.read();
        try (Instance instance =
                new Instance(InstanceOptions.standard().withDefaults(inForce).withLimits(NO_LIMIT))) {
            ClusterInput input = new ClusterInput(wanted(), this::warn, found -> {});
            input.read(cluster, instance.clusterState());
            PodManifest manifest = manifest(input);
            ClusterObject controller = manifest.controller();
            if (controller != null) {
                input.add(controller, ClusterInput.called(String.valueOf(which.manifest)), instance.clusterState());
            }
            Pod pod = manifest.pod();
            input.warnOfGaps(pod, inForce.of(pod.getSpec().getSchedulerName()));
            ExplainResponse response = explain(instance, pod);
            PrintWriter out = spec.commandLine().getOut();
            if (output == Output.json) {
                out.println(JsonText.of(asMessage.apply(response)));
            } else {
                out.println(new PodTitle(manifest, response.getPlaced()));
                out.print(asText.apply(new ExplainText(rows), response));
            }
            out.flush();
        }
    }

    private void checkUsage() {
        long timesStandardInput = cluster.stream().filter("-"::equals).count() + ("-".equals(which.manifest) ? 1 : 0);
        if (timesStandardInput > 1) {
            throw wrongUsage("standard input can be read only once");
        }
        if (rows < 1) {
            throw wrongUsage("--rows must be at least 1, was " + rows);
        }
        String name = which.name;
        if (name != null && !name.matches("([^/]+/)?[^/]+")) {
            throw wrongUsage("the pod must be named as NAME or NAMESPACE/NAME, was '" + name + "'");
        }
        if (name != null && namespace != null && name.indexOf('/') >= 0 && !name.startsWith(namespace + "/")) {
            throw wrongUsage("the pod must be in one namespace, was '" + name + "' with --namespace " + namespace);
        }
        if (namespace != null && namespace.isEmpty()) {
            throw wrongUsage("--namespace must not be empty");
        }
        String chosen = workload;
        if (chosen != null && which.manifest == null) {
            throw wrongUsage("--workload goes with --pod only");
        }
        if (chosen != null && !chosen.matches("[^/]+/[^/]*")) {
            throw wrongUsage("--workload must be KIND/NAME, was '" + chosen + "'");
        }
    }

    /**
     * The name of the pod of the cluster that is asked about, with its namespace; null where the pod comes from a
     * manifest.
     */
    private @Nullable String wanted() {
        String name = which.name;
        return name == null || name.indexOf('/') >= 0
                ? name
                : Objects.requireNonNullElse(namespace, DEFAULT_NAMESPACE) + "/" + name;
    }

    private ParameterException wrongUsage(String message) {
        return new ParameterException(spec.commandLine(), message);
    }

    private PodManifest manifest(ClusterInput input) throws IOException {
        String file = which.manifest;
        if (file != null) {
            return new ManifestChoice(file, workload, namespace)
                    .read(this::warn)
                    .beside(input.standIns());
        }
        Pod pod = input.found();
        if (pod == null) {
            String files =
                    String.join(", ", cluster.stream().map(ClusterInput::called).toList());
            List<String> near = input.nearNames();
            throw new CommandFailure(Paragraphs.printable("there is no pod " + wanted() + " in " + files
                    + (near.isEmpty() ? "" : "; did you mean " + String.join(", or ", near) + "?")));
        }
        return PodManifest.of(pod);
    }

    private static ExplainResponse explain(Instance instance, Pod pod) throws CommandFailure {
        ExplainRequest.Builder request = ExplainRequest.newBuilder()
                .setPod(pod)
                .setCandidates(Candidates.newBuilder().setEnterable(EnterableNodes.getDefaultInstance()))
                .setMaxDomains(ALL)
                .setMaxVerdicts(ALL);
        ObjectMeta metadata = pod.getMetadata();
        if (!metadata.getUid().isEmpty() || !metadata.getName().isEmpty()) {
            request.getOverlayBuilder()
                    .addWithout(PodReference.newBuilder()
                            .setUid(metadata.getUid())
                            .setNamespace(
                                    metadata.getNamespace().isEmpty() ? DEFAULT_NAMESPACE : metadata.getNamespace())
                            .setName(metadata.getName()));
        }
        try {
            // The revision is left out: it belongs to an instance that ends with the command.
            return instance.placement().prepare(request.build()).answer().toBuilder()
                    .clearRevision()
                    .build();
        } catch (RequestException e) {
            throw new CommandFailure(e.getMessage());
        }
    }

    private void warn(String message) {
        PrintWriter err = spec.commandLine().getErr();
        err.println(spec.qualifiedName() + ": warning: " + Paragraphs.printable(message));
        err.flush();
    }
}
