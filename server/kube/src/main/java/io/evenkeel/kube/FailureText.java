package io.evenkeel.kube;

import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.kube.client.ApiException;
import io.evenkeel.kube.client.ConfigurationException;
import io.evenkeel.kube.client.MalformedAnswerException;
import io.evenkeel.placement.call.RequestException;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.time.Duration;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/** Describes why a feed failed and what to do. */
final class FailureText {
    private static final int UNAUTHORIZED = 401;
    private static final int FORBIDDEN = 403;
    private static final int NOT_FOUND = 404;
    private static final int TOO_MANY_REQUESTS = 429;
    private static final int GONE = 410;

    private FailureText() {}

    /** Whether reloading the credentials may help. */
    static boolean mayComeFromOldCredentials(IOException failure) {
        return failure instanceof SSLException || failure instanceof ApiException api && api.status() == UNAUTHORIZED;
    }

    /** How long the API server asks the client to wait; zero if it does not say. */
    static Duration retryAfter(Exception failure) {
        return failure instanceof ApiException api ? api.retryAfter() : Duration.ZERO;
    }

    /** Why an attempt to follow a kind failed. */
    static String text(ObjectKind kind, String server, Exception failure) {
        return text(
                server,
                ApiResource.path(kind),
                "get, list and watch on " + ApiResource.plural(kind) + " with a ClusterRole",
                failure);
    }

    /** Why the objects of a kind in a namespace, or in all if it is null, could not be listed. */
    static String ofList(ObjectKind kind, @Nullable String namespace, String server, Exception failure) {
        String right = "list on " + ApiResource.plural(kind)
                + (kind == ObjectKind.NODE || namespace == null
                        ? " with a ClusterRole"
                        : " in namespace " + namespace + " with a Role");
        return text(server, ApiResource.path(kind, namespace), right, failure);
    }

    /**
     * Why a request failed.
     *
     * @param right what a role must grant for it
     */
    static String text(String server, String path, String right, Exception failure) {
        if (failure instanceof ApiException api) {
            return ofStatus(server, path, right, api);
        }
        if (failure instanceof SSLException) {
            return "TLS handshake with " + server + " failed: " + message(failure)
                    + "; check the cluster's certificate authority in the kubeconfig or service account";
        }
        if (failure instanceof UnknownHostException) {
            return "unknown host: " + server;
        }
        if (failure instanceof SocketTimeoutException) {
            return server + " timed out: " + message(failure);
        }
        if (failure instanceof MalformedAnswerException) {
            return server + " sent malformed data: " + message(failure);
        }
        if (failure instanceof OlderStateException) {
            return server + " " + message(failure) + "; relisting";
        }
        if (failure instanceof RequestException) {
            return "feed rejected: " + message(failure);
        }
        if (failure instanceof ConfigurationException) {
            return message(failure);
        }
        if (failure instanceof IOException) {
            return "no connection to " + server + ": " + message(failure);
        }
        return "feed failed: " + failure;
    }

    private static String ofStatus(String server, String path, String right, ApiException api) {
        String said = server + " returned " + api.status() + (message(api).isEmpty() ? "" : ": " + message(api));
        return switch (api.status()) {
            case UNAUTHORIZED ->
                said + "; the token or certificate of the kubeconfig or service account is invalid or expired";
            case FORBIDDEN -> said + "; grant " + right;
            case NOT_FOUND -> said + "; the server has no resource at " + path;
            case TOO_MANY_REQUESTS -> said + "; the server is busy";
            case GONE -> said + "; relisting";
            default -> said;
        };
    }

    private static String message(Exception failure) {
        return failure.getMessage() == null ? failure.getClass().getSimpleName() : failure.getMessage();
    }
}
