package io.evenkeel.client;

import io.evenkeel.client.embedded.EmbeddedPlacement;
import io.evenkeel.client.remote.RemotePlacement;
import io.evenkeel.placement.InstanceOptions;
import io.evenkeel.service.EvenkeelServer;
import io.evenkeel.service.ServerOptions;
import java.io.IOException;
import java.io.UncheckedIOException;

/** The kinds of clients, which must behave the same. */
enum ClientKind {
    /** A remote client of a real server, over loopback. */
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

    /** An embedded client with its own empty index. */
    Opened open() {
        return open(InstanceOptions.standard());
    }

    /** A client with its server or index. */
    record Opened(PlacementClient client, Runnable behind) implements AutoCloseable {
        @Override
        public void close() {
            client.close();
            behind.run();
        }
    }
}
