@NullMarked
package io.evenkeel.kube.client;

import org.jspecify.annotations.NullMarked;
