package io.evenkeel.placement.call;

import io.evenkeel.v1.ErrorReason;
import java.util.concurrent.CancellationException;
import java.util.function.Function;

/**
 * The recipient of the answer to one message of a stream. If the message is rejected or times out, it sends that as an
 * answer, so that the stream continues.
 */
public class AnsweredRefusals<A> implements Recipient<A> {
    private final Recipient<A> recipient;
    private final Function<RequestException, A> asAnswer;
    private final TimeLimit limit;

    /** @param limit how long the answer may take */
    public AnsweredRefusals(Recipient<A> recipient, Function<RequestException, A> asAnswer, TimeLimit limit) {
        this.recipient = recipient;
        this.asAnswer = asAnswer;
        this.limit = limit;
    }

    @Override
    public void answered(A answer) {
        recipient.answered(answer);
    }

    @Override
    public void failed(Throwable why) {
        if (why instanceof RequestException refused) {
            recipient.answered(asAnswer.apply(refused));
        } else if (why instanceof CancellationException && limit.isOver() && !recipient.isOver()) {
            recipient.answered(asAnswer.apply(RequestException.of(
                    ErrorReason.ERROR_REASON_TIMED_OUT,
                    "the request's timeout passed before the answer was complete")));
        } else {
            recipient.failed(why);
        }
    }

    @Override
    public boolean isOver() {
        return limit.isOver() || recipient.isOver();
    }

    @Override
    public void whenOver(Runnable action) {
        recipient.whenOver(action);
    }
}
