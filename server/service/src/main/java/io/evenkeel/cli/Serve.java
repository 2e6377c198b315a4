package io.evenkeel.cli;

import io.evenkeel.access.AccessOptions;
import io.evenkeel.admission.ReviewPage;
import io.evenkeel.console.ConsolePages;
import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.kube.KubeFeed;
import io.evenkeel.kube.client.ClusterAccess;
import io.evenkeel.operations.FeedLog;
import io.evenkeel.operations.HttpServer;
import io.evenkeel.operations.OperationsPages;
import io.evenkeel.operations.PrometheusMetrics;
import io.evenkeel.operations.ServerHealth;
import io.evenkeel.operations.ServerLogs;
import io.evenkeel.operations.SkewMetrics;
import io.evenkeel.operations.Tracing;
import io.evenkeel.placement.ClusterStateHandler;
import io.evenkeel.placement.InstanceOptions;
import io.evenkeel.provisioning.ProvisioningController;
import io.evenkeel.service.EvenkeelServer;
import io.evenkeel.service.ListenException;
import io.evenkeel.service.Listener;
import io.evenkeel.service.ServerOptions;
import io.evenkeel.service.StopTimes;
import io.evenkeel.warmup.PreparedParts;
import io.evenkeel.warmup.WarmUp;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import io.opentelemetry.sdk.autoconfigure.spi.ConfigurationException;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The command {@code evenkeel serve}: runs the server until a signal stops it. */
@Command(
        name = "serve",
        modelTransformer = LimitOptions.Added.class,
        description = "Answer over gRPC (evenkeel.v1) until SIGTERM or SIGINT, then let calls in progress complete.",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        usageHelpAutoWidth = true,
        exitCodeList = {
            "2:wrong usage, or an address or file cannot be used",
            "130:stopped by SIGINT",
            "143:stopped by SIGTERM"
        })
public final class Serve implements Callable<Integer> {
    private static final System.Logger LOG = System.getLogger(Serve.class.getName());

    private static final Duration SHORTEST_SKEW_METRICS = Duration.ofSeconds(1);

    /** The formats, named as they are typed. */
    private enum LogFormat {
        text,
        json
    }

    @Spec
    @SuppressWarnings("NullAway.Init") // Set by picocli.
    private CommandSpec spec;

    @Option(
            names = "--listen",
            paramLabel = "ADDRESS",
            converter = ListenerText.class,
            defaultValue = "127.0.0.1:" + ServerOptions.DEFAULT_PORT,
            description = "Address to listen on; can be repeated. HOST:PORT (port 0 picks a free one), or unix:PATH for"
                    + " a Unix domain socket, which only this user can open unless a mode such as ,mode=0660 follows. Each"
                    + " address is printed on standard output once it accepts connections; /readyz reports when queries are"
                    + " answered (default: ${DEFAULT-VALUE}).")
    private List<Listener> listeners = List.of();

    @Option(
            names = "--insecure",
            description = "Allow listening beyond this machine without TLS or without authentication.")
    private boolean insecure;

    @Mixin
    private AccessFiles access = new AccessFiles();

    @Option(
            names = "--metrics",
            paramLabel = "HOST:PORT",
            converter = ListenAddress.class,
            description = "HTTP address for /metrics (Prometheus) and for the probes /livez and /readyz?verbose"
                    + " (default: none).")
    private @Nullable InetSocketAddress metrics;

    @Option(
            names = "--skew-metrics",
            paramLabel = "DURATION",
            converter = Durations.class,
            defaultValue = "0",
            description =
                    "With --metrics: how often to count how unevenly the pods of workloads are spread, at least 1s;"
                            + " the metrics name the worst workloads. 0 means never (default: ${DEFAULT-VALUE}).")
    private Duration skewMetrics = Duration.ZERO;

