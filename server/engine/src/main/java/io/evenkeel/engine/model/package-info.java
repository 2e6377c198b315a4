/** What the engine is told and asked, as values: nodes, pods, owners, constraints, selectors, reasons. */
@NullMarked
package io.evenkeel.engine.model;

import org.jspecify.annotations.NullMarked;
