package io.evenkeel.client;

import com.google.protobuf.MessageLite;
import java.time.Duration;
import java.util.Objects;

/**
 * A transport that sends unary calls to one client and later to another, as if a server was replaced under the same
 * name.
 */
final class Switching implements Transport {
    private volatile PlacementClient current;

    Switching(PlacementClient current) {
        this.current = current;
    }

    void to(PlacementClient next) {
        current = next;
    }

    PlacementClient asClient() {
        return PlacementClient.over(this, Duration.ofSeconds(10));
    }

    @Override
    public <Q extends MessageLite, A extends MessageLite> A call(
            ProtocolMethod<Q, A> method, Payload<Q> request, Duration deadline) {
        return current.call(method, Objects.requireNonNull(request.message()));
    }

    @Override
    public <Q extends MessageLite, A extends MessageLite> Runnable start(
            ProtocolMethod<Q, A> method, Payload<Q> request, Duration deadline, Answers<A> answers) {
        throw new UnsupportedOperationException();
    }

    @Override
    public <Q extends MessageLite, A extends MessageLite> Exchange<Q> open(
            ProtocolMethod<Q, A> method, Answers<A> answers) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void close(Duration grace) {}
}
