package io.evenkeel.engine.script;

/**
 * Plays scripts: applies changes of a cluster, and answers questions about it. The model and the engine are subjects,
 * and must give the same answers.
 */
public interface ScriptTarget {
    void apply(Step step);

    Answers ask(ScriptedQuery query);

    /** Throws if the inner state contradicts itself. */
    default void validate() {}
}
