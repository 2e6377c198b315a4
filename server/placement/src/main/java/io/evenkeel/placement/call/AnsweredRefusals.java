package io.evenkeel.placement.call;

import java.util.function.Function;

/**
 * The recipient of a message's answer on a stream: where the message is refused, it makes an answer of the refusal, so
 * that the stream goes on.
 */
public class AnsweredRefusals<A> implements Recipient<A> {
    private final Recipient<A> recipient;
    private final Function<RequestException, A> asAnswer;

    public AnsweredRefusals(Recipient<A> recipient, Function<RequestException, A> asAnswer) {
        this.recipient = recipient;
        this.asAnswer = asAnswer;
    }

    @Override
    public void answered(A answer) {
        recipient.answered(answer);
    }

    @Override
    public void failed(Throwable why) {
        if (why instanceof RequestException refused) {
            recipient.answered(asAnswer.apply(refused));
        } else {
            recipient.failed(why);
        }
    }

    @Override
    public boolean isOver() {
        return recipient.isOver();
    }

    @Override
    public void whenOver(Runnable action) {
        recipient.whenOver(action);
    }
}
