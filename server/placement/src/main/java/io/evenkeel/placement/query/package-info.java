/** From the bytes of a request to the plans of its pods. */
@NullMarked
package io.evenkeel.placement.query;

import org.jspecify.annotations.NullMarked;
