package io.evenkeel.engine;

/** What can be told of a cluster and asked about it: the model, or the engine that must answer alike. */
public interface Subject {
    void apply(Step step);

    Answers ask(Query query);

    /** Throws where the inner state contradicts itself. */
    default void validate() {}
}
