package io.evenkeel.engine.estimate;

/**
 * A constraint that decides whether a pod may be placed: {@code count + selfMatch − minimum ≤ maxSkew}.
 *
 * @param counted the number of the counted pods in {@link Problem#counted}
 * @param maxSkew at least 1
 * @param minDomains at least 1; if fewer domains are eligible, the minimum is 0
 * @param selfMatch whether the pod's own labels match the selector; an empty selector matches, but counts no pod
 */
public record HardConstraint(int counted, int maxSkew, int minDomains, boolean selfMatch) {
    /** No counts differ by more. Sums with it are ints. */
    private static final int ANY_SKEW = 1 << 29;

    public HardConstraint {
        if (maxSkew < 1 || minDomains < 1) {
            throw new IllegalArgumentException(
                    "maxSkew and minDomains must be at least 1, were " + maxSkew + " and " + minDomains);
        }
        maxSkew = Math.min(maxSkew, ANY_SKEW);
    }

    int self() {
        return selfMatch ? 1 : 0;
    }
}
