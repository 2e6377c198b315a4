package io.evenkeel.access;

import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Has Kubernetes review tokens. Implementations must be thread-safe. */
public interface TokenReviewer {
    /**
     * Returns the owner of the token.
     *
     * @throws IOException if the review failed
     */
    Reviewed review(String token) throws IOException, InterruptedException;

    /**
     * The result of a token review.
     *
     * @param user null if the token is not valid, or not for this server
     */
    record Reviewed(@Nullable String user, List<String> groups) {
        public Reviewed {
            groups = List.copyOf(groups);
        }
    }
}
