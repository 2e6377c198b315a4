/**
 * Servers and engines that commands start themselves where they are not told of another, in this process or in one of
 * their own, and what fills them.
 */
@NullMarked
package io.evenkeel.loadtest.local;

import org.jspecify.annotations.NullMarked;
