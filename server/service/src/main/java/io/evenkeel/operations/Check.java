package io.evenkeel.operations;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A condition for the server to be alive or ready.
 *
 * @param name what is checked, in one word
 * @param fault returns in one line why the check fails; null if it passes. Called by any thread; must not block
 * @param remark returns a one-line note for a check that passes, or an empty string. Called like {@code fault}
 */
record Check(String name, Supplier<@Nullable String> fault, Supplier<String> remark) {
    Check(String name, Supplier<@Nullable String> fault) {
        this(name, fault, () -> "");
    }
}
