package io.evenkeel.engine.rebalance;

/**
 * What no plan can be better than, however much room nodes have.
 *
 * @param excess by how much the constraints exceed maxSkew, at least
 * @param moves the fewest moves with that excess
 */
record Bound(int excess, int moves) {}
