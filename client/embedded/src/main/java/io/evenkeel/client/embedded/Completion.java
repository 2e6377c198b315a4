package io.evenkeel.client.embedded;

import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** Adds a callback to a future, and ignores the dependent future. */
final class Completion {
    private Completion() {}

    /**
     * Calls {@code told} with the value or the failure: now, or in the thread that completes the future. {@code told}
     * must not throw.
     */
    static <A> void of(CompletableFuture<A> future, BiConsumer<@Nullable A, @Nullable Throwable> told) {
        var unused = future.whenComplete(told);
    }
}
