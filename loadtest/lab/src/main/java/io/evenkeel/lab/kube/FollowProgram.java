package io.evenkeel.lab.kube;

import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.kube.KindState;
import io.evenkeel.kube.KubeFeed;
import io.evenkeel.kube.KubeFeedListener;
import io.evenkeel.kube.client.ClusterAccess;
import io.evenkeel.service.EvenkeelServer;
import io.evenkeel.service.ServerOptions;
import io.evenkeel.v1.ObjectMeta;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.Refusal;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;

/**
 * For each line of its input, starts a server that follows the cluster of a kubeconfig, and prints the nanoseconds
 * until the first answer. All but the first start run on a warm JVM.
 */
final class FollowProgram {
    private static final int MAX_OBJECTS = 1_000;

    private FollowProgram() {}

    private static final class Silent implements KubeFeedListener {
        @Override
        public void changed(KindState state) {}

        @Override
        public void refused(ObjectKind kind, Refusal refusal) {
            throw new IllegalStateException("an object was rejected: " + refusal);
        }
    }

    public static void main(String[] arguments) throws IOException, InterruptedException {
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        Pod pod = Pod.newBuilder()
                .setMetadata(ObjectMeta.newBuilder().setName("first"))
                .build();
        while (input.readLine() != null) {
            long begin = System.nanoTime();
            ClusterAccess access = ClusterAccess.of(Path.of(arguments[0]), null);
            try (EvenkeelServer server = EvenkeelServer.start(ServerOptions.onLoopback(0))) {
                CountDownLatch ready = new CountDownLatch(1);
                server.instance().clusterState().onReadiness(now -> {
                    if (now) {
                        ready.countDown();
                    }
                });
                KubeFeed feed = KubeFeed.start(server.instance().clusterState(), MAX_OBJECTS, access, new Silent());
                try {
                    ready.await();
                    FirstAnswer.await("127.0.0.1:" + server.port(), pod);
                    System.out.println("answered " + (System.nanoTime() - begin));
                    System.out.flush();
                } finally {
                    feed.close();
                }
            }
        }
    }
}
