/** Measures how a server follows an API server: how soon it answers, in what memory, how late, and at what cost. */
@NullMarked
package io.evenkeel.lab.kube;

import org.jspecify.annotations.NullMarked;
