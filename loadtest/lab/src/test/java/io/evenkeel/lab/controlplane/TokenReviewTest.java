package io.evenkeel.lab.controlplane;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.evenkeel.loadtest.local.ServerUnderTest;
import io.evenkeel.v1.ClusterStateGrpc;
import io.evenkeel.v1.EvaluateStreamRequest;
import io.evenkeel.v1.EvaluateStreamResponse;
import io.evenkeel.v1.GetStatusRequest;
import io.evenkeel.v1.PlacementGrpc;
import io.grpc.ClientInterceptor;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.MetadataUtils;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests service account tokens with a real API server, which issues, reviews and revokes them. */
@Tag("kube")
final class TokenReviewTest {
    private static final Metadata.Key<String> AUTHORIZATION =
            Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);
    private static final String DEFAULT = "/api/v1/namespaces/default/";

    @TempDir
    private Path directory = Path.of("");

    @Test
    void tokenOfAServiceAccount_givesTheRightsOfItsGroup_untilItIsRevoked() throws Exception {
        Path rules = Files.writeString(
                directory.resolve("access.yaml"),
                "rules: [{group: 'system:serviceaccounts:default', may: [ask]}, {user: 'system:anonymous', may: [feed]}]");
        try (ControlPlane plane = ControlPlane.start(directory.resolve("plane"))) {
            ApiServer cluster = plane.client();
            post(cluster, DEFAULT + "serviceaccounts", object("asker"));
            post(cluster, DEFAULT + "secrets", object("bound"));
            post(cluster, "/api/v1/namespaces/kube-system/serviceaccounts", object("other"));
            String asker = DEFAULT + "serviceaccounts/asker";
            String bound = token(cluster, asker, "evenkeel", secretAndUid(cluster, "bound"));
            String plain = token(cluster, asker, "evenkeel", "null");
            String forTheApiServer = token(cluster, asker, "https://kubernetes.default.svc", "null");
            String other = token(cluster, "/api/v1/namespaces/kube-system/serviceaccounts/other", "evenkeel", "null");
            try (ServerUnderTest server = ServerUnderTest.serve(
                    "--kube",
                    "--kubeconfig",
                    kubeconfig(plane).toString(),
                    "--kube-tokens",
                    "evenkeel",
                    "--access",
                    rules.toString())) {
                ManagedChannel channel = Grpc.newChannelBuilder(server.target(), InsecureChannelCredentials.create())
                        .build();
                assertEquals(Status.Code.OK, ask(channel, bound));
                assertEquals(Status.Code.OK, ask(channel, plain));
                assertEquals(Status.Code.PERMISSION_DENIED, ask(channel, other));
                assertEquals(Status.Code.UNAUTHENTICATED, ask(channel, forTheApiServer));
                assertEquals(Status.Code.UNAUTHENTICATED, ask(channel, "nobodys"));
                assertEquals(Status.Code.UNAUTHENTICATED, ask(channel, plain + "x"));

                CompletableFuture<Status.Code> stream = openStream(channel, plain);
                cluster.call("DELETE", DEFAULT + "secrets/bound", "").join();
                assertEquals(Status.Code.UNAUTHENTICATED, askUntilRefused(channel, bound));
                assertEquals(Status.Code.OK, ask(channel, plain));
                cluster.call("DELETE", asker, "").join();
                assertEquals(Status.Code.UNAUTHENTICATED, askUntilRefused(channel, plain));
                assertEquals(Status.Code.UNAUTHENTICATED, stream.get());
                channel.shutdownNow();
            }
        }
    }

    /** A kubeconfig of Evenkeel's service account, which may also review tokens. */
    private Path kubeconfig(ControlPlane plane) throws IOException, InterruptedException {
        Path kubeconfig = ServiceAccount.kubeconfig(plane, directory);
        plane.kubectl(
                "create",
                "clusterrolebinding",
                "evenkeel-tokens",
                "--clusterrole=system:auth-delegator",
                "--serviceaccount=evenkeel:evenkeel");
        return kubeconfig;
    }

    private static String object(String name) {
        return "{\"metadata\": {\"name\": \"" + name + "\"}}";
    }

    private static void post(ApiServer cluster, String path, String json) {
        JsonNode created = cluster.call("POST", path, json).join();
        assertTrue(created.path("metadata").hasNonNull("uid"), created::toString);
    }

    /** A reference to the secret. Deleting it revokes the token. */
    private static String secretAndUid(ApiServer cluster, String name) {
        JsonNode secret = cluster.call("GET", DEFAULT + "secrets/" + name, "").join();
        return "{\"kind\": \"Secret\", \"apiVersion\": \"v1\", \"name\": \"" + name + "\", \"uid\": \""
                + secret.path("metadata").path("uid").asText() + "\"}";
    }

    private static String token(ApiServer cluster, String account, String audience, String boundTo) {
        String request = "{\"spec\": {\"audiences\": [\"" + audience + "\"], \"boundObjectRef\": " + boundTo + "}}";
        return cluster.call("POST", account + "/token", request)
                .join()
                .path("status")
                .path("token")
                .asText();
    }

    private static ClientInterceptor shows(String token) {
        Metadata headers = new Metadata();
        headers.put(AUTHORIZATION, "Bearer " + token);
        return MetadataUtils.newAttachHeadersInterceptor(headers);
    }

    private static Status.Code ask(ManagedChannel channel, String token) {
        try {
            long nodes = ClusterStateGrpc.newBlockingStub(channel)
                    .withInterceptors(shows(token))
                    .getStatus(GetStatusRequest.getDefaultInstance())
                    .getNodeCount();
            assertEquals(0, nodes);
            return Status.Code.OK;
        } catch (StatusRuntimeException refused) {
            return refused.getStatus().getCode();
        }
    }

    private static Status.Code askUntilRefused(ManagedChannel channel, String token) throws InterruptedException {
        Status.Code said = ask(channel, token);
        while (said == Status.Code.OK) {
            Thread.sleep(100);
            said = ask(channel, token);
        }
        return said;
    }

    /** The status code with which the stream ends. */
    private static CompletableFuture<Status.Code> openStream(ManagedChannel channel, String token) {
        CompletableFuture<Status.Code> end = new CompletableFuture<>();
        StreamObserver<EvaluateStreamRequest> open = PlacementGrpc.newStub(channel)
                .withInterceptors(shows(token))
                .evaluateStream(new StreamObserver<EvaluateStreamResponse>() {
                    @Override
                    public void onNext(EvaluateStreamResponse answer) {}

                    @Override
                    public void onError(Throwable error) {
                        end.complete(Status.fromThrowable(error).getCode());
                    }

                    @Override
                    public void onCompleted() {
                        end.complete(Status.Code.OK);
                    }
                });
        open.onNext(EvaluateStreamRequest.getDefaultInstance());
        return end;
    }
}
