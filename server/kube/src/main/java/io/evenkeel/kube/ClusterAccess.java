package io.evenkeel.kube;

import io.fabric8.kubernetes.api.model.AuthInfo;
import io.fabric8.kubernetes.api.model.NamedAuthInfo;
import io.fabric8.kubernetes.api.model.NamedCluster;
import io.fabric8.kubernetes.api.model.NamedContext;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.OAuthTokenProvider;
import io.fabric8.kubernetes.client.internal.KubeConfigUtils;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * How to reach a cluster: from a kubeconfig, or the service account of the pod. Credentials are read again whenever a
 * client is opened, and by the client itself where its token may have changed. Safe for use by several threads.
 */
public final class ClusterAccess {
    /** How long an open watch may be silent: a bookmark comes about once a minute. */
    private static final Duration SILENCE = Duration.ofSeconds(90);

    /** How long a plugin may take to give credentials: it may have to ask a server elsewhere, but no person. */
    private static final Duration PLUGIN = Duration.ofSeconds(60);

    /** How old a plugin's token may be: its end is not known. */
    private static final Duration TOKEN_AGE = Duration.ofMinutes(1);

    private final @Nullable Path kubeconfig;
    private final @Nullable String context;
    private final Duration silence;
    private final Rest rest;

    /** How long a plugin may take now. */
    private final Supplier<Duration> plugin;

    /** Nanoseconds from any origin. */
    private final LongSupplier clock;

    private final String server;
    private final String namespace;

    /** What reads the configuration, where it has not ended within its time. */
    private @Nullable FutureTask<Config> reading;

    private ClusterAccess(
            @Nullable Path kubeconfig,
            @Nullable String context,
            Duration silence,
            Supplier<Duration> plugin,
            LongSupplier clock)
            throws ConfigurationException {
        this.kubeconfig = kubeconfig;
        this.context = context;
        this.silence = silence;
        this.rest = Rest.NONE;
        this.plugin = plugin;
        this.clock = clock;
        Config config = read();
        this.server = withoutPassword(withoutSlash(config.getMasterUrl()));
        this.namespace = Objects.requireNonNullElse(config.getNamespace(), "default");
    }

    private ClusterAccess(ClusterAccess other, Duration silence, Rest rest) {
        this.kubeconfig = other.kubeconfig;
        this.context = other.context;
        this.silence = silence;
        this.rest = rest;
        this.plugin = other.plugin;
        this.clock = other.clock;
        this.server = other.server;
        this.namespace = other.namespace;
    }

    private static String withoutSlash(String url) {
        return url.endsWith("/") ? url.substring(0, url.length() - 1) : url;
    }

    /** For what is shown and logged. */
    private static String withoutPassword(String url) {
        return url.replaceFirst("//[^/]*@", "//");
    }

    /**
     * The cluster of a kubeconfig or of this pod.
     *
     * @param kubeconfig the file; null for those of $KUBECONFIG, or ~/.kube/config, or else the pod's service account
     * @param context a context of the kubeconfig; null for its current one
     * @throws ConfigurationException where there is no such configuration
     */
    public static ClusterAccess of(@Nullable Path kubeconfig, @Nullable String context) throws ConfigurationException {
        return new ClusterAccess(kubeconfig, context, SILENCE, () -> PLUGIN, System::nanoTime);
    }

    /** This access, where a connection that is silent for so long is taken for dead. */
    public ClusterAccess withSilence(Duration most) {
        return new ClusterAccess(this, most, rest);
    }

    /** This access, where readers of watches rest in this way, so that events gather. */
    ClusterAccess withRest(Rest given) {
        return new ClusterAccess(this, silence, given);
    }

    /** The cluster of a kubeconfig, whose plugin may take so long. */
    static ClusterAccess of(Path kubeconfig, @Nullable String context, Supplier<Duration> plugin, LongSupplier clock)
            throws ConfigurationException {
        return new ClusterAccess(kubeconfig, context, SILENCE, plugin, clock);
    }

    /** The URL of the API server, without a slash at its end. */
    public String server() {
        return server;
    }

    /** The namespace of the context or of the service account. */
    public String namespace() {
        return namespace;
    }

    /**
     * Opens a client with the credentials as they are now. Nothing connects yet.
     *
     * @throws ConfigurationException where the configuration is not what it was
     */
    public KubeClient open() throws ConfigurationException {
        Config config = read();
        try {
            return new KubeClient(config, withoutSlash(config.getMasterUrl()), silence, rest);
        } catch (KubernetesClientException e) {
            throw new ConfigurationException("the certificates of " + source() + " cannot be used: " + cause(e), e);
        }
    }

    private static String cause(Throwable e) {
        Throwable cause = e.getCause() == null ? e : e.getCause();
        return String.valueOf(cause.getMessage());
    }

