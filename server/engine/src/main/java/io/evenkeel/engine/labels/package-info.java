/**
 * Stores the distinct sets of labels by namespace (label classes), each with a template, and knows which selectors in
 * use match which class. Labels of pods come in and class ids go out; the selectors of a class determine which counts a
 * pod changes.
 */
@NullMarked
package io.evenkeel.engine.labels;

import org.jspecify.annotations.NullMarked;
