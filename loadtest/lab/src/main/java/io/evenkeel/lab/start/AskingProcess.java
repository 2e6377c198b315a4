package io.evenkeel.lab.start;

import io.evenkeel.loadtest.local.ChildProgram;
import io.evenkeel.v1.EvaluateRequest;
import java.io.IOException;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import org.HdrHistogram.Histogram;

/**
 * Asks a server from a JVM of its own, so that the caller's compilers and garbage collections take no processor from
 * the server that is measured: it does nothing but ask, its code is compiled by the first compiler alone, which is done
 * after some thousand calls, and it collects garbage when it connects.
 */
final class AskingProcess implements AutoCloseable {
    private static final List<String> QUIET_JAVA =
            List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xms600m", "-Xmn500m", "-XX:+AlwaysPreTouch");

    private final ChildProgram program;

    private AskingProcess(ChildProgram program) {
        this.program = program;
    }

    /** Starts it. It does nothing until it is told to. */
    static AskingProcess start(EvaluateRequest question, int callsASecond) throws IOException {
        return new AskingProcess(ChildProgram.start(
                QUIET_JAVA,
                System.err::println,
                AskingProgram.class,
                Base64.getEncoder().encodeToString(question.toByteArray()),
                Integer.toString(callsASecond)));
    }

    /** Connects to a server, also to one that has no cluster yet, in place of the one before. */
    void connect(String target) throws IOException {
        program.write(AskingProgram.CONNECT + target);
        program.await(AskingProgram.CONNECTED);
    }

    /** Asks for some time; returns how long the calls took. */
    Histogram during(Duration time) throws IOException {
        program.write(AskingProgram.ASK + time.toMillis());
        return AskingProgram.histogram(program.await(AskingProgram.TOOK));
    }

    @Override
    public void close() {
        program.close();
    }
}
