/**
 * Memory structures that keep many small items in few arrays: texts, ids, pages, sets of bits. Hashes of keys that
 * callers choose are here as well. Nothing in this package knows about Kubernetes; the other packages build on it.
 */
@NullMarked
package io.evenkeel.engine.memory;

import org.jspecify.annotations.NullMarked;
