package io.evenkeel.engine;

/** One line of a script that is played to a {@link Subject}. */
sealed interface Act permits Step, Query {}
