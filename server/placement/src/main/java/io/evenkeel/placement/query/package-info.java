/**
 * Reads requests and finds the plans of their pods. The bytes of Filter, Score, Evaluate and WhatIf requests become
 * queries, whose pods are found in a cache or parsed, and whose plans the engine finds or compiles.
 */
@NullMarked
package io.evenkeel.placement.query;

import org.jspecify.annotations.NullMarked;
