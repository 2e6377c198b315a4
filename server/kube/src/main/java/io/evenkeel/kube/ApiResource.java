package io.evenkeel.kube;

import io.evenkeel.engine.model.ObjectKind;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The path under which the API server serves each kind of objects. */
public final class ApiResource {
    private ApiResource() {}

    /** The name of the resource, as in a ClusterRole. */
    public static String plural(ObjectKind kind) {
        return kind.kindName().toLowerCase(Locale.ROOT) + "s";
    }

    /** The path of all its objects. */
    public static String path(ObjectKind kind) {
        return version(kind) + plural(kind);
    }

    /** The path of its objects in a namespace; that of all its objects if the namespace is null or they have none. */
    public static String path(ObjectKind kind, @Nullable String namespace) {
        return kind.isNamespaced() && namespace != null
                ? version(kind) + "namespaces/" + encoded(namespace) + "/" + plural(kind)
                : path(kind);
    }

    /** A name or token as a part of a path or query. */
    static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    private static String version(ObjectKind kind) {
        return (kind.apiVersion().contains("/") ? "/apis/" : "/api/") + kind.apiVersion() + "/";
    }
}
