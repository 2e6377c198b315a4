package io.evenkeel.engine;

/** One step of a script that is played to a {@link Subject}: a change or a question. */
sealed interface Act permits Step, Query {}
