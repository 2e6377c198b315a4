/** What turns Kubernetes objects, from whatever source, into changes of the engine. */
@NullMarked
package io.evenkeel.feed;

import org.jspecify.annotations.NullMarked;
