package io.evenkeel.commands;

import com.google.protobuf.Message;
import io.evenkeel.cli.ClusterLoader;
import io.evenkeel.manifest.ObjectReader;
import io.evenkeel.service.EvenkeelServer;
import io.evenkeel.v1.Refusal;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Consumer;

/** Loads files into a running server. */
final class ServedFiles {
    private ServedFiles() {}

    static void load(EvenkeelServer server, Path file) throws IOException {
        Consumer<Message> seen = object -> {};
        Consumer<Refusal> refused = refusal -> {
            throw new IllegalStateException(refusal.toString());
        };
        try (ClusterLoader loader = new ClusterLoader(server.instance().clusterState());
                InputStream input = Files.newInputStream(file);
                ObjectReader reader = ObjectReader.of(input, file.toString())) {
            loader.load(reader, seen, refused);
            loader.end();
        }
    }

    static String address(EvenkeelServer server) {
        return "127.0.0.1:" + server.port();
    }
}
