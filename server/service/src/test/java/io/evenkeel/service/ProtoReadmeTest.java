package io.evenkeel.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.google.protobuf.Message;
import com.google.protobuf.util.JsonFormat;
import io.evenkeel.v1.BlockingPod;
import io.evenkeel.v1.BlockingReason;
import io.evenkeel.v1.ClusterStateGrpc;
import io.evenkeel.v1.ItemError;
import io.evenkeel.v1.OpenSessionResponse;
import io.evenkeel.v1.PlacementGrpc;
import io.evenkeel.v1.SimulateRemovalResponse;
import io.evenkeel.v1.SimulationGrpc;
import io.grpc.CallOptions;
import io.grpc.MethodDescriptor;
import io.grpc.stub.BlockingClientCall;
import io.grpc.stub.ClientCalls;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Tests the examples of the contract and of simulations by running them one after another, like a reader would. */
final class ProtoReadmeTest {
    private static final Pattern EXAMPLE = Pattern.compile(
            "```\\ngrpcurl -plaintext (?:-d '([^']*)' )?(?:\\\\\\n +)?127\\.0\\.0\\.1:7450 (\\S+)\\n```");

    private static final Map<String, MethodDescriptor<?, ?>> METHODS = Stream.of(
                    PlacementGrpc.getServiceDescriptor(),
                    ClusterStateGrpc.getServiceDescriptor(),
                    SimulationGrpc.getServiceDescriptor())
            .flatMap(service -> service.getMethods().stream())
            .collect(Collectors.toMap(MethodDescriptor::getFullMethodName, Function.identity()));

    /** A call with its messages, like one of grpcurl. */
    private record Example(MethodDescriptor<Message, Message> method, List<Message> requests) {
        @SuppressWarnings("unchecked") // Generated methods have messages on both sides.
        static Example of(String method, String json) throws IOException {
            MethodDescriptor<?, ?> found = Objects.requireNonNull(METHODS.get(method), method);
            Message type = (Message)
                    ((MethodDescriptor.PrototypeMarshaller<?>) found.getRequestMarshaller()).getMessagePrototype();
            List<Message> requests = new ArrayList<>();
            for (String text : texts(json)) {
                Message.Builder request = type.newBuilderForType();
                JsonFormat.parser().merge(text, request);
                requests.add(request.build());
            }
            return new Example((MethodDescriptor<Message, Message>) found, requests);
        }

        /** The consecutive JSON objects in a text; an empty object if there are none. */
        private static List<String> texts(String json) throws IOException {
            List<String> texts = new ArrayList<>();
            try (JsonParser parser = new JsonFactory().createParser(json)) {
                while (parser.nextToken() != null) {
                    int start = (int) parser.currentTokenLocation().getCharOffset();
                    parser.skipChildren();
                    texts.add(
                            json.substring(start, (int) parser.currentLocation().getCharOffset()));
                }
            }
            return texts.isEmpty() ? List.of("{}") : texts;
        }

        List<Message> answers(TestServer server) throws Exception {
            if (method.getType() == MethodDescriptor.MethodType.UNARY) {
                return List.of(
                        ClientCalls.blockingV2UnaryCall(server.channel, method, CallOptions.DEFAULT, requests.get(0)));
            }
            BlockingClientCall<Message, Message> call =
                    ClientCalls.blockingBidiStreamingCall(server.channel, method, CallOptions.DEFAULT);
            for (Message request : requests) {
                call.write(request);
            }
            call.halfClose();
            List<Message> answers = new ArrayList<>();
            if (method.getFullMethodName()
                    .equals(PlacementGrpc.getWatchUnblockedMethod().getFullMethodName())) {
                answers.add(call.read());
                call.cancel("it stays open", null);
                return answers;
            }
            for (Message answer = call.read(); answer != null; answer = call.read()) {
                answers.add(answer);
            }
            return answers;
        }
    }

