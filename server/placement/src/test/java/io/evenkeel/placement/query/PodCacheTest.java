package io.evenkeel.placement.query;

import static io.evenkeel.placement.Messages.HOSTNAME;
import static io.evenkeel.placement.Messages.ZONE;
import static io.evenkeel.placement.Messages.apply;
import static io.evenkeel.placement.Messages.hard;
import static io.evenkeel.placement.Messages.soft;
import static io.evenkeel.placement.Messages.web;
import static io.evenkeel.placement.Messages.zones;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.DiscardUnknownFieldsParser;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Parser;
import com.google.protobuf.StringValue;
import io.evenkeel.engine.IndexValidator;
import io.evenkeel.engine.lock.StopSignal;
import io.evenkeel.engine.model.EngineOptions;
import io.evenkeel.engine.model.SpreadDefaults;
import io.evenkeel.objects.PodSamples;
import io.evenkeel.placement.Instance;
import io.evenkeel.placement.InstanceOptions;
import io.evenkeel.placement.Queries;
import io.evenkeel.placement.call.Limits;
import io.evenkeel.placement.call.NodeTableTokens;
import io.evenkeel.placement.call.ProfileDefaults;
import io.evenkeel.placement.call.RequestException;
import io.evenkeel.v1.AnswerForm;
import io.evenkeel.v1.Candidates;
import io.evenkeel.v1.DefaultConstraints;
import io.evenkeel.v1.EvaluateRequest;
import io.evenkeel.v1.EvaluateResponse;
import io.evenkeel.v1.FittingNodes;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.PodAnswer;
import io.evenkeel.v1.QueryOptions;
import io.evenkeel.v1.TopologySpreadConstraint;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests that queries read from bytes get the same answers and refusals as parsed queries. */
final class PodCacheTest {
    private static final Parser<EvaluateRequest> PARSER = DiscardUnknownFieldsParser.wrap(EvaluateRequest.parser());

    private static final int MANY = 200;
    private static final int FEW = 5;

    private Instance instance = instance(InstanceOptions.standard());

    private static Instance instance(InstanceOptions options) {
        Instance instance = new Instance(options);
        instance.clusterState().apply(apply(zones(2, 1, 0)));
        return instance;
    }

    @AfterEach
    void close() {
        IndexValidator.validate(instance.engine());
        instance.close();
    }

    private PodQuery read(byte[] bytes) throws InvalidProtocolBufferException {
        return Queries.of(instance.placement()).read(PodQuery.Kind.EVALUATE, bytes);
    }

    private EvaluateResponse evaluate(EvaluateRequest request) throws InvalidProtocolBufferException {
        return Queries.of(instance.placement())
                .prepare(read(request.toByteArray()))
                .answer()
                .parse(EvaluateResponse.parser());
    }

    private EvaluateResponse evaluate(Pod pod) throws InvalidProtocolBufferException {
        return evaluate(EvaluateRequest.newBuilder().addPods(pod).build());
    }

    /** The answer without a cache, from the bytes that the generated classes write. */
    private EvaluateResponse generated(EvaluateRequest request) throws InvalidProtocolBufferException {
        Limits limits = Limits.DEFAULT;
        RequestReader reader = new RequestReader(
                limits, new NodeSets(limits), new NodeTableTokens(), ProfileDefaults.of(SpreadDefaults.SYSTEM));
        PodPlans uncached = new PodPlans(instance.engine(), reader, limits, new PodCache(1, 0));
        return Queries.of(instance.placement())
                .prepare(new QueryReader(uncached, limits.pod().entries())
                        .read(PodQuery.Kind.EVALUATE, request.toByteArray(), StopSignal.NEVER))
                .answer()
                .parse(EvaluateResponse.parser());
    }

    private long parsed() {
        return instance.placement().podsParsed();
    }

    @Test
    void requestThatNoOneWaitsFor_isReadNoFurther() throws Exception {
        byte[] bytes = manyKinds().toByteArray();
        AtomicInteger asked = new AtomicInteger();
        assertThrows(
                CancellationException.class,
                () -> Queries.of(instance.placement())
                        .read(PodQuery.Kind.EVALUATE, bytes, () -> asked.incrementAndGet() > FEW));
        assertEquals(FEW, parsed());
    }

