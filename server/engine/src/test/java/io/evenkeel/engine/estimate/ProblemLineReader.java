package io.evenkeel.engine.estimate;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.StringTokenizer;

/**
 * Reads a problem and its best end state from a line of numbers, separated by blanks; sets are bits after a b, the
 * first one first.
 *
 * <pre>
 *   seed family resources keys
 *   nodes, free of each node, domain of each node for each key
 *   templates, and of each: max price, free of each resource, domain of each key
 *   counts, and of each: key domains, count of each domain, eligible nodes, eligible templates, matching shapes
 *   shapes, and of each: pods, request of each resource, enterable nodes, enterable templates,
 *           constraints, and of each: counted maxSkew minDomains selfMatch
 *   = optimal placed price
 * </pre>
 */
final class ProblemLineReader {
    private final StringTokenizer words;

    private ProblemLineReader(String line) {
        words = new StringTokenizer(line);
    }

    /** A problem with the most pods that an end state can have, and the lowest price for that. */
    record Solved(String name, Problem problem, int placed, long price) {}

    static Solved read(String line) {
        return new ProblemLineReader(line).read();
    }

    private Solved read() {
        String name = words.nextToken() + " " + words.nextToken();
        int resources = number();
        int keys = number();
        int nodeCount = number();
        long[] free = new long[nodeCount * resources];
        for (int i = 0; i < free.length; i++) {
            free[i] = Long.parseLong(words.nextToken());
        }
        int[][] domains = new int[keys][];
        for (int key = 0; key < keys; key++) {
            domains[key] = numbers(nodeCount);
        }
        List<NodeTemplate> templates = new ArrayList<>();
        for (int t = number(); t > 0; t--) {
            int max = number();
            int price = number();
            templates.add(new NodeTemplate(longs(resources), numbers(keys), max, price));
        }
        List<CountedPods> counted = new ArrayList<>();
        for (int c = number(); c > 0; c--) {
            int key = number();
            counted.add(new CountedPods(key, numbers(number()), bits(), bits(), bits()));
        }
        List<PodShape> shapes = new ArrayList<>();
        for (int s = number(); s > 0; s--) {
            shapes.add(shape(resources));
        }
        Problem problem =
                new Problem(resources, keys, new Nodes(nodeCount, free, domains), templates, counted, shapes, false);
        words.nextToken();
        words.nextToken();
        return new Solved(name, problem, number(), number());
    }

    private PodShape shape(int resources) {
        int pods = number();
        long[] requests = longs(resources);
        BitSet nodes = bits();
        BitSet templates = bits();
        List<HardConstraint> constraints = new ArrayList<>();
        for (int c = number(); c > 0; c--) {
            constraints.add(new HardConstraint(number(), number(), number(), number() == 1));
        }
        return new PodShape(pods, requests, nodes, templates, constraints);
    }

    private int number() {
        return Integer.parseInt(words.nextToken());
    }

    private int[] numbers(int count) {
        int[] numbers = new int[count];
        for (int i = 0; i < count; i++) {
            numbers[i] = number();
        }
        return numbers;
    }

    private long[] longs(int count) {
        long[] numbers = new long[count];
        for (int i = 0; i < count; i++) {
            numbers[i] = Long.parseLong(words.nextToken());
        }
        return numbers;
    }

    private BitSet bits() {
        String word = words.nextToken();
        BitSet bits = new BitSet();
        for (int i = 1; i < word.length(); i++) {
            bits.set(i - 1, word.charAt(i) == '1');
        }
        return bits;
    }
}
