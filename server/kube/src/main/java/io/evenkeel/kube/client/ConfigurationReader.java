package io.evenkeel.kube.client;

import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.OAuthTokenProvider;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Reads the configuration of a client with a time limit for credential plugins, and refreshes a plugin's token
 * periodically. Thread-safe; reads are serialized.
 */
final class ConfigurationReader {
    /** The maximum age of a plugin's token, because its expiry is unknown. */
    private static final Duration TOKEN_AGE = Duration.ofMinutes(1);

    /** A plugin that runs longer than this is assumed to be stuck. */
    private static final Duration HUNG = Duration.ofMinutes(5);

    /** Bounds how many stuck plugins can pile up on the machine. */
    private static final int MAX_ABANDONED = 3;

    /** A read in progress, and when it began. */
    private record Reading(FutureTask<Config> task, long began) {}

    private final ConfigurationSource source;
    private final Supplier<Duration> plugin;
    private final LongSupplier clock;

    /** The read in progress, if it exceeded its time limit. */
    private @Nullable Reading reading;

    /** Stuck reads that were replaced by another one. Their results are dropped. */
    private final List<FutureTask<Config>> abandoned = new ArrayList<>();

    /**
     * @param plugin supplies the time limit for a plugin
     * @param clock nanoseconds from any origin
     */
    ConfigurationReader(ConfigurationSource source, Supplier<Duration> plugin, LongSupplier clock) {
        this.source = source;
        this.plugin = plugin;
        this.clock = clock;
    }

    /** A reader of the same source whose reads do not wait for reads of this one. */
    ConfigurationReader copy() {
        return new ConfigurationReader(source, plugin, clock);
    }

    /**
     * Reads the configuration within the time limit for plugins. The client library runs plugins during the read and
     * waits for them without a limit. One that exceeds the limit keeps running, and no other is started until it ends
     * or has been stuck for 5 minutes. It keeps running even then, because its process cannot be identified; at most
     * three do.
     *
     * @throws ConfigurationException if there is no usable configuration, or a plugin exceeds the limit
     */
    synchronized Config read() throws ConfigurationException {
        abandonHung();
        Reading current = reading;
        if (current == null) {
            current = begin();
            reading = current;
        }
        FutureTask<Config> task = current.task();
        Duration most = plugin.get();
        try {
            Config config = task.get(most.toMillis(), TimeUnit.MILLISECONDS);
            reading = null;
            return config;
        } catch (TimeoutException e) {
            throw new ConfigurationException(
                    "the plugin of " + source + " returned no credentials within " + most.toSeconds()
                            + " s; it must not prompt for input",
                    e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ConfigurationException("interrupted while reading " + source, e);
        } catch (ExecutionException e) {
            reading = null;
            if (e.getCause() instanceof ConfigurationException refused) {
                throw refused;
            }
            throw new ConfigurationException("failed to read " + source + ": " + fault(e.getCause()), e);
        }
    }

    private Reading begin() {
        FutureTask<Config> task = new FutureTask<>(() -> source.read(PluginToken::new));
        Thread thread = new Thread(task, "evenkeel-kube-configuration");
        thread.setDaemon(true);
        thread.start();
        return new Reading(task, clock.getAsLong());
    }

    private void abandonHung() {
        abandoned.removeIf(FutureTask::isDone);
        Reading hung = reading;
        if (hung != null
                && !hung.task().isDone()
                && clock.getAsLong() - hung.began() >= HUNG.toNanos()
                && abandoned.size() < MAX_ABANDONED) {
            abandoned.add(hung.task());
            reading = null;
        }
    }

    /** Why the client library failed to read a configuration. */
    private static String fault(@Nullable Throwable fault) {
        if (fault instanceof StackOverflowError) {
            return "its YAML is nested too deeply";
        }
        if (fault != null && fault.getCause() instanceof CharacterCodingException) {
            return "it is not UTF-8";
        }
        // The second is how the client library reports a value of another type.
        boolean isOther = fault instanceof NullPointerException
                || fault instanceof IllegalArgumentException && fault.getCause() instanceof IOException;
        return isOther ? "it is not a kubeconfig" : String.valueOf(fault);
    }

    /** A plugin's token, refreshed by running the plugin again periodically, within its time limit. */
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
                    // The token may still be valid. If it is not, opening another client reports why.
                }
                readAt = clock.getAsLong();
            }
            return token;
        }
    }
}