    private static String readme() throws IOException {
        return Files.readString(Path.of("../../proto/README.md"));
    }

    private static List<Example> examples() throws IOException {
        return examples(readme());
    }

    private static List<Example> examples(String readme) throws IOException {
        List<Example> examples = new ArrayList<>();
        Matcher example = EXAMPLE.matcher(readme);
        while (example.find()) {
            examples.add(Example.of(example.group(2), Objects.requireNonNullElse(example.group(1), "")));
        }
        assertEquals(readme.split("\ngrpcurl ", -1).length - 1, examples.size());
        return examples;
    }

    @Test
    void everyCall_hasAnExample() throws IOException {
        Set<String> others = new TreeSet<>(METHODS.keySet());
        others.removeIf(method -> method.startsWith(SimulationGrpc.SERVICE_NAME));
        assertEquals(
                others,
                examples().stream()
                        .map(example -> example.method().getFullMethodName())
                        .collect(Collectors.toCollection(TreeSet::new)));
    }

    @Test
    void everyExample_isARequestOfItsCall_andIsAnsweredWithoutAnError() throws Exception {
        try (TestServer server = TestServer.start()) {
            for (Example example : examples()) {
                String name = example.method().getFullMethodName();
                List<Message> answers = example.answers(server);
                assertEquals(example.requests().size(), answers.size(), name);
                answers.forEach(answer -> assertFalse(holdsError(answer), () -> name + " answered " + answer));
            }
        }
    }

    @Test
    void examplesOfSimulations_areAnsweredWithoutAnError_andThereIsOneOfEachCall() throws Exception {
        Set<String> called = new TreeSet<>();
        for (String page : List.of("sessions", "schedule", "estimates", "removal", "rebalance")) {
            called.addAll(callAll(Files.readString(Path.of("../../server/docs/" + page + ".md"))));
        }
        Set<String> simulations = new TreeSet<>(METHODS.keySet());
        simulations.removeIf(method -> !method.startsWith(SimulationGrpc.SERVICE_NAME));
        simulations.removeAll(called);
        assertEquals(Set.of(), simulations);
    }

    /** Runs the examples of a page after those of the README, and returns the names of their methods. */
    private static Set<String> callAll(String page) throws Exception {
        Set<String> called = new TreeSet<>();
        try (TestServer server = TestServer.start()) {
            for (Example example : examples()) {
                example.answers(server);
            }
            String id = "";
            for (int i = 0; i < examples(page).size(); i++) {
                Example example = examples(page.replace("SESSION\"", id + "\"")).get(i);
                called.add(example.method().getFullMethodName());
                Message answer = example.answers(server).get(0);
                assertFalse(holdsError(answer), answer::toString);
                id = answer instanceof OpenSessionResponse opened ? opened.getSession() : id;
            }
        }
        return called;
    }

    @Test
    void exampleOfRemovals_isAnsweredAsItSays() throws Exception {
        List<Example> removal = examples(Files.readString(Path.of("../../server/docs/removal.md")));
        try (TestServer server = TestServer.start()) {
            for (Example example : examples()) {
                example.answers(server);
            }
            removal.get(0).answers(server);
            SimulateRemovalResponse answer =
                    (SimulateRemovalResponse) removal.get(1).answers(server).get(0);
            assertEquals(List.of("a"), answer.getDestinationsList());
            assertEquals("db-0", answer.getRemovals(0).getPods(0).getName());
            BlockingPod blocking = answer.getRemovals(1).getBlockingPods(0);
            assertEquals("shell", blocking.getPod().getName());
            assertEquals(BlockingReason.BLOCKING_REASON_NOT_REPLICATED, blocking.getReason());
        }
    }

    private static boolean holdsError(Message message) {
        return message instanceof ItemError
                || message.getAllFields().values().stream()
                        .flatMap(value -> value instanceof List<?> list ? list.stream() : Stream.of(value))
                        .anyMatch(value -> value instanceof Message part && holdsError(part));
    }
}
