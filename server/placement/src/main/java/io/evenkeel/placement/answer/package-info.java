/** From plans to the bytes of a response: Filter, Score, Evaluate and WhatIf. */
@NullMarked
package io.evenkeel.placement.answer;

import org.jspecify.annotations.NullMarked;
