package io.evenkeel.kube.client;

import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * How to reach a cluster: from a kubeconfig, or from the pod's service account. Credentials are reloaded whenever a
 * client is opened, and by the client itself when its token may have changed. Thread-safe.
 */
public final class ClusterAccess {
    /** How long an open watch may be silent. Bookmarks arrive about once a minute. */
    private static final Duration SILENCE = Duration.ofSeconds(90);

    /** How long a credential plugin may take. It may have to contact a remote server, but must not prompt a user. */
    private static final Duration PLUGIN = Duration.ofSeconds(60);

    private final ConfigurationSource source;
    private final ConfigurationReader reader;
    private final Duration silence;
    private final ReadDelay rest;
    private final String server;
    private final String namespace;

    private ClusterAccess(ConfigurationSource source, Duration silence, Supplier<Duration> plugin, LongSupplier clock)
            throws ConfigurationException {
        this.source = source;
        this.reader = new ConfigurationReader(source, plugin, clock);
        this.silence = silence;
        this.rest = ReadDelay.NONE;
        Config config = reader.read();
        this.server = ConfigurationSource.withoutPassword(withoutSlash(config.getMasterUrl()));
        this.namespace = Objects.requireNonNullElse(config.getNamespace(), "default");
    }

    private ClusterAccess(ClusterAccess other, Duration silence, ReadDelay rest) {
        this.source = other.source;
        this.reader = other.reader.copy();
        this.silence = silence;
        this.rest = rest;
        this.server = other.server;
        this.namespace = other.namespace;
    }

    private static String withoutSlash(String url) {
        return url.endsWith("/") ? url.substring(0, url.length() - 1) : url;
    }

    /**
     * The cluster that a kubeconfig or this pod's service account describes.
     *
     * @param kubeconfig the file; null for $KUBECONFIG, then ~/.kube/config, then the pod's service account
     * @param context a context of the kubeconfig; null for its current one
     * @throws ConfigurationException if there is no such configuration
     */
    public static ClusterAccess of(@Nullable Path kubeconfig, @Nullable String context) throws ConfigurationException {
        return new ClusterAccess(new ConfigurationSource(kubeconfig, context), SILENCE, () -> PLUGIN, System::nanoTime);
    }

    /** A copy that treats a connection as dead after this much silence. */
    public ClusterAccess withSilence(Duration most) {
        return new ClusterAccess(this, most, rest);
    }

    /** A copy whose watch readers pause in this way, so that events are batched. */
    public ClusterAccess withRest(ReadDelay given) {
        return new ClusterAccess(this, silence, given);
    }

    /** The cluster of a kubeconfig, with a time limit for its credential plugin. */
    public static ClusterAccess of(
            Path kubeconfig, @Nullable String context, Supplier<Duration> plugin, LongSupplier clock)
            throws ConfigurationException {
        return new ClusterAccess(new ConfigurationSource(kubeconfig, context), SILENCE, plugin, clock);
    }

    /** The URL of the API server, without a trailing slash. */
    public String server() {
        return server;
    }

    /** The namespace of the context or of the service account. */
    public String namespace() {
        return namespace;
    }

    /**
     * Opens a client with the current credentials. Does not connect yet.
     *
     * @throws ConfigurationException if the configuration is no longer valid
     */
    public KubeClient open() throws ConfigurationException {
        Config config = reader.read();
        try {
            return new KubeClient(config, withoutSlash(config.getMasterUrl()), silence, rest);
        } catch (KubernetesClientException e) {
            throw new ConfigurationException(
                    "failed to load the certificates of " + source + ": " + ConfigurationSource.cause(e), e);
        } catch (IllegalArgumentException e) {
            throw new ConfigurationException("failed to use " + source + ": " + e.getMessage(), e);
        }
    }
}
