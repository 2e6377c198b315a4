package io.evenkeel.kube;

import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.placement.call.RequestException;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.time.Duration;
import javax.net.ssl.SSLException;

/** Says why a feed failed, and what to do. */
final class Problems {
    private static final int UNAUTHORIZED = 401;
    private static final int FORBIDDEN = 403;
    private static final int NOT_FOUND = 404;
    private static final int TOO_MANY_REQUESTS = 429;
    private static final int GONE = 410;

    private Problems() {}

    /** Whether newer credentials, read again, may help. */
    static boolean mayComeFromOldCredentials(IOException failure) {
        return failure instanceof SSLException || failure instanceof ApiException api && api.status() == UNAUTHORIZED;
    }

    /** How long the API server asks to wait; zero where it does not. */
    static Duration retryAfter(Exception failure) {
        return failure instanceof ApiException api ? api.retryAfter() : Duration.ZERO;
    }

    /** Why an attempt to follow a kind failed. */
    static String text(ObjectKind kind, String server, Exception failure) {
        return text(
                server,
                ApiResource.path(kind),
                "get, list and watch of " + ApiResource.plural(kind) + " by a ClusterRole",
                failure);
    }

    /** Why the objects of a kind in a namespace could not be listed. */
    static String ofList(ObjectKind kind, String namespace, String server, Exception failure) {
        String right = "list of " + ApiResource.plural(kind)
                + (kind == ObjectKind.NODE ? " by a ClusterRole" : " in the namespace " + namespace + " by a Role");
        return text(server, ApiResource.path(kind, namespace), right, failure);
    }

    private static String text(String server, String path, String right, Exception failure) {
        if (failure instanceof ApiException api) {
            return ofStatus(server, path, right, api);
        }
        if (failure instanceof SSLException) {
            return "TLS with " + server + " fails: " + message(failure)
                    + "; the cluster's certificate authority must be that of the kubeconfig or of the service account";
        }
        if (failure instanceof UnknownHostException) {
            return "there is no host of this name: " + server;
        }
        if (failure instanceof SocketTimeoutException) {
            return server + " does not answer, or is silent for too long: " + message(failure);
        }
        if (failure instanceof MalformedAnswerException) {
            return server + " sends what cannot be read: " + message(failure);
        }
        if (failure instanceof OlderStateException) {
            return server + " " + message(failure) + ": the kind is listed anew";
        }
        if (failure instanceof RequestException) {
            return "the feed of this kind is refused: " + message(failure);
        }
        if (failure instanceof ConfigurationException) {
            return message(failure);
        }
        if (failure instanceof IOException) {
            return "no connection to " + server + ": " + message(failure);
        }
        return "the feed failed: " + failure;
    }

    private static String ofStatus(String server, String path, String right, ApiException api) {
        String said = server + " answers " + api.status() + (message(api).isEmpty() ? "" : ": " + message(api));
        return switch (api.status()) {
            case UNAUTHORIZED ->
                said
                        + "; the token or certificate of the kubeconfig or the service account is not accepted, or has expired";
            case FORBIDDEN -> said + "; grant " + right;
            case NOT_FOUND -> said + "; it does not serve " + path;
            case TOO_MANY_REQUESTS -> said + "; it is busy";
            case GONE -> said + "; the kind is listed anew";
            default -> said;
        };
    }

    private static String message(Exception failure) {
        return failure.getMessage() == null ? failure.getClass().getSimpleName() : failure.getMessage();
    }
}
