/**
 * The command line: {@code evenkeel serve} and {@code explain}, and the code that all commands and programs share. The
 * commands load the cluster with {@code io.evenkeel.manifest}, query an instance or start the server, and print text or
 * JSON.
 */
@NullMarked
package io.evenkeel.cli;

import org.jspecify.annotations.NullMarked;
