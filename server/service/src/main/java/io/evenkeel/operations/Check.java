package io.evenkeel.operations;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One thing that must be so for the server to be alive or ready.
 *
 * @param name what is checked, in one word
 * @param fault says in one line why it is not so; null where it is so. Any thread may ask, and it must not block
 * @param remark a note of one line for a check that passes; empty for none. Called as {@code fault} is
 */
record Check(String name, Supplier<@Nullable String> fault, Supplier<String> remark) {
    Check(String name, Supplier<@Nullable String> fault) {
        this(name, fault, () -> "");
    }
}
