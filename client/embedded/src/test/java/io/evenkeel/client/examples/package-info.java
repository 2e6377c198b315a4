/** The examples of the documentation. Tests run these programs and compare the texts. */
@NullMarked
package io.evenkeel.client.examples;

import org.jspecify.annotations.NullMarked;
