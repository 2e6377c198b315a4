package io.evenkeel.loadtest.rpc;

import com.google.protobuf.MessageLite;
import io.evenkeel.cli.CommandFailure;
import io.evenkeel.loadtest.load.ErrorCount;
import io.evenkeel.loadtest.load.LoadQuestions;
import io.evenkeel.loadtest.load.Round;
import io.evenkeel.v1.ErrorReason;
import io.grpc.Channel;
import io.grpc.Status;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.HdrHistogram.Histogram;

/**
 * The figures of one server, measured one after another: its capacity, half of it, twice as much, and twice as much
 * from one caller while another one calls at an eighth.
 *
 * @param capacity calls per second of a closed loop
 * @param costNanos the server's processor time for each of these calls
 * @param half the latencies at half the capacity
 * @param accepted the latencies of the accepted calls at twice the capacity
 * @param refused the latencies of the others
 * @param acceptedPerSecond the rate of the accepted calls
 * @param modest the latencies of the caller at an eighth of the capacity
 * @param modestRefused how many of its calls were refused
 * @param modestCalls how many calls it made
 */
record OverloadRound(
        double capacity,
        long costNanos,
        Histogram half,
        Histogram accepted,
        Histogram refused,
        double acceptedPerSecond,
        Histogram modest,
        long modestRefused,
        long modestCalls) {
    /** Enough to occupy the one thread of the server that answers such calls. */
    static final int IN_FLIGHT = 2;

    /** Within this time, the server must have noticed the overload. */
    private static final Duration BEFORE = Duration.ofSeconds(2);

    private static final double MODEST = 1.0 / 8;

    /** Returns the processor time that the server has used so far. */
    interface Cost {
        Duration soFar();
    }

    /**
     * Measures the figures.
     *
     * @param greedy the connection of the caller that overloads the server
     * @param modest the connection of another one
     * @param length how long each figure is measured
     */
    static <Q, A extends MessageLite> OverloadRound measure(
            Channel greedy, Channel modest, LoadQuestions<Q, A> questions, Cost cost, Duration length)
            throws IOException, InterruptedException {
        Duration before = cost.soFar();
        Round closed = checked(Round.ofUnaryInTurn(greedy, questions, IN_FLIGHT, Duration.ZERO, length));
        long spent = cost.soFar().minus(before).toNanos();
        long calls = closed.latencies().getTotalCount();
        double capacity = closed.rate();
        Round half = checked(Round.ofUnary(greedy, questions, capacity / 2, BEFORE, length));
        Round twice = refusing(Round.ofUnary(greedy, questions, capacity * 2, BEFORE, length));
        Round other = duringOverload(greedy, modest, questions, capacity, length);
        Histogram accepted = twice.successes();
        return new OverloadRound(
                capacity,
                spent / calls,
                half.latencies(),
                accepted,
                twice.failures(),
                accepted.getTotalCount() * 1e9 / twice.nanos(),
                other.successes(),
                other.failures().getTotalCount(),
                other.latencies().getTotalCount());
    }

    private static <Q, A> Round duringOverload(
            Channel greedy, Channel modest, LoadQuestions<Q, A> questions, double capacity, Duration length)
            throws IOException, InterruptedException {
        Callable<Round> overload = () -> Round.ofUnary(greedy, questions, capacity * 2, BEFORE, length);
        ExecutorService thread = Executors.newSingleThreadExecutor();
        try {
            Future<Round> other = thread.submit(overload);
            Round own = refusing(Round.ofUnary(modest, questions, capacity * MODEST, BEFORE, length));
            Round unused = refusing(other.get());
            return own;
        } catch (ExecutionException failed) {
            throw new CommandFailure(String.valueOf(failed.getCause()));
        } finally {
            thread.shutdownNow();
        }
    }

    private static Round checked(Round round) throws CommandFailure {
        if (round.failed() > 0) {
            throw new CommandFailure(round.failed() + " calls failed below the capacity: " + round.errors());
        }
        return round;
    }

    /** Calls may fail only because the server is too busy. */
    private static Round refusing(Round round) throws CommandFailure {
        for (ErrorCount error : round.errors()) {
            if (!error.status().equals(Status.Code.RESOURCE_EXHAUSTED.name())
                    || !ErrorReason.ERROR_REASON_TOO_BUSY.name().equals("ERROR_REASON_" + error.reason())) {
                throw new CommandFailure("calls failed with other errors than that the server is busy: " + error);
            }
        }
        return round;
    }
}