    @Option(
            names = "--console",
            paramLabel = "HOST:PORT",
            converter = ListenAddress.class,
            description =
                    "Address of a page for browsers, which shows how workloads are spread and why a pod is pending;"
                            + " HTTPS with --tls-cert, otherwise HTTP. It only reads, and needs the right to ask (default: none).")
    private @Nullable InetSocketAddress console;

    @Option(
            names = "--traces",
            description = "Send OpenTelemetry traces of calls, by default to http://localhost:4318. The standard OTEL_"
                    + " environment variables choose the destination and the share of calls.")
    private boolean traces;

    @Option(
            names = "--log-format",
            paramLabel = "text|json",
            defaultValue = "text",
            description = "Format of the log on standard error: text has a line for each message, json a line with a"
                    + " JSON object (default: ${DEFAULT-VALUE}).")
    private LogFormat logFormat = LogFormat.text;

    @Option(
            names = "--admission",
            paramLabel = "HOST:PORT",
            converter = ListenAddress.class,
            description =
                    "HTTPS address of an admission webhook, which warns of spread constraints that cannot work and"
                            + " never denies; see deploy/helm. Needs --tls-cert. Knows the nodes only while they are fed,"
                            + " as with --kube (default: none).")
    private @Nullable InetSocketAddress admission;

    @Option(
            names = "--cluster",
            paramLabel = "FILE",
            arity = "1..*",
            description = "The initial cluster: output of `" + ClusterOptions.KUBECTL
                    + "`, JSON or YAML, plain or gzip. - is standard input.")
    private List<String> cluster = List.of();

    @Mixin
    private KubeOptions kube = new KubeOptions();

    @Mixin
    private ProvisioningOptions provisioning = new ProvisioningOptions();

    @ArgGroup(exclusive = true, multiplicity = "0..1")
    private DefaultsOptions defaults = new DefaultsOptions();

    @Option(
            names = "--assume-ttl",
            paramLabel = "DURATION",
            converter = Durations.class,
            defaultValue = "10m",
            description = "How long an assumed pod counts unless the watch confirms it; 0 means forever (default: "
                    + "${DEFAULT-VALUE}).")
    private Duration assumptionLifetime = Duration.ZERO;

    @Option(
            names = "--lame-duck",
            paramLabel = "DURATION",
            converter = Durations.class,
            defaultValue = "0",
            description =
                    "How long the server keeps answering after a stop signal, while /readyz and health checks fail so"
                            + " that load balancers send calls elsewhere; part of --stop-within (default: ${DEFAULT-VALUE}).")
    private Duration lameDuck = Duration.ZERO;

    @Option(
            names = "--stop-within",
            paramLabel = "DURATION",
            converter = Durations.class,
            defaultValue = "5s",
            description =
                    "How long stopping can take, including --lame-duck. The last fifth of the time after --lame-duck,"
                            + " at most 1s, is reserved for aborting calls that are still in progress (default: ${DEFAULT-VALUE}).")
    private Duration stopWithin = Duration.ZERO;

    @Option(
            names = "--warm-up",
            paramLabel = "DURATION",
            converter = Durations.class,
            defaultValue = "5s",
            description =
                    "Maximum time to warm up the JVM while the cluster is loading, with queries against a built-in"
                            + " sample cluster (default: ${DEFAULT-VALUE}).")
    private Duration warmUp = Duration.ZERO;

    Serve() {}

