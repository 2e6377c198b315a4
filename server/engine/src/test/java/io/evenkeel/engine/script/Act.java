package io.evenkeel.engine.script;

/** One step of a script that is played to a {@link ScriptTarget}: a change or a question. */
public sealed interface Act permits Step, ScriptedQuery {}
