package io.evenkeel.client;

import io.evenkeel.v1.Freshness;
import io.evenkeel.v1.KindVersion;
import io.evenkeel.v1.ObjectKind;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * The API server's resourceVersion of each kind of objects: those that an answer is based on, or that a query requires.
 * They can be compared across all replicas of a server and with programs that watch the API server themselves.
 * Immutable.
 *
 * <pre>{@code
 * ResourceVersions seen = ResourceVersions.of(ObjectKind.OBJECT_KIND_POD, versionOfTheLastEvent);
 * client.evaluate(Query.of(pod).holding(seen).tellVersions().toEvaluate())
 * }</pre>
 */
public final class ResourceVersions {
    /** No versions. */
    public static final ResourceVersions NONE = new ResourceVersions(Map.of());

    private final Map<ObjectKind, Long> byKind;

    private ResourceVersions(Map<ObjectKind, Long> byKind) {
        this.byKind = byKind;
    }

    /** The version of one kind, at least 1. */
    public static ResourceVersions of(ObjectKind kind, long version) {
        return NONE.newest(kind, version);
    }

    /** The versions in an answer: {@code getResourceVersionsList()} of a response. */
    public static ResourceVersions of(List<KindVersion> reported) {
        ResourceVersions versions = NONE;
        for (KindVersion each : reported) {
            versions = versions.newest(each.getKind(), Long.parseLong(each.getResourceVersion()));
        }
        return versions;
    }

    /** The version of a kind; 0 if there is none. */
    public long version(ObjectKind kind) {
        return byKind.getOrDefault(kind, 0L);
    }

    /** The versions by kind. */
    public Map<ObjectKind, Long> byKind() {
        return Map.copyOf(byKind);
    }

    /** A copy with this version of a kind, unless it already has a newer one. */
    public ResourceVersions newest(ObjectKind kind, long version) {
        if (version < 1) {
            throw new IllegalArgumentException("version must be at least 1, was " + version);
        }
        Map<ObjectKind, Long> newest = new EnumMap<>(ObjectKind.class);
        newest.putAll(byKind);
        newest.merge(kind, version, Math::max);
        return new ResourceVersions(newest);
    }

    /** The newer version of each kind. */
    public ResourceVersions newest(ResourceVersions other) {
        ResourceVersions newest = this;
        for (Map.Entry<ObjectKind, Long> each : other.byKind.entrySet()) {
            newest = newest.newest(each.getKey(), each.getValue());
        }
        return newest;
    }

    /** A copy of the requirements with these versions instead. */
    Freshness demandedBy(Freshness demands) {
        Freshness.Builder changed = demands.toBuilder().clearResourceVersions();
        byKind.forEach((kind, version) ->
                changed.addResourceVersionsBuilder().setKind(kind).setResourceVersion(Long.toString(version)));
        return changed.build();
    }

    /** A copy of the requirements with this maximum age. */
    static Freshness within(Duration age, Freshness demands) {
        if (age.isNegative() || age.isZero()) {
            throw new IllegalArgumentException("age must be more than 0, was " + age);
        }
        return demands.toBuilder()
                .setMaxAge(com.google.protobuf.Duration.newBuilder()
                        .setSeconds(age.getSeconds())
                        .setNanos(age.getNano()))
                .build();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof ResourceVersions versions && byKind.equals(versions.byKind);
    }

    @Override
    public int hashCode() {
        return byKind.hashCode();
    }

    @Override
    public String toString() {
        return byKind.toString();
    }
}