    @Test
    void podsThatDifferInALabelThatNoConstraintNames_shareAPlan() throws Exception {
        List<PodAnswer> answers = evaluate(manyKinds()).getAnswersList();
        assertEquals(MANY, parsed());
        assertEquals(1, instance.placement().planMisses());
        assertEquals(Collections.nCopies(MANY, answers.get(0)), answers);
    }

    @Test
    void podsThatDifferInALabelThatAConstraintNames_haveAPlanEach() throws Exception {
        TopologySpreadConstraint byKind =
                hard(ZONE).toBuilder().addMatchLabelKeys("kind").build();
        EvaluateRequest.Builder request = EvaluateRequest.newBuilder();
        for (int i = 0; i < FEW; i++) {
            Pod.Builder pod = web(byKind).toBuilder();
            pod.getMetadataBuilder().putLabels("kind", "k" + i);
            request.addPods(pod);
        }
        EvaluateResponse actual = evaluate(request.build());
        assertEquals(generated(request.build()), actual);
        assertEquals(FEW, instance.placement().planMisses());
    }

    /** More pods than are read to estimate how long the answer takes. */
    private static EvaluateRequest manyKinds() {
        EvaluateRequest.Builder request = EvaluateRequest.newBuilder();
        for (int i = 0; i < MANY; i++) {
            Pod.Builder pod = web(hard(ZONE)).toBuilder();
            pod.getMetadataBuilder().putLabels("kind", "k" + i);
            request.addPods(pod);
        }
        return request.build();
    }

    @Test
    void replica_isNotParsed_norIsItsPlanCompiled() throws Exception {
        PodSamples samples = new PodSamples(1);
        Pod pod = samples.replica(web(hard(ZONE)));
        assertEquals(evaluate(pod), evaluate(samples.replica(pod)));
        assertEquals(1, parsed());
        assertEquals(1, instance.placement().planMisses());
        assertTrue(Queries.of(instance.placement())
                .prepare(read(EvaluateRequest.newBuilder()
                        .addPods(samples.replica(pod))
                        .build()
                        .toByteArray()))
                .isShort());
    }

    @Test
    void podsOfOtherFieldOrder_shareAPlan() throws Exception {
        Pod pod = web(hard(ZONE));
        byte[] metadata =
                Pod.newBuilder().setMetadata(pod.getMetadata()).build().toByteArray();
        byte[] spec = Pod.newBuilder().setSpec(pod.getSpec()).build().toByteArray();
        evaluate(pod);
        PodRequestBytes turned = new PodRequestBytes(spec, metadata);
        Queries.of(instance.placement()).prepare(read(turned.bytes())).answer().release();
        assertEquals(2, parsed());
        assertEquals(1, instance.placement().planMisses());
    }

    /** The bytes of a request for one pod, in pieces. */
    private record PodRequestBytes(List<Byte> content) {
        PodRequestBytes(byte[]... pieces) {
            this(new ArrayList<>());
            for (byte[] piece : pieces) {
                for (byte each : piece) {
                    content.add(each);
                }
            }
        }

        byte[] bytes() {
            byte[] bytes = new byte[2 + content.size()];
            bytes[0] = 1 << 3 | 2;
            bytes[1] = (byte) content.size();
            for (int i = 0; i < content.size(); i++) {
                bytes[2 + i] = content.get(i);
            }
            return bytes;
        }
    }

    @Test
    void defaultsInForce_chooseAmongThePlansOfOnePod() throws Exception {
        Pod bare = web();
        QueryOptions hardZone = QueryOptions.newBuilder()
                .setDefaults(DefaultConstraints.newBuilder()
                        .setType(DefaultConstraints.Type.TYPE_LIST)
                        .addConstraints(hard(ZONE).toBuilder().clearLabelSelector()))
                .build();
        EvaluateRequest plain = EvaluateRequest.newBuilder().addPods(bare).build();
        EvaluateRequest own = plain.toBuilder().setOptions(hardZone).build();
        for (int i = 0; i < 3; i++) {
            for (EvaluateRequest each : List.of(plain, own)) {
                EvaluateResponse actual = evaluate(each);
                assertEquals(generated(each), actual);
            }
        }
        assertEquals(2, instance.placement().planMisses());
    }

