package io.evenkeel.client;

/**
 * How a feed presents itself to the server. While a stream feeds a kind of objects, a feed of another name is refused.
 * One of the same name takes over once the stream's snapshot is complete, or has not moved for some time.
 *
 * @param name what the feeder calls itself, with at most 253 characters; may be empty. Feeders that run at the same
 *     time need different names
 * @param takeover whether to take the kinds over from a feeder of another name too: for a person's decision, not for a
 *     loop that tries again
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
