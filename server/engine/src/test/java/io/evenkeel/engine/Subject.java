package io.evenkeel.engine;

/**
 * Plays scripts: takes changes of a cluster, and answers questions about it. Subjects are the model and the engine,
 * which must give the same answers.
 */
public interface Subject {
    void apply(Step step);

    Answers ask(Query query);

    /** Throws where the inner state contradicts itself. */
    default void validate() {}
}