    @Test
    void podsThatDifferInRequests_shareAPlan_unlessFittingIsAsked() throws Exception {
        QueryOptions fitting = QueryOptions.newBuilder()
                .setCandidates(Candidates.newBuilder().setFitting(FittingNodes.getDefaultInstance()))
                .build();
        for (int cpu = 1; cpu <= FEW; cpu++) {
            Pod.Builder pod = web(hard(ZONE)).toBuilder();
            pod.getSpecBuilder()
                    .addContainersBuilder()
                    .getResourcesBuilder()
                    .putRequests("cpu", StringValue.of(Integer.toString(cpu)));
            EvaluateRequest request = request(pod.build());
            for (EvaluateRequest each :
                    List.of(request, request.toBuilder().setOptions(fitting).build())) {
                EvaluateResponse actual = evaluate(each);
                assertEquals(generated(each), actual);
            }
        }
        assertEquals(1 + FEW, instance.placement().planMisses());
    }

    @Test
    void planThatWasDropped_isCompiledAgain() throws Exception {
        instance.close();
        instance = instance(
                InstanceOptions.standard().withEngine(EngineOptions.defaults().withMaxPlans(1)));
        for (int i = 0; i < 3; i++) {
            for (Pod pod : List.of(web(hard(ZONE)), web(soft(HOSTNAME)))) {
                EvaluateResponse actual = evaluate(pod);
                assertEquals(generated(request(pod)), actual);
            }
        }
        assertEquals(1, instance.engine().status().plans());
        assertEquals(2, parsed());
    }

    private static EvaluateRequest request(Pod... pods) {
        return EvaluateRequest.newBuilder().addAllPods(List.of(pods)).build();
    }

    @Test
    void podsBeyondWhatIsKept_areParsedAgain() throws Exception {
        instance.close();
        instance = instance(
                InstanceOptions.standard().withEngine(EngineOptions.defaults().withMaxPlans(4)));
        for (int round = 0; round < 2; round++) {
            for (int i = 0; i < 50; i++) {
                Pod pod = web(hard(ZONE)).toBuilder()
                        .setMetadata(web().getMetadata().toBuilder().putLabels("unique", "v" + i))
                        .build();
                assertEquals(1, evaluate(pod).getAnswers(0).getReadable().getPassedCount());
            }
        }
        assertEquals(100, parsed());
    }

    @Test
    void podsBeyondTheirShareOfBytes_areParsedAgain() throws Exception {
        instance.close();
        instance = instance(
                InstanceOptions.standard().withEngine(EngineOptions.defaults().withMaxPlanBytes(1 << 20)));
        int kept = 0;
        for (int round = 0; round < 2; round++) {
            long before = parsed();
            for (int i = 0; i < 200; i++) {
                assertEquals(
                        1,
                        evaluate(withTolerations(i, 60))
                                .getAnswers(0)
                                .getReadable()
                                .getPassedCount());
            }
            kept = 200 - (int) (parsed() - before);
        }
        // Each takes more than 4 KiB, and the cache has an eighth of 1 MiB.
        assertTrue(kept < 32, kept + " are cached");
        evaluate(withTolerations(7, 60));
        long before = parsed();
        evaluate(withTolerations(7, 60));
        assertEquals(before, parsed(), "the last one is cached");
    }

    @Test
    void podLargerThanAllTheirBytes_isNotKept_andDropsNoOther() throws Exception {
        instance.close();
        instance = instance(
                InstanceOptions.standard().withEngine(EngineOptions.defaults().withMaxPlanBytes(64 << 10)));
        evaluate(web(hard(ZONE)));
        evaluate(withTolerations(1, 100));
        evaluate(withTolerations(1, 100));
        assertEquals(3, parsed());
        evaluate(web(hard(ZONE)));
        assertEquals(3, parsed());
    }

    /** A distinct pod that takes many bytes. */
    private static Pod withTolerations(int number, int tolerations) {
        Pod.Builder pod = web(hard(ZONE)).toBuilder();
        for (int i = 0; i < tolerations; i++) {
            pod.getSpecBuilder().addTolerationsBuilder().setKey("taint-" + i).setValue("value-" + number);
        }
        return pod.build();
    }

