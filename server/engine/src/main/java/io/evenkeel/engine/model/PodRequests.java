package io.evenkeel.engine.model;

import io.evenkeel.engine.memory.KeyedHash;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a pod takes from its node: amounts of resources, and host ports. Each pod also takes one of the node's "pods". A
 * pod of the cluster also has its required anti-affinity here, which keeps other pods from its domains, and its
 * {@link NonZero} amounts.
 *
 * <p>Cpu is in millicores, all else in whole units. Resources are in the order in which kube-scheduler names those that
 * are insufficient: cpu, memory, ephemeral-storage, then the others by name. Immutable.
 */
public final class PodRequests {
    public static final String CPU = "cpu";
    public static final String MEMORY = "memory";
    public static final String EPHEMERAL_STORAGE = "ephemeral-storage";

    /** Of a pod whose containers were not given. It counts as if it asked for nothing. */
    public static final PodRequests UNKNOWN = new PodRequests(false, List.of(), List.of(), List.of(), NonZero.NOTHING);

    /** Of a pod that asks for nothing. */
    public static final PodRequests NOTHING = new PodRequests(true, List.of(), List.of(), List.of(), NonZero.NOTHING);

    private static final List<String> FIRST = List.of(CPU, MEMORY, EPHEMERAL_STORAGE);
    private static final Comparator<Amount> ORDER =
            Comparator.comparingInt((Amount amount) -> rank(amount.resource)).thenComparing(Amount::resource);

    /**
     * An amount of a resource.
     *
     * @param amount more than 0
     */
    public record Amount(String resource, long amount) {}

    /**
     * What a pod counts as taking when nodes are scored: containers without a request for cpu count as if they asked
     * for 100m, and those without one for memory as if they asked for 200Mi (kube-scheduler's NonZeroRequested).
     *
     * @param cpu in millicores
     * @param memory in bytes
     */
    public record NonZero(long cpu, long memory) {
        public static final NonZero NOTHING = new NonZero(0, 0);
    }

    private final boolean known;
    private final List<Amount> amounts;
    private final List<HostPort> hostPorts;
    private final List<AntiAffinityTerm> antiAffinity;
    private final NonZero nonZero;
    private final int hash;

    private PodRequests(
            boolean known,
            List<Amount> amounts,
            List<HostPort> hostPorts,
            List<AntiAffinityTerm> antiAffinity,
            NonZero nonZero) {
        this.known = known;
        this.amounts = amounts;
        this.hostPorts = hostPorts;
        this.antiAffinity = antiAffinity;
        this.nonZero = nonZero;
        int all =
                KeyedHash.ofAll(known, hostPorts.size(), amounts.size(), antiAffinity, nonZero.cpu(), nonZero.memory());
        for (Amount amount : amounts) {
            all = KeyedHash.ofAll(all, amount.resource, amount.amount);
        }
        for (HostPort port : hostPorts) {
            all = KeyedHash.ofAll(all, port.hashCode());
        }
        hash = all;
    }

    /**
     * The requests of a pod whose containers were given.
     *
     * @param amounts by resource; those that are not more than 0 are skipped, because kube-scheduler does not compare
     *     them
     */
    public static PodRequests of(Map<String, Long> amounts, Collection<HostPort> hostPorts) {
        List<Amount> asked = amounts.entrySet().stream()
                .filter(entry -> entry.getValue() > 0)
                .map(entry -> new Amount(entry.getKey(), entry.getValue()))
                .sorted(ORDER)
                .toList();
        return asked.isEmpty() && hostPorts.isEmpty()
                ? NOTHING
                : new PodRequests(true, asked, hostPorts.stream().distinct().toList(), List.of(), NonZero.NOTHING);
    }

    /** The same requests, of a pod with this required anti-affinity. */
    public PodRequests withAntiAffinity(List<AntiAffinityTerm> terms) {
        return terms.isEmpty() ? this : new PodRequests(known, amounts, hostPorts, List.copyOf(terms), nonZero);
    }

    /** The same requests, of a pod that counts as taking these amounts when nodes are scored. */
    public PodRequests withNonZero(NonZero other) {
        return nonZero.equals(other) ? this : new PodRequests(known, amounts, hostPorts, antiAffinity, other);
    }

    private static int rank(String resource) {
        int first = FIRST.indexOf(resource);
        return first < 0 ? FIRST.size() : first;
    }

    /** Whether the pod's containers were given. */
    public boolean isKnown() {
        return known;
    }

    /** The resources of which it asks for more than 0, in the order of the class comment. */
    public List<Amount> amounts() {
        return amounts;
    }

    /** How much of a resource it asks for. */
    public long amount(String resource) {
        for (Amount each : amounts) {
            if (each.resource.equals(resource)) {
                return each.amount;
            }
        }
        return 0;
    }

    public List<HostPort> hostPorts() {
        return hostPorts;
    }

    /** The required terms of the anti-affinity of a pod of the cluster. */
    public List<AntiAffinityTerm> antiAffinity() {
        return antiAffinity;
    }

    /** What a pod of the cluster counts as taking when nodes are scored; nothing if its containers were not given. */
    public NonZero nonZero() {
        return nonZero;
    }

    /** Roughly how many bytes of heap it takes, without anti-affinity, which pods to be placed do not have here. */
    public long bytes() {
        long bytes = Footprint.OBJECT;
        for (Amount amount : amounts) {
            bytes += Footprint.OBJECT + Footprint.of(amount.resource);
        }
        for (HostPort port : hostPorts) {
            bytes += Footprint.OBJECT + Footprint.of(port.ip()) + Footprint.of(port.protocol());
        }
        return bytes;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return this == other
                || other instanceof PodRequests requests
                        && hash == requests.hash
                        && known == requests.known
                        && amounts.equals(requests.amounts)
                        && hostPorts.equals(requests.hostPorts)
                        && antiAffinity.equals(requests.antiAffinity)
                        && nonZero.equals(requests.nonZero);
    }

    @Override
    public int hashCode() {
        return hash;
    }

    @Override
    public String toString() {
        return known ? amounts + " " + hostPorts : "unknown";
    }
}
