package io.evenkeel.engine.estimate;

import io.evenkeel.engine.memory.CapacityException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/**
 * Nodes, templates of new nodes, and pending pods. Immutable, if the arrays in it are left alone.
 *
 * @param resources how many resources there are; pod slots and host ports are resources too
 * @param keys how many topology keys there are
 * @param counted the counts that constraints refer to by number
 * @param templateDomainsCount whether the domains of templates are eligible before there is a node in them. If they
 *     are, pods are spread over the zones of all templates; if not, one new zone may be enough, as for the scheduler
 */
public record Problem(
        int resources,
        int keys,
        Nodes nodes,
        List<NodeTemplate> templates,
        List<CountedPods> counted,
        List<PodShape> shapes,
        boolean templateDomainsCount) {
    /** What one call may take. */
    private static final long MAX_BYTES = Runtime.getRuntime().maxMemory() / 32;

    public Problem {
        templates = List.copyOf(templates);
        counted = List.copyOf(counted);
        shapes = List.copyOf(shapes);
        if (nodes.free.length != nodes.count * resources || nodes.domains.length != keys) {
            throw new IllegalArgumentException("nodes must have " + resources + " resources and " + keys + " keys");
        }
        for (NodeTemplate template : templates) {
            if (template.free.length != resources || template.domains.length != keys) {
                throw new IllegalArgumentException(
                        "templates must have " + resources + " resources and " + keys + " keys");
            }
        }
        for (PodShape shape : shapes) {
            if (shape.requests.length != resources) {
                throw new IllegalArgumentException("shapes must have " + resources + " requests");
            }
            for (HardConstraint constraint : shape.constraints) {
                if (constraint.counted() < 0 || constraint.counted() >= counted.size()) {
                    throw new IllegalArgumentException("no counted pods have the number " + constraint.counted());
                }
            }
        }
    }

    /**
     * Rejects a part of the work that would take too much memory.
     *
     * @throws CapacityException if {@code bytes} are more than one call may take
     */
    public static void requireRoom(long bytes) {
        if (!hasRoom(bytes)) {
            throw new CapacityException("the kinds of pods, their resources and the nodes take more than the "
                    + MAX_BYTES + " bytes that one call may use; ask about fewer of them at once");
        }
    }

    static boolean hasRoom(long bytes) {
        return bytes <= MAX_BYTES;
    }

    /** The same pods on existing nodes of a set only. */
    Problem within(BitSet set) {
        List<PodShape> restricted = new ArrayList<>();
        for (PodShape shape : shapes) {
            BitSet enterable = (BitSet) shape.enterableNodes.clone();
            enterable.and(set);
            restricted.add(new PodShape(shape.pods, shape.requests, enterable, new BitSet(), shape.constraints));
        }
        return new Problem(resources, keys, nodes, List.of(), counted, restricted, false);
    }

    int pods() {
        int pods = 0;
        for (PodShape shape : shapes) {
            pods += shape.pods;
        }
        return pods;
    }
}
