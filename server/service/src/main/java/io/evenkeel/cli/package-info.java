/**
 * The command line: {@code evenkeel serve}, {@code explain} and {@code place}, and what all programs share. Arguments
 * and files come in; the commands read the cluster by {@code io.evenkeel.manifest}, ask an instance or start the
 * server, and print text or JSON.
 */
@NullMarked
package io.evenkeel.cli;

import org.jspecify.annotations.NullMarked;
