/** What is counted: domains by topology key, eligible nodes, and the pods that match in each domain. */
@NullMarked
package io.evenkeel.engine.index;

import org.jspecify.annotations.NullMarked;
