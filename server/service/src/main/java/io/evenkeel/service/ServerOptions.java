package io.evenkeel.service;

import io.evenkeel.access.AccessOptions;
import io.evenkeel.operations.Tracing;
import io.evenkeel.placement.InstanceOptions;
import io.grpc.BindableService;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a server.
 *
 * @param listeners the addresses to listen on
 * @param access its certificate and key, and the authentication and authorization of callers
 * @param maxMessageBytes the maximum size of a request
 * @param transport the limits on connections
 * @param stop the times for stopping
 * @param instance the state that it serves, with its limits
 * @param meters the registry of its metrics
 * @param tracing traces its calls; null if they are not traced. The caller closes it
 * @param furtherServices services to serve in addition, on the same port and transport; they run on the event loop and
 *     must not block it
 */
public record ServerOptions(
        List<Listener> listeners,
        AccessOptions access,
        int maxMessageBytes,
        TransportLimits transport,
        StopTimes stop,
        InstanceOptions instance,
        MeterRegistry meters,
        @Nullable Tracing tracing,
        List<BindableService> furtherServices) {
    /** The default port. */
    public static final int DEFAULT_PORT = 7450;

    /** 16 MiB. */
    public static final int DEFAULT_MAX_MESSAGE_BYTES = 16 << 20;

    public ServerOptions {
        if (maxMessageBytes < 1) {
            throw new IllegalArgumentException("maxMessageBytes must be at least 1, was " + maxMessageBytes);
        }
        if (transport.bytesInFlight() < maxMessageBytes) {
            throw new IllegalArgumentException("bytesInFlight must be at least maxMessageBytes, " + maxMessageBytes
                    + ", was " + transport.bytesInFlight());
        }
        listeners = List.copyOf(listeners);
        furtherServices = List.copyOf(furtherServices);
    }

    /** Settings for a port on the loopback interface, without metrics or further services. */
    public static ServerOptions onLoopback(int port) {
        return new ServerOptions(
                List.of(new Listener.Tcp(new InetSocketAddress(InetAddress.getLoopbackAddress(), port))),
                AccessOptions.NONE,
                DEFAULT_MAX_MESSAGE_BYTES,
                TransportLimits.DEFAULT,
                StopTimes.DEFAULT,
                InstanceOptions.standard(),
                new CompositeMeterRegistry(),
                null,
                List.of());
    }

    public ServerOptions withListeners(Listener... all) {
        return new ServerOptions(
                List.of(all), access, maxMessageBytes, transport, stop, instance, meters, tracing, furtherServices);
    }

    public ServerOptions withAccess(AccessOptions files) {
        return new ServerOptions(
                listeners, files, maxMessageBytes, transport, stop, instance, meters, tracing, furtherServices);
    }

    public ServerOptions withTransport(TransportLimits limits) {
        return new ServerOptions(
                listeners, access, maxMessageBytes, limits, stop, instance, meters, tracing, furtherServices);
    }

    public ServerOptions withStop(StopTimes times) {
        return new ServerOptions(
                listeners, access, maxMessageBytes, transport, times, instance, meters, tracing, furtherServices);
    }

    public ServerOptions withInstance(InstanceOptions options) {
        return new ServerOptions(
                listeners, access, maxMessageBytes, transport, stop, options, meters, tracing, furtherServices);
    }

    public ServerOptions withMeters(MeterRegistry registry) {
        return new ServerOptions(
                listeners, access, maxMessageBytes, transport, stop, instance, registry, tracing, furtherServices);
    }

    public ServerOptions withTracing(@Nullable Tracing started) {
        return new ServerOptions(
                listeners, access, maxMessageBytes, transport, stop, instance, meters, started, furtherServices);
    }

    public ServerOptions withFurtherServices(BindableService... services) {
        return new ServerOptions(
                listeners, access, maxMessageBytes, transport, stop, instance, meters, tracing, List.of(services));
    }
}