    private String source() {
        return kubeconfig == null ? "the Kubernetes configuration" : kubeconfig.toString();
    }

    /**
     * Reads the configuration within the time that a plugin may take. The client library runs plugins meanwhile, and
     * waits for them without end. One that takes longer goes on, and no other is started until it has ended.
     */
    private synchronized Config read() throws ConfigurationException {
        FutureTask<Config> task = reading;
        if (task == null) {
            task = new FutureTask<>(this::readNow);
            reading = task;
            Thread thread = new Thread(task, "evenkeel-kube-configuration");
            thread.setDaemon(true);
            thread.start();
        }
        Duration most = plugin.get();
        try {
            Config config = task.get(most.toMillis(), TimeUnit.MILLISECONDS);
            reading = null;
            return config;
        } catch (TimeoutException e) {
            throw new ConfigurationException(
                    "the plugin of " + source() + " gives no credentials within " + most.toSeconds()
                            + " s: it must ask no person",
                    e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ConfigurationException("stopped while " + source() + " was read", e);
        } catch (ExecutionException e) {
            reading = null;
            if (e.getCause() instanceof ConfigurationException refused) {
                throw refused;
            }
            throw new ConfigurationException(source() + " cannot be read: " + fault(e.getCause()), e);
        }
    }

    /** Why the client library cannot read a configuration. */
    private static String fault(@Nullable Throwable fault) {
        if (fault instanceof StackOverflowError) {
            return "its YAML is nested too deeply";
        }
        return fault instanceof NullPointerException ? "it is no kubeconfig" : String.valueOf(fault);
    }

    private Config readNow() throws ConfigurationException {
        Config config;
        try {
            if (kubeconfig == null) {
                config = Config.autoConfigure(context);
            } else {
                if (!Files.isReadable(kubeconfig)) {
                    throw new ConfigurationException("there is no kubeconfig " + kubeconfig + " that can be read");
                }
                config = Config.fromKubeconfig(context, kubeconfig.toFile());
                Config.configFromSysPropsOrEnvVars(config);
            }
        } catch (KubernetesClientException e) {
            throw new ConfigurationException(source() + " cannot be read: " + cause(e) + hint(), e);
        }
        NamedContext current = config.getCurrentContext();
        if (current == null) {
            requireServiceAccount(config);
        } else {
            requireContext(config, current);
            completeUser(config, current);
            useProxy(config, current);
        }
        requireUrl("server", config.getMasterUrl());
        if (config.getTlsServerName() != null && !config.getTlsServerName().isEmpty()) {
            throw new ConfigurationException("tls-server-name of " + source()
                    + " is not supported: name the API server by a name that its certificate has");
        }
        nameKeyAlgorithm(config);
        config.setUserAgent("evenkeel");
        // Failures are counted and told here, not within the client.
        config.setRequestRetryBackoffLimit(0);
        config.setRequestTimeout(0);
        // A connection of its own for each kind: one that is slow or dead does not hold the others up.
        config.setHttp2Disable(true);
        return config;
    }

    /** The client library takes what begins with a brace for JSON. */
    private String hint() {
        try {
            return kubeconfig != null
                            && Files.readString(kubeconfig).stripLeading().startsWith("{")
                    ? "; where it is YAML, a line of --- must come before its first brace"
                    : "";
        } catch (IOException e) {
            return "";
        }
    }

    private void requireServiceAccount(Config config) throws ConfigurationException {
        if (kubeconfig != null) {
            throw new ConfigurationException(
                    context == null
                            ? kubeconfig + " has no current context: name one"
                            : kubeconfig + " has no context " + context + known(config));
        }
        if (context != null) {
            throw new ConfigurationException("there is no kubeconfig with a context " + context);
        }
        if (config.getAutoOAuthToken() == null || config.getAutoOAuthToken().isEmpty()) {
            throw new ConfigurationException("there is neither a kubeconfig (--kubeconfig, $KUBECONFIG, ~/.kube/config)"
                    + " nor the service account of a pod");
        }
    }

    private void requireContext(Config config, NamedContext current) throws ConfigurationException {
        if (context != null && !context.equals(current.getName())) {
            throw new ConfigurationException(source() + " has no context " + context + known(config));
        }
        String user = current.getContext() == null ? null : current.getContext().getUser();
        if (user != null
                && !user.isEmpty()
                && KubeConfigUtils.getFileWithNamedAuthInfo(current) == null
                && files().noneMatch(file -> KubeConfigUtils.parseConfig(file).getUsers().stream()
                        .anyMatch(named -> named.getName().equals(user)))) {
            throw new ConfigurationException("the context " + current.getName() + " of " + source() + " names the user "
                    + user + ", which is not there");
        }
        if (KubeConfigUtils.getFileWithNamedCluster(current) == null) {
            String cluster =
                    current.getContext() == null ? null : current.getContext().getCluster();
            throw new ConfigurationException("the context " + current.getName() + " of " + source()
                    + (cluster == null || cluster.isEmpty()
                            ? " names no cluster"
                            : " names the cluster " + cluster + ", which is not there"));
        }
    }

    /** The kubeconfigs that there are. */
    private Stream<File> files() {
        return (kubeconfig == null
                        ? Config.getKubeconfigFilenames().stream().map(File::new)
                        : Stream.of(kubeconfig.toFile()))
                .filter(File::canRead);
    }

    private void requireUrl(String what, String url) throws ConfigurationException {
        try {
            if (new URI(url).getRawAuthority() != null) {
                return;
            }
        } catch (URISyntaxException e) {
            // It is told below, without what may be a password.
        }
        throw new ConfigurationException(
                what + " of " + source() + " must be a URL with a host, was " + withoutPassword(url));
    }

    /** The contexts that there are. */
    private static String known(Config config) {
        return config.getContexts() == null || config.getContexts().isEmpty()
                ? ""
                : "; it has "
                        + config.getContexts().stream()
                                .map(NamedContext::getName)
                                .collect(Collectors.joining(", "));
    }

    /**
     * The client library does not know users whose token stands in a file, and goes on without a plugin's credentials.
     * It would also run plugins within requests, and wait for them without end.
     */
    private void completeUser(Config config, NamedContext current) throws ConfigurationException {
        File file = KubeConfigUtils.getFileWithNamedAuthInfo(current);
        if (file == null || current.getContext() == null) {
            return;
        }
        String user = current.getContext().getUser();
        for (NamedAuthInfo named : KubeConfigUtils.parseConfig(file).getUsers()) {
            AuthInfo info = named.getUser();
            if (info == null || !named.getName().equals(user)) {
                continue;
            }
            if (info.getExec() != null && config.getAutoOAuthToken() == null && config.getClientCertData() == null) {
                throw new ConfigurationException("the plugin " + info.getExec().getCommand() + " of the user " + user
                        + " gives no credentials for " + info.getExec().getApiVersion()
                        + ": it must be installed, and succeed where it is run by itself");
            }
            if (info.getExec() != null) {
                // Empty where the plugin gives a certificate: then no header shows it.
                config.setOauthTokenProvider(
                        new PluginToken(Objects.requireNonNullElse(config.getAutoOAuthToken(), "")));
            }
            if (info.getTokenFile() != null && info.getToken() == null) {
                Path token = file.toPath().toAbsolutePath().resolveSibling(info.getTokenFile());
                config.setOauthTokenProvider(() -> token(token));
            }
        }
    }

    /** A plugin's token. The plugin is run again from time to time, as long as it may take. */
    private final class PluginToken implements OAuthTokenProvider {
        private String token;
        private long readAt = clock.getAsLong();

        PluginToken(String token) {
            this.token = token;
        }

        @Override
        public synchronized String getToken() {
            if (clock.getAsLong() - readAt > TOKEN_AGE.toNanos()) {
                try {
                    token = Objects.requireNonNullElse(read().getAutoOAuthToken(), "");
                } catch (ConfigurationException e) {
                    // The token may still be good. Where it is not, another client is opened, and that tells why.
                }
                readAt = clock.getAsLong();
            }
            return token;
        }
    }

    /** The client library takes keys for RSA ones, where their PEM does not say what they are. */
    private static void nameKeyAlgorithm(Config config) throws ConfigurationException {
        try {
            String algorithm = ClientKey.algorithm(config.getClientKeyData(), config.getClientKeyFile());
            if (algorithm != null) {
                config.setClientKeyAlgo(algorithm);
            }
        } catch (IOException e) {
            throw new ConfigurationException("the client's key cannot be read: " + e.getMessage(), e);
        }
    }

    private static String token(Path file) {
        try {
            return Files.readString(file).strip();
        } catch (IOException e) {
            throw new UncheckedIOException("the token file " + file + " cannot be read", e);
        }
    }

    /** The client library takes a proxy of the scheme http for servers without TLS alone. */
    private void useProxy(Config config, NamedContext current) throws ConfigurationException {
        File file = KubeConfigUtils.getFileWithNamedCluster(current);
        if (file == null || current.getContext() == null) {
            return;
        }
        String cluster = current.getContext().getCluster();
        for (NamedCluster named : KubeConfigUtils.parseConfig(file).getClusters()) {
            if (named.getName().equals(cluster)
                    && named.getCluster().getProxyUrl() != null
                    && !named.getCluster().getProxyUrl().isEmpty()) {
                requireUrl("proxy-url", named.getCluster().getProxyUrl());
                config.setHttpProxy(named.getCluster().getProxyUrl());
                config.setHttpsProxy(named.getCluster().getProxyUrl());
            }
        }
    }
}
