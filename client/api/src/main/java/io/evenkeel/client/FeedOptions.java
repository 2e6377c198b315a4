package io.evenkeel.client;

/**
 * How a feed identifies itself to the server. While a stream feeds a kind of objects, a feed with another name is
 * rejected. One with the same name takes over once the stream's snapshot is complete or has stalled.
 *
 * @param name the name of the feeder, at most 253 characters; may be empty. Feeders that run at the same time need
 *     different names
 * @param takeover whether to take over the kinds even from a feeder with another name. Meant for a manual decision, not
 *     for a retry loop
 */
public record FeedOptions(String name, boolean takeover) {
    static final FeedOptions UNNAMED = named("");

    public static FeedOptions named(String name) {
        return new FeedOptions(name, false);
    }

    public FeedOptions takingOver() {
        return new FeedOptions(name, true);
    }
}
