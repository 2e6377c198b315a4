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
 * The connections over which no call has been let in yet, from the moment when they are accepted: silent ones, those
 * whose handshake is not done, those of strangers, and those of probes. Where there is one too many, the oldest of the
 * address that has the most is closed, so that many of one caller push out only each other. Safe for use by several
 * threads.
 *
 * <pre>
 *   byPeer:    address of the other side, or the network of 64 bits of an IPv6 address ─► its channels, oldest first
 *   byAddress: the object that a channel names its other side by ─► the channel
 * </pre>
 *
 * <p>Both hold the same channels, and no collection is empty. Each channel has an address object of its own, by which
 * gRPC names the connection too; equal ones will not do, because all callers of a Unix domain socket have the same.
 */
final class UnauthenticatedConnections {
    private static final int BYTES_OF_NETWORK = 8;

    private final int most;
    private final RefusalMetrics refusals;
    private final Map<ByteBuffer, Set<Channel>> byPeer = new HashMap<>();
    private final IdentityHashMap<SocketAddress, Channel> byAddress = new IdentityHashMap<>();

    /**
     * @param most how many there may be
     * @param refusals counts those that are closed
     */
    UnauthenticatedConnections(int most, RefusalMetrics refusals) {
        this.most = most;
        this.refusals = refusals;
    }

    /** Takes a connection that was just accepted, in the thread that accepts. */
    void add(Channel accepted) {
        SocketAddress address = accepted.remoteAddress();
        if (address == null) {
            // It has gone already.
            return;
        }
        Channel over = added(address, accepted);
        ChannelFuture unused = accepted.closeFuture().addListener(closed -> remove(address));
        if (over != null) {
            refusals.count(RefusalMetrics.Why.NEWCOMERS);
            // Not through gRPC, which would wait for what is open on it.
            over.eventLoop().execute(() -> over.unsafe().close(over.newPromise()));
        }
    }

    /** A call over the connection with this address object was let in. */
    void letIn(@Nullable SocketAddress address) {
        if (address != null) {
            remove(address);
        }
    }

    /** Whether no call over this connection was let in yet. */
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
