package io.evenkeel.engine.skew;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a survey read of the workloads of each namespace. The next survey uses it for the namespaces whose label classes
 * and owners are still the same. Immutable.
 */
public final class KnownWorkloads {
    /** Those of no survey. */
    public static final KnownWorkloads NONE = new KnownWorkloads(Map.of());

    private final Map<String, NamespaceWorkloads> byNamespace;

    KnownWorkloads(Map<String, NamespaceWorkloads> byNamespace) {
        this.byNamespace = byNamespace;
    }

    @Nullable
    NamespaceWorkloads in(String namespace) {
        return byNamespace.get(namespace);
    }
}
