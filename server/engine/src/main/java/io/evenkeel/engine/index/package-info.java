/**
 * Counts pods for constraints: topologies (domains by topology key), conditions on nodes, eligibilities, and spread
 * groups with the count of each domain. Pods that are counted in or out, and changes of nodes, come in from the store;
 * plans acquire the parts that they need, and answers read the counts.
 */
@NullMarked
package io.evenkeel.engine.index;

import org.jspecify.annotations.NullMarked;
