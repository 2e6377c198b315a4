package io.evenkeel.kube;

import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.OAuthTokenProvider;
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
 * Reads the configuration of a client within the time that a plugin may take, and a plugin's token again from time to
 * time. Safe for use by several threads: reads wait for one another.
 */
final class ConfigurationReader {
    /** How old a plugin's token may be: its end is not known. */
    private static final Duration TOKEN_AGE = Duration.ofMinutes(1);

    /** A plugin that has not ended by then never will, say because what it waits for is gone. */
    private static final Duration HUNG = Duration.ofMinutes(5);

    /** More would fill the machine with plugins that never end. */
    private static final int MOST_ABANDONED = 3;

    /** What reads the configuration, and since when. */
    private record Reading(FutureTask<Config> task, long began) {}

    private final ConfigurationSource source;
    private final Supplier<Duration> plugin;
    private final LongSupplier clock;

    /** What reads the configuration, where it has not ended within its time. */
    private @Nullable Reading reading;

    /** What has hung for too long, and had not ended when another one was started. Its result is dropped. */
    private final List<FutureTask<Config>> abandoned = new ArrayList<>();

    /**
     * @param plugin how long a plugin may take now
     * @param clock nanoseconds from any origin
     */
    ConfigurationReader(ConfigurationSource source, Supplier<Duration> plugin, LongSupplier clock) {
        this.source = source;
        this.plugin = plugin;
        this.clock = clock;
    }

    /** A reader of the same, whose reads do not wait for those of this one. */
    ConfigurationReader copy() {
        return new ConfigurationReader(source, plugin, clock);
    }

    /**
     * Reads the configuration within the time that a plugin may take. The client library runs plugins meanwhile, and
     * waits for them without end. One that takes longer goes on, and no other is started until it has ended, or has
     * hung for 5 minutes. It goes on even then, since its process cannot be told from those of others; three such at
     * most.
     *
     * @throws ConfigurationException where there is none that can be used, or a plugin takes longer
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
                    "the plugin of " + source + " gives no credentials within " + most.toSeconds()
                            + " s: it must ask no person",
                    e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ConfigurationException("stopped while " + source + " was read", e);
        } catch (ExecutionException e) {
            reading = null;
            if (e.getCause() instanceof ConfigurationException refused) {
                throw refused;
            }
            throw new ConfigurationException(source + " cannot be read: " + fault(e.getCause()), e);
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
                && abandoned.size() < MOST_ABANDONED) {
            abandoned.add(hung.task());
            reading = null;
        }
    }

    /** Why the client library cannot read a configuration. */
    private static String fault(@Nullable Throwable fault) {
        if (fault instanceof StackOverflowError) {
            return "its YAML is nested too deeply";
        }
        return fault instanceof NullPointerException ? "it is no kubeconfig" : String.valueOf(fault);
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
}
