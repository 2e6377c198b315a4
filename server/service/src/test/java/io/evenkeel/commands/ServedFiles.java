package io.evenkeel.commands;

import com.google.protobuf.Message;
import io.evenkeel.cli.ClusterLoader;
import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.kube.ScriptedApiServer;
import io.evenkeel.manifest.ObjectReader;
import io.evenkeel.service.EvenkeelServer;
import io.evenkeel.v1.Node;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.Refusal;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Consumer;

/** Loads files into running servers. */
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

    /** Gives the nodes and pods of a file to an API server. */
    static void put(ScriptedApiServer api, Path file) throws IOException {
        try (InputStream input = Files.newInputStream(file);
                ObjectReader reader = ObjectReader.of(input, file.toString())) {
            for (Message object = reader.next(); object != null; object = reader.next()) {
                if (object instanceof Node node) {
                    String uid = "node " + node.getMetadata().getName();
                    Node.Builder known = node.toBuilder();
                    known.getMetadataBuilder().setUid(uid);
                    api.put(ObjectKind.NODE, uid, known.build().toByteArray());
                } else if (object instanceof Pod pod) {
                    String uid = "pod " + pod.getMetadata().getName();
                    Pod.Builder known = pod.toBuilder();
                    known.getMetadataBuilder().setUid(uid);
                    api.put(ObjectKind.POD, uid, known.build().toByteArray());
                }
            }
        }
    }

    static String address(EvenkeelServer server) {
        return "127.0.0.1:" + server.port();
    }
}
