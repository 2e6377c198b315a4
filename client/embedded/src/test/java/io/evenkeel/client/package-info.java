@NullMarked
package io.evenkeel.client;

import org.jspecify.annotations.NullMarked;
