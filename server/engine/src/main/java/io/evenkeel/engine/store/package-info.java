/**
 * Holds the state, and changes it: the tables, the index and the revision always move together. Events, snapshots and
 * assumptions come in ({@link io.evenkeel.engine.store.ClusterChanges}); {@link io.evenkeel.engine.store.ClusterView}
 * is what readers see. New spread groups are counted here.
 */
@NullMarked
package io.evenkeel.engine.store;

import org.jspecify.annotations.NullMarked;
