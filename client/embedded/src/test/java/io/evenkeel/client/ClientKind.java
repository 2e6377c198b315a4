package io.evenkeel.client;

import io.evenkeel.client.embedded.EmbeddedPlacement;
import io.evenkeel.client.remote.RemotePlacement;
import io.evenkeel.placement.InstanceOptions;
import io.evenkeel.service.EvenkeelServer;
import io.evenkeel.service.ServerOptions;
import java.io.IOException;
import java.io.UncheckedIOException;

/** The clients that must do the same. */
enum ClientKind {
    /** Of a real server, over loopback. */
    REMOTE {
        @Override
        Opened open(InstanceOptions options) {
            try {
                EvenkeelServer server =
                        EvenkeelServer.start(ServerOptions.onLoopback(0).withInstance(options));
                return new Opened(RemotePlacement.connect("127.0.0.1:" + server.port()), server::close);
            } catch (IOException failed) {
                throw new UncheckedIOException(failed);
            }
        }
    },
    EMBEDDED {
        @Override
        Opened open(InstanceOptions options) {
            return new Opened(EmbeddedPlacement.builder().options(options).build(), () -> {});
        }
    };

    abstract Opened open(InstanceOptions options);

    /** With an index of its own, empty. */
    Opened open() {
        return open(InstanceOptions.standard());
    }

    /** A client and what stands behind it. */
    record Opened(PlacementClient client, Runnable behind) implements AutoCloseable {
        @Override
        public void close() {
            client.close();
            behind.run();
        }
    }
}
