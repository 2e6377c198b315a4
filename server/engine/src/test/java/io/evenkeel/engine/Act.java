package io.evenkeel.engine;

/** One step of a script that is played to a {@link ScriptTarget}: a change or a question. */
sealed interface Act permits Step, ScriptedQuery {}
