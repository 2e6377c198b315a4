package io.evenkeel.engine.answer;

import io.evenkeel.engine.index.Topology;
import io.evenkeel.engine.memory.NodeBits;
import java.util.Arrays;

/**
 * Computes the weights of soft constraints. A weight is {@code ln(size + 2)}; size is the number of domains among the
 * nodes considered. It is equal to that of a kube-scheduler on amd64 to the last bit ({@link GoLog}).
 */
public final class DomainWeights {
    /** How many weights are kept. A cluster has few sizes, and they are needed again and again. */
    private static final int KEPT = 4;

    private final int[] sizes = new int[KEPT];
    private final double[] weights = new double[KEPT];
    private long[] seen = {};

    /** The weight of a constraint over {@code domains} domains. */
    public double weight(int domains) {
        int place = domains & KEPT - 1;
        if (sizes[place] != domains || weights[place] == 0) {
            sizes[place] = domains;
            weights[place] = GoLog.log(domains + 2.0);
        }
        return weights[place];
    }

    /** How many domains of a topology there are among the nodes considered; for hostname, how many nodes. */
    public int domainsAmong(Topology topology, long[] considered, int words) {
        int domains = 0;
        if (!topology.isWide()) {
            for (int domain = 0; domain < topology.domainLimit(); domain++) {
                if (topology.isDomain(domain) && topology.isAmong(domain, considered, words)) {
                    domains++;
                }
            }
            return domains;
        }
        if (topology.followers().length == 0) {
            return NodeBits.cardinality(considered, words);
        }
        long[] counted = beginSeen(NodeBits.words(topology.domainLimit()));
        int[] domainOf = topology.domainsBySlot();
        for (int w = 0; w < words; w++) {
            for (long left = considered[w]; left != 0; left &= left - 1) {
                int domain = domainOf[w << 6 | Long.numberOfTrailingZeros(left)];
                if (!NodeBits.get(counted, domain)) {
                    NodeBits.set(counted, domain);
                    domains++;
                }
            }
        }
        return domains;
    }

    private long[] beginSeen(int length) {
        if (seen.length < length) {
            seen = new long[length];
        }
        Arrays.fill(seen, 0, length, 0);
        return seen;
    }
}
