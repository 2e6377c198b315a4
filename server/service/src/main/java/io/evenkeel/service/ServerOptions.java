package io.evenkeel.service;

import io.evenkeel.placement.InstanceOptions;
import io.evenkeel.placement.call.Limits;
import io.grpc.BindableService;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;

/**
 * The settings of a server.
 *
 * @param listeners where it listens
 * @param maxMessageBytes the largest request that is read
 * @param transport the limits on connections
 * @param stopWithin how long calls under way may take when the server stops, before they are broken off; at most 100
 *     years
 * @param meters the registry of its metrics
 * @param furtherServices services to serve in addition, on the same port and transport; they run on the event loop and
 *     must not block it
 */
public record ServerOptions(
        List<Listener> listeners,
        int maxMessageBytes,
        TransportLimits transport,
        Duration stopWithin,
        InstanceOptions instance,
        MeterRegistry meters,
        List<BindableService> furtherServices) {
    /** The default port. */
    public static final int DEFAULT_PORT = 7450;

    /** 16 MiB. */
    public static final int DEFAULT_MAX_MESSAGE_BYTES = 16 << 20;

    private static final Duration STOP_WITHIN = Duration.ofSeconds(5);

    public ServerOptions {
        if (maxMessageBytes < 1) {
            throw new IllegalArgumentException("maxMessageBytes must be at least 1, was " + maxMessageBytes);
        }
        if (transport.bytesInFlight() < maxMessageBytes) {
            throw new IllegalArgumentException("bytesInFlight must be at least maxMessageBytes, " + maxMessageBytes
                    + ", was " + transport.bytesInFlight());
        }
        if (stopWithin.isNegative()) {
            throw new IllegalArgumentException("stopWithin must not be negative, was " + stopWithin);
        }
        if (stopWithin.compareTo(Limits.LONGEST) > 0) {
            throw new IllegalArgumentException("stopWithin must be at most " + Limits.LONGEST + ", was " + stopWithin);
        }
        listeners = List.copyOf(listeners);
        furtherServices = List.copyOf(furtherServices);
    }

    /** Settings for a port of the loopback interface, with a registry that nobody reads and no further services. */
    public static ServerOptions onLoopback(int port) {
        return new ServerOptions(
                List.of(new Listener.Tcp(new InetSocketAddress(InetAddress.getLoopbackAddress(), port))),
                DEFAULT_MAX_MESSAGE_BYTES,
                TransportLimits.DEFAULT,
                STOP_WITHIN,
                InstanceOptions.standard(),
                new CompositeMeterRegistry(),
                List.of());
    }

    public ServerOptions withListeners(Listener... all) {
        return new ServerOptions(
                List.of(all), maxMessageBytes, transport, stopWithin, instance, meters, furtherServices);
    }

    public ServerOptions withTransport(TransportLimits limits) {
        return new ServerOptions(listeners, maxMessageBytes, limits, stopWithin, instance, meters, furtherServices);
    }

    public ServerOptions withStopWithin(Duration most) {
        return new ServerOptions(listeners, maxMessageBytes, transport, most, instance, meters, furtherServices);
    }

    public ServerOptions withInstance(InstanceOptions options) {
        return new ServerOptions(listeners, maxMessageBytes, transport, stopWithin, options, meters, furtherServices);
    }

    public ServerOptions withMeters(MeterRegistry registry) {
        return new ServerOptions(
                listeners, maxMessageBytes, transport, stopWithin, instance, registry, furtherServices);
    }

    public ServerOptions withFurtherServices(BindableService... services) {
        return new ServerOptions(
                listeners, maxMessageBytes, transport, stopWithin, instance, meters, List.of(services));
    }
}
