package io.evenkeel.manifest;

import com.google.protobuf.Message;
import io.evenkeel.engine.model.Change;
import io.evenkeel.engine.model.ObjectKind;

/**
 * An event of a watch: an object, and whether it was added, modified or deleted.
 *
 * @param change ADDED, MODIFIED or DELETED
 * @param object one of the messages of {@link ObjectKind}
 */
public record WatchedObject(Change change, Message object) {}
