package io.evenkeel.client.embedded;

import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** Hangs work on a future for its effect alone. */
final class Completion {
    private Completion() {}

    /** Has {@code told} told the value or the failure, now or by whoever completes the future; it must not throw. */
    static <A> void of(CompletableFuture<A> future, BiConsumer<@Nullable A, @Nullable Throwable> told) {
        var unused = future.whenComplete(told);
    }
}