    @Test
    void refusedPod_isRefusedEachTime() throws Exception {
        Pod wrong = web(hard("").toBuilder().setMaxSkew(0).build());
        EvaluateResponse first = evaluate(wrong);
        assertEquals(2, first.getAnswers(0).getError().getViolationsCount());
        assertEquals(first, evaluate(new PodSamples(1).replica(wrong)));
        assertEquals(2, parsed());
    }

    @Test
    void anyBytes_areReadAsTheGeneratedParserReadsThem() {
        PodSamples samples = new PodSamples(5);
        int refused = 0;
        int judged = 0;
        for (int i = 0; i < 300; i++) {
            EvaluateRequest.Builder request = EvaluateRequest.newBuilder();
            if (i % 3 == 0) {
                request.getFreshnessBuilder()
                        .setIncludeResourceVersions(true)
                        .getRevisionBuilder()
                        .setSession(i % 2 == 0 ? "" : "fork");
            }
            if (i % 7 == 0) {
                request.setKnownNodeTableToken("token").setSession(i % 2 == 0 ? "" : "fork");
            }
            if (i % 11 == 0) {
                request.getOverlayBuilder().addWithoutBuilder().setUid("gone");
            }
            for (int pods = i % 3; pods >= 0; pods--) {
                request.addPods(samples.pod());
            }
            request.getOptionsBuilder().setFormValue(i % 4).setMaxBest(2).setEveryNode(i % 5 == 0);
            byte[] whole = request.build().toByteArray();
            judged += compare(whole);
            for (int j = 0; j < 20; j++) {
                if (compare(samples.mutated(whole)) == 0) {
                    refused++;
                } else {
                    judged++;
                }
            }
        }
        assertTrue(refused > 500 && judged > 500, refused + " refused, " + judged + " judged");
    }

    /** Returns 0 if both ways reject the bytes, 1 if both answer. */
    private int compare(byte[] bytes) {
        EvaluateRequest parsed;
        try {
            parsed = PARSER.parseFrom(bytes);
        } catch (InvalidProtocolBufferException e) {
            assertEquals(
                    e.getMessage(),
                    assertThrows(InvalidProtocolBufferException.class, () -> read(bytes))
                            .getMessage());
            return 0;
        }
        try {
            EvaluateResponse expected = generated(parsed);
            EvaluateResponse actual = Queries.of(instance.placement())
                    .prepare(read(bytes))
                    .answer()
                    .parse(EvaluateResponse.parser());
            assertEquals(expected, actual);
        } catch (RequestException e) {
            RequestException same = assertThrows(
                    RequestException.class,
                    () -> Queries.of(instance.placement()).prepare(read(bytes)).answer());
            assertEquals(e.getMessage(), same.getMessage());
        } catch (InvalidProtocolBufferException e) {
            throw new AssertionError("the generated parser accepts it", e);
        }
        return 1;
    }

    @Test
    void manyThreads_seeTheSameAnswers() throws Exception {
        instance.close();
        instance = instance(
                InstanceOptions.standard().withEngine(EngineOptions.defaults().withMaxPlans(8)));
        List<Pod> pods = new ArrayList<>();
        for (int i = 0; i < 32; i++) {
            pods.add(web(i % 2 == 0 ? hard(ZONE) : soft(HOSTNAME)).toBuilder()
                    .setMetadata(web().getMetadata().toBuilder().putLabels("unique", "v" + i))
                    .build());
        }
        List<CompletableFuture<Void>> readers = new ArrayList<>();
        for (int reader = 0; reader < 4; reader++) {
            PodSamples samples = new PodSamples(reader);
            readers.add(CompletableFuture.runAsync(() -> {
                for (int i = 0; i < 500; i++) {
                    Pod pod = pods.get(i * 7 % pods.size());
                    EvaluateRequest request = request(samples.replica(pod)).toBuilder()
                            .setOptions(QueryOptions.newBuilder().setForm(AnswerForm.ANSWER_FORM_PACKED))
                            .build();
                    try {
                        boolean hard =
                                evaluate(request).getAnswers(0).getPacked().getSoftConstraintCount() == 0;
                        assertEquals(i * 7 % pods.size() % 2 == 0, hard);
                    } catch (InvalidProtocolBufferException e) {
                        throw new AssertionError(e);
                    }
                }
            }));
        }
        for (CompletableFuture<Void> reader : readers) {
            reader.get();
        }
    }
}
