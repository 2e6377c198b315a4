/** The command line of the server. */
@NullMarked
package io.evenkeel.cli;

import org.jspecify.annotations.NullMarked;
