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
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Where the configuration of a client stands: in kubeconfigs, or with the service account of the pod. What is read is
 * checked, and completed by what the client library leaves out. Safe for use by several threads.
 *
 * @param kubeconfig the file; null for those of $KUBECONFIG, or ~/.kube/config, or else the pod's service account
 * @param context a context of the kubeconfig; null for its current one
 */
record ConfigurationSource(
        @Nullable Path kubeconfig, @Nullable String context) {
    /**
     * Reads the configuration as it is now. The client library runs plugins meanwhile, and waits for them without end.
     *
     * @param pluginToken makes what gives a plugin's tokens, from the first one; empty where the plugin gave none
     * @throws ConfigurationException where there is none that can be used
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

    /**
     * The client library lets the environment name another server, token and certificates than a kubeconfig, and would
     * show the credentials of one to the server of the other. So of the environment it gets proxies alone.
     */
    private Config configured() throws ConfigurationException {
        if (kubeconfig != null && !Files.isReadable(kubeconfig)) {
            throw new ConfigurationException("there is no kubeconfig " + kubeconfig + " that can be read");
        }
        List<io.fabric8.kubernetes.api.model.Config> parsed = new ArrayList<>();
        for (File file : files().toList()) {
            try {
                parsed.add(KubeConfigUtils.parseConfig(file));
            } catch (KubernetesClientException e) {
                throw new ConfigurationException(file + " cannot be read: " + cause(e) + hint(file), e);
            }
        }
        try {
            if (parsed.isEmpty()) {
                return Config.autoConfigure(context);
            }
            Config config = Config.empty();
            KubeConfigUtils.merge(config, context, parsed.toArray(io.fabric8.kubernetes.api.model.Config[]::new));
            useProxies(config);
            return config;
        } catch (KubernetesClientException e) {
            throw new ConfigurationException(this + " cannot be read: " + cause(e), e);
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

    /** The client library takes what begins with a brace for JSON. */
    private static String hint(File file) {
        try {
            return Files.readString(file.toPath()).stripLeading().startsWith("{")
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
            throw new ConfigurationException(this + " has no context " + context + known(config));
        }
        String user = current.getContext() == null ? null : current.getContext().getUser();
        if (user != null
                && !user.isEmpty()
                && KubeConfigUtils.getFileWithNamedAuthInfo(current) == null
                && files().noneMatch(file -> KubeConfigUtils.parseConfig(file).getUsers().stream()
                        .anyMatch(named -> named.getName().equals(user)))) {
            throw new ConfigurationException("the context " + current.getName() + " of " + this + " names the user "
                    + user + ", which is not there");
        }
        if (KubeConfigUtils.getFileWithNamedCluster(current) == null) {
            String cluster =
                    current.getContext() == null ? null : current.getContext().getCluster();
            throw new ConfigurationException("the context " + current.getName() + " of " + this
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
                what + " of " + this + " must be a URL with a host, was " + withoutPassword(url));
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
                        + " gives no credentials for " + info.getExec().getApiVersion()
                        + ": it must be installed, and succeed where it is run by itself");
            }
            if (info.getExec() != null) {
                // Empty where the plugin gives a certificate: then no header shows it.
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

    /** The client library does not look at these fields, and would show the user's own rights. */
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
                    "as of the user " + user + " of " + this + " must be given where as-groups or as-user-extra is");
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

    /** The token that stands in the file or, where that cannot be read, the other one: as client-go does. */
    private static String token(Path file, @Nullable String other) {
        try {
            return Files.readString(file).strip();
        } catch (IOException e) {
            if (other != null && !other.isEmpty()) {
                return other;
            }
            throw new UncheckedIOException("the token file " + file + " cannot be read", e);
        }
    }

    /**
     * The client library takes a proxy of the scheme http for servers without TLS alone, and none for servers that need
     * none by the environment, whoever names the proxy.
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

    /** What the client library says is wrong. */
    static String cause(Throwable e) {
        Throwable cause = e.getCause() == null ? e : e.getCause();
        return String.valueOf(cause.getMessage());
    }

    /** The URL as it is shown and logged. */
    static String withoutPassword(String url) {
        return url.replaceFirst("//[^/]*@", "//");
    }

    /** How messages name it. */
    @Override
    public String toString() {
        return kubeconfig == null ? "the Kubernetes configuration" : kubeconfig.toString();
    }
}
