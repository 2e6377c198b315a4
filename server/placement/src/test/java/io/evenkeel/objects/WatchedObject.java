package io.evenkeel.objects;

import com.google.protobuf.Message;
import io.evenkeel.engine.model.Change;
import io.evenkeel.v1.ClusterObject;

/**
 * An event of a watch: an object, and whether it was added, modified or deleted.
 *
 * @param change ADDED, MODIFIED or DELETED
 * @param object one of the messages that a {@link ClusterObject} may hold
 */
public record WatchedObject(Change change, Message object) {}
