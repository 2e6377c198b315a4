package io.evenkeel.service;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Set;

/** An address that a server listens on. */
public sealed interface Listener {
    /** Whether only callers on this machine can reach it. */
    boolean isLocal();

    /**
     * A TCP port.
     *
     * @param address a port of one of the machine's addresses, or of all; port 0 picks a free one
     */
    record Tcp(InetSocketAddress address) implements Listener {
        @Override
        public boolean isLocal() {
            InetAddress ip = address.getAddress();
            return ip != null && ip.isLoopbackAddress();
        }
    }

    /**
     * A Unix domain socket. The file exists while the server listens.
     *
     * @param mode the permissions of the file
     */
    record Unix(Path path, Set<PosixFilePermission> mode) implements Listener {
        public Unix {
            mode = Set.copyOf(mode);
        }

        @Override
        public boolean isLocal() {
            return true;
        }
    }
}
