package io.evenkeel.service;

import io.grpc.netty.shaded.io.netty.channel.Channel;
import io.grpc.netty.shaded.io.netty.channel.ChannelFuture;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The accepted connections over which no call has been admitted yet: silent ones, those with an incomplete handshake,
 * those of unauthenticated callers, and those of probes. Beyond the limit, the oldest connection of the address with
 * the most is closed, so that the connections of one caller only replace each other. Thread-safe.
 *
 * <pre>
 *   byPeer:    address of the peer, or the /64 network of an IPv6 address ─► its channels, oldest first
 *   byAddress: the address object of a channel's peer ─► the channel
 * </pre>
 *
 * <p>Both contain the same channels, and no collection is empty. Channels are identified by the identity of their
 * address object, which gRPC also uses; its value does not suffice, because all callers of a Unix domain socket have
 * the same.
 */
final class UnauthenticatedConnections {
    private static final int BYTES_OF_NETWORK = 8;

    private final int most;
    private final RefusalMetrics refusals;
    private final Map<ByteBuffer, Set<Channel>> byPeer = new HashMap<>();
    private final IdentityHashMap<SocketAddress, Channel> byAddress = new IdentityHashMap<>();

    /**
     * @param most the maximum number of such connections
     * @param refusals counts the connections that are closed
     */
    UnauthenticatedConnections(int most, RefusalMetrics refusals) {
        this.most = most;
        this.refusals = refusals;
    }

    /** Adds a connection that was just accepted. Called by the accepting thread. */
    void add(Channel accepted) {
        SocketAddress address = accepted.remoteAddress();
        if (address == null) {
            // It is already closed.
            return;
        }
        Channel over = added(address, accepted);
        ChannelFuture unused = accepted.closeFuture().addListener(closed -> remove(address));
        if (over != null) {
            refusals.count(RefusalMetrics.Why.NEWCOMERS);
            // Not through gRPC, which would wait for open calls.
            over.eventLoop().execute(() -> over.unsafe().close(over.newPromise()));
        }
    }

    /** Called when a call over the connection with this address object was admitted. */
    void admitted(@Nullable SocketAddress address) {
        if (address != null) {
            remove(address);
        }
    }

    /** Whether no call over this connection has been admitted yet. */
    synchronized boolean has(Channel connection) {
        SocketAddress address = connection.remoteAddress();
        return address != null && byAddress.get(address) == connection;
    }

    private synchronized @Nullable Channel added(SocketAddress address, Channel accepted) {
        Channel over = byAddress.size() < most ? null : oldestOfMost();
        if (over != null) {
            remove(over.remoteAddress());
        }
        byAddress.put(address, accepted);
        byPeer.computeIfAbsent(peer(address), peer -> new LinkedHashSet<>()).add(accepted);
        return over;
    }

    private Channel oldestOfMost() {
        Set<Channel> largest = Set.of();
        for (Set<Channel> each : byPeer.values()) {
            if (each.size() > largest.size()) {
                largest = each;
            }
        }
        return largest.iterator().next();
    }

    private synchronized void remove(SocketAddress address) {
        Channel known = byAddress.remove(address);
        if (known != null) {
            byPeer.computeIfPresent(peer(address), (peer, channels) -> {
                channels.remove(known);
                return channels.isEmpty() ? null : channels;
            });
        }
    }

    private static ByteBuffer peer(SocketAddress address) {
        byte[] bytes = address instanceof InetSocketAddress internet
                ? internet.getAddress().getAddress()
                : new byte[0];
        return ByteBuffer.wrap(bytes, 0, Math.min(bytes.length, BYTES_OF_NETWORK));
    }
}
