package io.evenkeel.client;

import com.google.rpc.Code;
import io.evenkeel.v1.FieldViolation;
import io.evenkeel.v1.ItemError;
import io.evenkeel.v1.Revision;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What went wrong with a call, or with one item of a batch; the same from a remote and an embedded client.
 *
 * <p>The codes of calls are documented at the services of the protocol. Of this side's own making are
 * {@code DEADLINE_EXCEEDED}, {@code CANCELLED} (interrupted, cancelled or closed) and {@code UNAVAILABLE} (no
 * connection).
 */
public final class PlacementException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final Code code;
    private final String description;
    private final transient List<FieldViolation> violations;
    private final transient @Nullable Revision reached;

    /**
     * For those who bring another {@link Transport}.
     *
     * @param description for a person
     * @param violations each violated rule, where fields are at fault
     * @param reached the revision reached, where a later one was demanded
     */
    public PlacementException(
            Code code,
            String description,
            List<FieldViolation> violations,
            @Nullable Revision reached,
            @Nullable Throwable cause) {
        super(code + ": " + description, cause);
        this.code = code;
        this.description = description;
        this.violations = List.copyOf(violations);
        this.reached = reached;
    }

    /** One of this side's own making. */
    public PlacementException(Code code, String description, @Nullable Throwable cause) {
        this(code, description, List.of(), null, cause);
    }

    PlacementException(Code code, String description) {
        this(code, description, null);
    }

    /** What is wrong with one item of a batch. */
    public static PlacementException of(ItemError error) {
        return new PlacementException(
                codeOf(error.getCode()), error.getMessage(), error.getViolationsList(), null, null);
    }

    /** What was thrown, as a failure of the call, or itself. */
    static PlacementException of(Throwable thrown) {
        if (thrown instanceof PlacementException known) {
            return known;
        }
        return new PlacementException(Code.UNKNOWN, String.valueOf(thrown), thrown);
    }

    /** The code of that number, UNKNOWN where there is none. */
    public static Code codeOf(int number) {
        Code code = Code.forNumber(number);
        return code == null ? Code.UNKNOWN : code;
    }

    /** The same, with this thread's stack. */
    PlacementException asSeenByCaller() {
        return new PlacementException(code, description, violations(), reached, this);
    }

    /** The gRPC code. */
    public Code code() {
        return code;
    }

    /** The message without the code. */
    public String description() {
        return description;
    }

    /** The revision that the state has reached, where the call demanded a later one or another instance's. */
    public Optional<Revision> reached() {
        return Optional.ofNullable(reached);
    }

    /** Each violated rule with its full field path; empty where no field is at fault, and after deserialisation. */
    public List<FieldViolation> violations() {
        return violations == null ? List.of() : violations;
    }
}
