/** Takes changes in: the tables and the index move together, and the revision with them. */
@NullMarked
package io.evenkeel.engine.store;

import org.jspecify.annotations.NullMarked;
