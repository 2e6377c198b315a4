package io.evenkeel.engine.pending;

/**
 * Nodes that may be added.
 *
 * @param node the name of a node of the cluster that each of them is like, except that each has its own hostname. That
 *     node does not count as existing
 * @param max how many may be added at most
 * @param price what each costs, at least 1
 */
public record NodeExample(String node, int max, long price) {}
