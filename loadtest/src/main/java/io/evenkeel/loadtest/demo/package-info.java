/** The demo: a server at work on a generated cluster, and claims about its answers that are checked. */
@NullMarked
package io.evenkeel.loadtest.demo;

import org.jspecify.annotations.NullMarked;
