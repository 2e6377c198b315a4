package io.evenkeel.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.evenkeel.access.AccessOptions;
import io.evenkeel.access.LoggedLines;
import io.evenkeel.engine.Await;
import io.evenkeel.kube.KubeFeed;
import io.evenkeel.kube.ScriptedApiServer;
import io.evenkeel.kube.client.ClusterAccess;
import io.evenkeel.service.EvenkeelServer;
import io.evenkeel.service.ServerOptions;
import io.evenkeel.v1.ClusterStateGrpc;
import io.evenkeel.v1.GetStatusRequest;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.MetadataUtils;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests that tokens sent to an API server never appear in a log, whatever the outcome. */
final class TokenLogTest {
    private static final String SECRET = "-token-of-tests-0123456789";

    @TempDir
    private Path directory = Path.of("");

    @Test
    @Timeout(120)
    @SuppressWarnings("try") // The feed runs in the background.
    void tokensForTheApiServer_standInNoLogLine() throws Exception {
        Path rules = Files.writeString(directory.resolve("access.yaml"), "rules: [{user: someone, may: [ask]}]");
        try (LoggedLines lines = new LoggedLines()) {
            try (ScriptedApiServer kubernetes = ScriptedApiServer.start()) {
                kubernetes.requireToken("other" + SECRET);
                kubernetes.know("someone" + SECRET, "someone");
                ClusterAccess access =
                        ClusterAccess.of(kubernetes.kubeconfig(directory, "", "token: own" + SECRET), null);
                AccessOptions options = new AccessOptions(null, null, null, null, rules)
                        .withReviewer(KubeTokens.of(access, "evenkeel"));
                try (EvenkeelServer server =
                                EvenkeelServer.start(ServerOptions.onLoopback(0).withAccess(options));
                        KubeFeed feed = KubeFeed.start(
                                server.instance().clusterState(),
                                100,
                                access,
                                new KubeLog((level, line) -> lines.add(line)))) {
                    Await.until(() -> !lines.with("returned 401").isEmpty());
                    assertEquals(Status.Code.UNAVAILABLE, ask(server, "early" + SECRET));
                    kubernetes.requireToken("own" + SECRET);
                    Await.until(() -> server.instance().clusterState().isReady());
                    assertEquals(Status.Code.OK, ask(server, "someone" + SECRET));
                    assertEquals(Status.Code.UNAUTHENTICATED, ask(server, "nobody" + SECRET));
                }
            }
            assertFalse(lines.with("okhttp").isEmpty());
            assertEquals(List.of(), lines.with(SECRET));
        }
    }

    /** The status of a call with the token. */
    private static Status.Code ask(EvenkeelServer server, String token) {
        Metadata headers = new Metadata();
        headers.put(Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER), "Bearer " + token);
        ManagedChannel channel = Grpc.newChannelBuilder(
                        "127.0.0.1:" + server.port(), InsecureChannelCredentials.create())
                .build();
        try {
            ClusterStateGrpc.newBlockingStub(channel)
                    .withInterceptors(MetadataUtils.newAttachHeadersInterceptor(headers))
                    .getStatus(GetStatusRequest.getDefaultInstance());
            return Status.Code.OK;
        } catch (StatusRuntimeException refused) {
            assertFalse(String.valueOf(refused.getMessage()).contains(SECRET));
            return refused.getStatus().getCode();
        } finally {
            channel.shutdownNow();
        }
    }
}
