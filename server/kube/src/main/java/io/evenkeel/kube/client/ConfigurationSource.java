package io.evenkeel.kube.client;

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
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The source of a client's configuration: kubeconfigs, or the pod's service account. Validates what it reads, and adds
 * what the client library ignores. Thread-safe.
 *
 * @param kubeconfig the file; null for $KUBECONFIG, then ~/.kube/config, then the pod's service account
 * @param context a context of the kubeconfig; null for its current one
 */
record ConfigurationSource(
        @Nullable Path kubeconfig, @Nullable String context) {
    private static final Pattern SCHEME = Pattern.compile("https?://", Pattern.CASE_INSENSITIVE);

    /** In messages of the client library about a value of another type. */
    private static final Pattern JAVA_TYPE = Pattern.compile("`(java|io\\.fabric8)\\.");

    /**
     * Reads the current configuration. The client library runs credential plugins during the read and waits for them
     * without a limit.
     *
     * @param pluginToken creates a token provider from a plugin's first token; that is empty if the plugin returned
     *     none
     * @throws ConfigurationException if there is no usable configuration
     */
    Config read(Function<String, OAuthTokenProvider> pluginToken) throws ConfigurationException {
        Config config = configured();
        NamedContext current = config.getCurrentContext();
        if (current == null) {
            requireServiceAccount(config);
        } else {
            requireContext(config, current);
            completeUser(config, current, pluginToken);
            useProxy(config, current);
        }
        requireUrl("server", config.getMasterUrl());
        if (config.getTlsServerName() != null && !config.getTlsServerName().isEmpty()) {
            throw new ConfigurationException("tls-server-name of " + this
                    + " is not supported; use a server name that is in the API server's certificate");
        }
        config.setHttpProxy(withPort(config.getHttpProxy()));
        config.setHttpsProxy(withPort(config.getHttpsProxy()));
        nameKeyAlgorithm(config);
        config.setUserAgent("evenkeel");
        // Failures are counted and reported here, not in the client.
        config.setRequestRetryBackoffLimit(0);
        config.setRequestTimeout(0);
        // Each kind has a separate connection, so that a slow or dead one does not block the others.
        config.setHttp2Disable(true);
        return config;
    }

    /**
     * The client library lets the environment override the server, token and certificates of a kubeconfig, and would
     * then send the credentials of one to the server of the other. So it gets only the proxies from the environment.
     */
    private Config configured() throws ConfigurationException {
        if (kubeconfig != null && !Files.isReadable(kubeconfig)) {
            throw new ConfigurationException("kubeconfig " + kubeconfig + " does not exist or is not readable");
        }
        List<io.fabric8.kubernetes.api.model.Config> parsed = new ArrayList<>();
        for (File file : files().toList()) {
            try {
                parsed.add(KubeConfigUtils.parseConfig(file));
            } catch (KubernetesClientException e) {
                String cause = JAVA_TYPE.matcher(cause(e)).find() ? "it is not a kubeconfig" : cause(e);
                throw new ConfigurationException("failed to read " + file + ": " + cause + hint(file), e);
            }
        }
        try {
            if (parsed.isEmpty()) {
                return Config.autoConfigure(context);
            }
            parsed.forEach(ConfigurationSource::addSchemes);
            Config config = Config.empty();
            KubeConfigUtils.merge(config, context, parsed.toArray(io.fabric8.kubernetes.api.model.Config[]::new));
            useProxies(config);
            return config;
        } catch (KubernetesClientException e) {
            throw new ConfigurationException("failed to read " + this + ": " + cause(e), e);
        }
    }

    /**
     * The client library connects to a server without a scheme to find out which one it has, and then uses HTTP if the
     * TLS handshake fails. So the scheme is https unless the kubeconfig says otherwise.
     */
    private static void addSchemes(io.fabric8.kubernetes.api.model.Config parsed) {
        for (NamedCluster named : parsed.getClusters()) {
            String server =
                    named.getCluster() == null ? null : named.getCluster().getServer();
            if (server != null && !SCHEME.matcher(server).lookingAt()) {
                named.getCluster().setServer("https://" + server);
            }
        }
    }

    private static void useProxies(Config config) {
        Config environment = Config.empty();
        Config.configFromSysPropsOrEnvVars(environment);
        config.setHttpProxy(environment.getHttpProxy());
        config.setHttpsProxy(environment.getHttpsProxy());
        config.setNoProxy(environment.getNoProxy());
        config.setProxyUsername(environment.getProxyUsername());
        config.setProxyPassword(environment.getProxyPassword());
    }

    /** The client library parses a file that begins with a brace as JSON. */
    private static String hint(File file) {
        try {
            return Files.readString(file.toPath()).stripLeading().startsWith("{")
                    ? "; if it is YAML, put a line --- before its first brace"
                    : "";
        } catch (IOException e) {
            return "";
        }
    }

    private void requireServiceAccount(Config config) throws ConfigurationException {
        if (kubeconfig != null) {
            throw new ConfigurationException(
                    context == null
                            ? kubeconfig + " has no current context; name one"
                            : kubeconfig + " has no context " + context + known(config));
        }
        if (context != null) {
            throw new ConfigurationException("no kubeconfig has a context " + context);
        }
        if (config.getAutoOAuthToken() == null || config.getAutoOAuthToken().isEmpty()) {
            throw new ConfigurationException("there is neither a kubeconfig (--kubeconfig, $KUBECONFIG, ~/.kube/config)"
                    + " nor the service account of a pod");
        }
    }

    private void requireContext(Config config, NamedContext current) throws ConfigurationException {
        if (context != null && !context.equals(current.getName())) {
            throw new ConfigurationException(this + " has no context " + context + known(config));
        }
        String user = current.getContext() == null ? null : current.getContext().getUser();
        if (user != null
                && !user.isEmpty()
                && KubeConfigUtils.getFileWithNamedAuthInfo(current) == null
                && files().noneMatch(file -> KubeConfigUtils.parseConfig(file).getUsers().stream()
                        .anyMatch(named -> named.getName().equals(user)))) {
            throw new ConfigurationException("the context " + current.getName() + " of " + this + " names the user "
                    + user + ", which does not exist");
        }
        if (KubeConfigUtils.getFileWithNamedCluster(current) == null) {
            String cluster =
                    current.getContext() == null ? null : current.getContext().getCluster();
            throw new ConfigurationException("the context " + current.getName() + " of " + this
                    + (cluster == null || cluster.isEmpty()
                            ? " names no cluster"
                            : " names the cluster " + cluster + ", which does not exist"));
        }
    }

    /** The kubeconfigs that exist. */
    private Stream<File> files() {
        return (kubeconfig == null
                        ? Config.getKubeconfigFilenames().stream().map(File::new)
                        : Stream.of(kubeconfig.toFile()))
                .filter(File::canRead);
    }

    private void requireUrl(String what, String url) throws ConfigurationException {
        URI uri = uri(url);
        if (uri != null && uri.getRawAuthority() != null) {
            return;
        }
        // The message must not show what may be a password.
        throw new ConfigurationException(
                what + " of " + this + " must be a URL with a host, was " + withoutPassword(url));
    }

    private static @Nullable URI uri(String text) {
        try {
            return new URI(text);
        } catch (URISyntaxException e) {
            return null;
        }
    }

    /** The contexts that exist. */
    private static String known(Config config) {
        return config.getContexts() == null || config.getContexts().isEmpty()
                ? ""
                : "; it has "
                        + config.getContexts().stream()
                                .map(NamedContext::getName)
                                .collect(Collectors.joining(", "));
    }

    /**
     * The client library does not support users with a token file, and proceeds without credentials if a plugin fails.
     * It would also run plugins during requests and wait for them without a limit.
     */
    private void completeUser(Config config, NamedContext current, Function<String, OAuthTokenProvider> pluginToken)
            throws ConfigurationException {
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
                        + " returned no credentials for " + info.getExec().getApiVersion()
                        + "; it must be installed, and work when run from a shell");
            }
            if (info.getExec() != null) {
                // Empty if the plugin returned a certificate; then no header is sent.
                config.setOauthTokenProvider(
                        pluginToken.apply(Objects.requireNonNullElse(config.getAutoOAuthToken(), "")));
            }
            if (info.getTokenFile() != null && !info.getTokenFile().isEmpty()) {
                Path token = file.toPath().toAbsolutePath().resolveSibling(info.getTokenFile());
                config.setOauthTokenProvider(() -> token(token, info.getToken()));
            }
            actAsAnother(config, user, info);
        }
    }

    /** The client library ignores these fields and would act with the user's own permissions. */
    private void actAsAnother(Config config, String user, AuthInfo info) throws ConfigurationException {
        if (info.getAsUid() != null && !info.getAsUid().isEmpty()) {
            throw new ConfigurationException("as-uid of the user " + user + " of " + this + " is not supported");
        }
        if (info.getAs() != null && !info.getAs().isEmpty()) {
            config.setImpersonateUsername(info.getAs());
            config.setImpersonateGroups(info.getAsGroups().toArray(String[]::new));
            config.setImpersonateExtras(info.getAsUserExtra());
        } else if (!info.getAsGroups().isEmpty() || !info.getAsUserExtra().isEmpty()) {
            throw new ConfigurationException(
                    "the user " + user + " of " + this + " must set \"as\" to use as-groups or as-user-extra");
        }
    }

    /** The client library assumes RSA if the PEM of a key does not name an algorithm. */
    private static void nameKeyAlgorithm(Config config) throws ConfigurationException {
        try {
            String algorithm = ClientKey.algorithm(config.getClientKeyData(), config.getClientKeyFile());
            if (algorithm != null) {
                config.setClientKeyAlgo(algorithm);
            }
        } catch (IOException e) {
            throw new ConfigurationException("failed to read the client key: " + e.getMessage(), e);
        }
    }

    /** The token in the file, or the other one if the file cannot be read. client-go does the same. */
    private static String token(Path file, @Nullable String other) {
        try {
            return Files.readString(file).strip();
        } catch (IOException e) {
            if (other != null && !other.isEmpty()) {
                return other;
            }
            throw new UncheckedIOException("failed to read token file " + file, e);
        }
    }

    /**
     * The client library uses an http proxy only for servers without TLS, and it applies $NO_PROXY even to a proxy that
     * the kubeconfig names.
     */
    private void useProxy(Config config, NamedContext current) throws ConfigurationException {
        File file = KubeConfigUtils.getFileWithNamedCluster(current);
        if (file == null || current.getContext() == null) {
            return;
        }
        String cluster = current.getContext().getCluster();
        for (NamedCluster named : KubeConfigUtils.parseConfig(file).getClusters()) {
            if (!named.getName().equals(cluster)) {
                continue;
            }
            String proxy = named.getCluster().getProxyUrl();
            if (proxy != null && !proxy.isEmpty()) {
                requireUrl("proxy-url", proxy);
                config.setHttpProxy(proxy);
                config.setHttpsProxy(proxy);
                config.setNoProxy(new String[0]);
            }
            return;
        }
    }

    /** The proxy with its default port if it names none, which the client library requires. */
    private static @Nullable String withPort(@Nullable String proxy) {
        URI uri = proxy == null ? null : uri(proxy);
        if (uri == null || uri.getScheme() == null || uri.getHost() == null || uri.getPort() >= 0) {
            return proxy;
        }
        int port = switch (uri.getScheme().toLowerCase(Locale.ROOT)) {
            case "http" -> 80;
            case "https" -> 443;
            default -> 1080;
        };
        return uri.getScheme() + "://" + uri.getRawAuthority() + ":" + port;
    }

    /** The client library's own error message. */
    static String cause(Throwable e) {
        Throwable cause = e;
        while (cause.getCause() != null && cause.getCause().getMessage() != null) {
            cause = cause.getCause();
        }
        return String.valueOf(cause.getMessage());
    }

    /** The URL for messages and logs. */
    static String withoutPassword(String url) {
        return url.replaceFirst("//[^/]*@", "//");
    }

    /** The name used in messages. */
    @Override
    public String toString() {
        return kubeconfig == null ? "the Kubernetes configuration" : kubeconfig.toString();
    }
}
