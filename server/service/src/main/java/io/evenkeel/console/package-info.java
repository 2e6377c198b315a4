/** A page for browsers that shows how pods are spread, and why a pod is pending. It only reads. */
@NullMarked
package io.evenkeel.console;

import org.jspecify.annotations.NullMarked;