    @Override
    @SuppressWarnings("try") // The feed runs in the background.
    public Integer call() throws IOException, InterruptedException {
        if (logFormat == LogFormat.json) {
            ServerLogs.writeJson();
        }
        Thread.setDefaultUncaughtExceptionHandler((thread, error) ->
                LOG.log(Level.ERROR, "thread " + thread.getName() + " ended with an exception", error));
        CommandLine command = spec.commandLine();
        ClusterAccess followed = clusterAccess();
        ServerOptions options = options(followed);
        if (admission != null && !options.access().isEncrypted()) {
            throw new ParameterException(command, "--admission needs --tls-cert and --tls-key");
        }
        if (!skewMetrics.isZero() && (metrics == null || skewMetrics.compareTo(SHORTEST_SKEW_METRICS) < 0)) {
            throw new ParameterException(command, "--skew-metrics needs --metrics, and must be 0 or at least 1s");
        }
        refuseOpenListeners(options.access());
        try (PrometheusMetrics meters = metrics == null ? null : new PrometheusMetrics();
                Tracing tracing = traces ? tracing() : null;
                EvenkeelServer server = server(
                        (meters == null ? options : options.withMeters(meters.registry())).withTracing(tracing));
                SkewMetrics skew = meters == null || skewMetrics.isZero()
                        ? null
                        : SkewMetrics.begin(server.instance(), meters.registry(), skewMetrics);
                HttpServer pages = meters == null ? null : pages(metrics, server.health(), meters);
                HttpServer webhook = admission == null ? null : webhook(admission, server);
                HttpServer page = console == null ? null : console(console, server);
                KubeFeed feed = followed == null ? null : follow(followed, server, meters);
                ProvisioningController requests =
                        provisioning.start(followed, server.instance(), problem -> LOG.log(Level.WARNING, problem))) {
            ClusterStateHandler state = server.instance().clusterState();
            if (!warmUp.isZero()) {
                PreparedParts.prepare(server.instance());
                WarmUp unused = WarmUp.begin(
                                warmUp,
                                () -> followed != null
                                        || ObjectKind.ALL.stream()
                                                .anyMatch(
                                                        kind -> state.feed(kind).isListing()))
                        .untilReady(state);
            }
            Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(server, tracing), "evenkeel-stop"));
            if (!cluster.isEmpty()) {
                new ClusterInput(
                                ClusterOptions.Needs.everyPod(null, object -> {}),
                                line -> LOG.log(Level.WARNING, line),
                                line -> LOG.log(Level.INFO, line))
                        .read(cluster, state);
            }
            FeedLog.begin(state, server.health(), LOG::log);
            if (pages != null && metrics != null) {
                LOG.log(Level.INFO, "metrics at http://" + ListenAddress.text(metrics, pages.port()) + "/metrics");
            }
            if (webhook != null && admission != null) {
                LOG.log(
                        Level.INFO,
                        "admission webhook at https://" + ListenAddress.text(admission, webhook.port())
                                + ReviewPage.PATH);
            }
            if (page != null && console != null) {
                String danger = danger(new Listener.Tcp(console), options.access());
                if (danger != null) {
                    LOG.log(Level.WARNING, "--insecure: " + danger);
                }
                LOG.log(
                        Level.INFO,
                        "console at " + (options.access().isEncrypted() ? "https://" : "http://")
                                + ListenAddress.text(console, page.port()) + "/");
            }
            for (Listener each : server.listeners()) {
                String danger = danger(each, options.access());
                if (danger != null) {
                    LOG.log(Level.WARNING, "--insecure: " + danger);
                }
                command.getOut().println("evenkeel listens on " + ListenerText.text(each));
            }
            command.getOut().flush();
            server.awaitTermination();
        }
        return ExitCodes.OK;
    }

    private @Nullable ClusterAccess clusterAccess() throws CommandFailure {
        if (kube.isOn() && !cluster.isEmpty()) {
            throw new ParameterException(
                    spec.commandLine(), "--kube and --cluster cannot be combined: --kube reads the whole cluster");
        }
        ClusterAccess followed = kube.access(spec.commandLine());
        provisioning.check(spec.commandLine(), followed);
        return followed;
    }

    private KubeFeed follow(ClusterAccess followed, EvenkeelServer server, @Nullable PrometheusMetrics meters) {
        LOG.log(Level.INFO, "kube: reading from " + followed.server());
        KubeLog kubeLog = new KubeLog(LOG::log);
        return KubeFeed.start(
                server.instance().clusterState(),
                new LimitOptions(spec).limits().events(),
                followed,
                meters == null ? kubeLog : new KubeMetrics(meters.registry(), kubeLog));
    }

    private static @Nullable HttpServer pages(
            @Nullable InetSocketAddress address, ServerHealth health, PrometheusMetrics meters) throws IOException {
        if (address == null) {
            return null;
        }
        try {
            return OperationsPages.start(address, health, meters);
        } catch (IOException e) {
            throw ListenAddress.failure("--metrics", address, e);
        }
    }

    private static HttpServer webhook(InetSocketAddress address, EvenkeelServer server) throws IOException {
        try {
            return ReviewPage.start(
                    address,
                    Objects.requireNonNull(server.https()),
                    server.instance().placement().warnings()::of);
        } catch (IOException e) {
            throw ListenAddress.failure("--admission", address, e);
        }
    }

    private static HttpServer console(InetSocketAddress address, EvenkeelServer server) throws IOException {
        try {
            return ConsolePages.start(
                    address, server.https(), server.channel(new Listener.Tcp(address)), server.isGuarded());
        } catch (IOException e) {
            throw ListenAddress.failure("--console", address, e);
        }
    }

    private static Tracing tracing() throws CommandFailure {
        try {
            return Tracing.start();
        } catch (ConfigurationException e) {
            throw new CommandFailure("--traces: " + e.getMessage());
        }
    }

    /** The JVM ends when this returns. */
    private static void stop(EvenkeelServer server, @Nullable Tracing tracing) {
        server.close();
        if (tracing != null) {
            tracing.close();
        }
    }

    private static EvenkeelServer server(ServerOptions options) throws IOException {
        try {
            return EvenkeelServer.start(options);
        } catch (ListenException e) {
            throw ListenerText.failure(e);
        }
    }

    private void refuseOpenListeners(AccessOptions files) {
        List<Listener> all = new ArrayList<>(listeners);
        if (console != null) {
            all.add(new Listener.Tcp(console));
        }
        for (Listener each : all) {
            String danger = danger(each, files);
            if (danger != null && !insecure) {
                throw new ParameterException(
                        spec.commandLine(),
                        danger
                                + (files.isEncrypted()
                                        ? ": give --client-ca, --tokens or --access"
                                        : ": give --tls-cert and --tls-key")
                                + ", listen on loopback or on a Unix domain socket, or use --insecure");
            }
        }
    }

    private static @Nullable String danger(Listener open, AccessOptions files) {
        if (open.isLocal() || files.isEncrypted() && files.isGuarded()) {
            return null;
        }
        return files.isGuarded()
                ? "anyone on the network path to " + ListenerText.text(open) + " can read tokens and answers"
                : "anyone who can reach " + ListenerText.text(open) + " can read and change everything";
    }

    private void checkBounds() {
        OptionBounds bounds = new OptionBounds(spec);
        new LimitOptions(spec).check(bounds);
        bounds.requireAtMost("--max-bytes-in-flight", "--max-message-bytes");
        bounds.requireAtMost("--stop-within", "--lame-duck");
    }

    /** The server settings that the options choose. */
    ServerOptions options(@Nullable ClusterAccess followed) throws IOException {
        if (cluster.stream().filter("-"::equals).count() > 1) {
            throw new ParameterException(spec.commandLine(), "standard input can be read only once");
        }
        checkBounds();
        LimitOptions limits = new LimitOptions(spec);
        try {
            return new ServerOptions(
                    listeners,
                    access.options(followed),
                    limits.maxMessageBytes(),
                    limits.transport(),
                    new StopTimes(lameDuck, stopWithin),
                    new InstanceOptions(limits.engine(), limits.limits(), defaults.read(), assumptionLifetime),
                    new CompositeMeterRegistry(),
                    null,
                    List.of());
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
        }
    }
}
