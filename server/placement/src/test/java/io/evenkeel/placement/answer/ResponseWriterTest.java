package io.evenkeel.placement.answer;

import static io.evenkeel.placement.Messages.apply;
import static io.evenkeel.placement.Messages.zones;
import static org.junit.jupiter.api.Assertions.assertEquals;

import com.google.protobuf.InvalidProtocolBufferException;
import io.evenkeel.engine.answer.Answer;
import io.evenkeel.engine.answer.Question;
import io.evenkeel.engine.cluster.NodeSubset;
import io.evenkeel.engine.lock.StopSignal;
import io.evenkeel.objects.WireOutput;
import io.evenkeel.placement.Instance;
import io.evenkeel.placement.InstanceOptions;
import io.evenkeel.placement.call.EngineAccess;
import io.evenkeel.placement.call.Feeds;
import io.evenkeel.placement.call.Limits;
import io.evenkeel.placement.call.RecentQueries;
import io.evenkeel.v1.EvaluateResponse;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests responses to batches, for which the engine may return an answer twice. */
final class ResponseWriterTest {
    private final Instance instance = new Instance(InstanceOptions.standard());
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
    private final WireOutput out = new WireOutput();
    private final ResponseWriter writer = new ResponseWriter(new PackedForm(false), new int[2], out);

    @AfterEach
    void stop() {
        instance.close();
        timer.shutdownNow();
    }

    @Test
    void answerThatIsGivenAgain_takesThePlaceOfTheOneBefore() throws InvalidProtocolBufferException {
        instance.clusterState().apply(apply(zones(1, 1, 1)));
        Answer all = candidates(NodeSubset.ALL);
        Answer two = candidates(NodeSubset.named(List.of("z1", "z3")));
        writer.take(all, 0);
        writer.take(all, 1);
        int once = out.size();
        writer.take(two, 0);
        writer.take(all, 1);
        writer.take(all, 1);
        assertEquals(once, out.size());
        byte[] bytes = writer.finish(access(), all, new int[] {1, 0, 1}, pod -> null, null, List.of(), List.of())
                .toByteArray();
        assertEquals(
                List.of(3, 2, 3),
                EvaluateResponse.parseFrom(bytes).getAnswersList().stream()
                        .map(answer -> answer.getPacked().getPassedCount())
                        .toList());
    }

    @Test
    void answerThatHasGrown_isGivenWhole() throws InvalidProtocolBufferException {
        instance.clusterState().apply(apply(zones(1, 1)));
        writer.take(candidates(NodeSubset.ALL), 0);
        writer.take(candidates(NodeSubset.ALL), 1);
        instance.clusterState().apply(apply(zones(new int[100])));
        Answer grown = candidates(NodeSubset.ALL);
        writer.take(grown, 0);
        writer.take(grown, 1);
        byte[] bytes = writer.finish(access(), grown, new int[] {0, 1}, pod -> null, null, List.of(), List.of())
                .toByteArray();
        assertEquals(
                List.of(100, 100),
                EvaluateResponse.parseFrom(bytes).getAnswersList().stream()
                        .map(answer -> answer.getPacked().getPassedCount())
                        .toList());
    }

    private EngineAccess access() {
        Feeds feeds = new Feeds(Duration.ofSeconds(30), System::nanoTime);
        return new EngineAccess(
                "instance", "", instance.engine(), feeds, timer, Limits.DEFAULT, new RecentQueries(System::nanoTime));
    }

    private Answer candidates(NodeSubset candidates) {
        Answer answer = new Answer();
        instance.engine()
                .evaluate(List.of(), Question.filter(candidates), answer, (each, place) -> {}, StopSignal.NEVER);
        return answer;
    }
}
