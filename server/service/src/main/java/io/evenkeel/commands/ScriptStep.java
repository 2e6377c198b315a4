package io.evenkeel.commands;

import io.evenkeel.cli.AskedCluster;
import io.evenkeel.client.Session;
import java.util.Map;

/**
 * A step of a script.
 *
 * @param line its number in the file, from 1
 * @param text the line, without a comment
 */
record ScriptStep(int line, String text, Action action) {
    /** What a step does in a session. */
    interface Action {
        Result run(AskedCluster cluster, Session session);
    }

    /**
     * What a step has done.
     *
     * @param text whole lines
     * @param fields the same as JSON
     * @param allPlaced whether every pod found a node
     */
    record Result(String text, Map<String, ?> fields, boolean allPlaced) {
        static Result of(String text, Map<String, ?> fields) {
            return new Result(text, fields, true);
        }
    }
}
