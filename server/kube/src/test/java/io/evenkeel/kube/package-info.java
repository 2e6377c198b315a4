@NullMarked
package io.evenkeel.kube;

import org.jspecify.annotations.NullMarked;
