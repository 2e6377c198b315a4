package io.evenkeel.engine.model;

import io.evenkeel.engine.memory.KeyedHash;

/**
 * A port of the node that a pod occupies.
 *
 * @param ip the address; "0.0.0.0" is every address. Other spellings of it are compared as text, as kube-scheduler
 *     does.
 * @param protocol "TCP", "UDP" or "SCTP"
 * @param port 1 to 65535
 */
public record HostPort(String ip, String protocol, int port) {
    private static final String EVERY_ADDRESS = "0.0.0.0";
    private static final String DEFAULT_PROTOCOL = "TCP";

    /** Replaces an empty address and an empty protocol by their defaults. */
    public HostPort {
        ip = ip.isEmpty() ? EVERY_ADDRESS : ip;
        protocol = protocol.isEmpty() ? DEFAULT_PROTOCOL : protocol;
    }

    /** Whether two pods on one node cannot have these ports (HostPortInfo.CheckConflict). */
    public boolean conflictsWith(HostPort other) {
        return port == other.port
                && protocol.equals(other.protocol)
                && (ip.equals(other.ip) || ip.equals(EVERY_ADDRESS) || other.ip.equals(EVERY_ADDRESS));
    }

    @Override
    public int hashCode() {
        return KeyedHash.ofAll(ip, protocol, port);
    }
}
