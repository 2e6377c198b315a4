/**
 * What all calls share: execution, limits, errors, the state of the feeds, and waiting for a revision. Transports pass
 * requests and a {@link io.evenkeel.placement.call.Call} to a {@link io.evenkeel.placement.call.Handler}, which
 * accesses the engine through {@link io.evenkeel.placement.call.EngineAccess}.
 */
@NullMarked
package io.evenkeel.placement.call;

import org.jspecify.annotations.NullMarked;
