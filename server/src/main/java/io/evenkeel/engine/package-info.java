/** The index that keeps spread counts as the cluster changes, and answers from them. */
@NullMarked
package io.evenkeel.engine;

import org.jspecify.annotations.NullMarked;
