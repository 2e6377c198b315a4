/** What holds many small things in few arrays: texts, ids, pages and sets of bits. Knows nothing of Kubernetes. */
@NullMarked
package io.evenkeel.engine.memory;

import org.jspecify.annotations.NullMarked;
