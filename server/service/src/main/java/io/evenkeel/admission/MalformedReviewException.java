package io.evenkeel.admission;

/** A request is not an AdmissionReview. The message says why, in one line. */
final class MalformedReviewException extends Exception {
    private static final long serialVersionUID = 1;

    MalformedReviewException(String message) {
        super(message);
    }
}
