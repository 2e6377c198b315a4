package io.evenkeel.console;

import com.google.common.net.HostAndPort;
import com.google.common.net.InetAddresses;
import com.google.protobuf.Any;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.protobuf.Struct;
import com.google.protobuf.Value;
import com.google.protobuf.util.JsonFormat;
import com.google.rpc.BadRequest;
import com.google.rpc.ErrorInfo;
import io.evenkeel.operations.HttpServer;
import io.evenkeel.v1.PlacementGrpc;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptors;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.protobuf.StatusProto;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.MetadataUtils;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpMethod;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.Fields;
import org.jspecify.annotations.Nullable;

/**
 * Serves the console over HTTP or HTTPS: the page, and answers to its questions as JSON. {@code /spread} is
 * {@code ListSpread}, and {@code /explain} is {@code Explain}. Questions are gRPC calls, so they need the same rights
 * as others. No thread waits for an answer.
 */
public final class ConsolePages extends Handler.Abstract {
    private static final Metadata.Key<String> AUTHORIZATION =
            Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);

    /** The maximum number of questions at a time, from all browsers. */
    private static final int MAX_QUESTIONS = 8;

    /** An answer in JSON takes several times as much memory. */
    private static final int MAX_ANSWER_BYTES = 4 << 20;

    private static final long ANSWERED_WITHIN_SECONDS = 10;

    /** Nothing but the page's own files, and no way from a text to HTML. */
    private static final Map<String, String> SECURITY = Map.of(
            "Content-Security-Policy",
            "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'; form-action"
                    + " 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
            "X-Content-Type-Options",
            "nosniff",
            "Referrer-Policy",
            "no-referrer",
            "Cross-Origin-Opener-Policy",
            "same-origin",
            "Cross-Origin-Resource-Policy",
            "same-origin",
            "Cache-Control",
            "no-store");

    private static final Map<Status.Code, Integer> STATUSES = Map.of(
            Status.Code.INVALID_ARGUMENT, HttpStatus.BAD_REQUEST_400,
            Status.Code.UNAUTHENTICATED, HttpStatus.UNAUTHORIZED_401,
            Status.Code.PERMISSION_DENIED, HttpStatus.FORBIDDEN_403,
            Status.Code.NOT_FOUND, HttpStatus.NOT_FOUND_404,
            Status.Code.RESOURCE_EXHAUSTED, HttpStatus.TOO_MANY_REQUESTS_429,
            Status.Code.UNAVAILABLE, HttpStatus.SERVICE_UNAVAILABLE_503,
            Status.Code.FAILED_PRECONDITION, HttpStatus.SERVICE_UNAVAILABLE_503,
            Status.Code.DEADLINE_EXCEEDED, HttpStatus.GATEWAY_TIMEOUT_504);

    private final ManagedChannel channel;
    private final boolean guarded;
    private final Semaphore questions = new Semaphore(MAX_QUESTIONS);
    private final Map<String, PageFile> files = Map.of(
            "/", PageFile.read("console.html", "text/html; charset=utf-8"),
            "/console.css", PageFile.read("console.css", "text/css; charset=utf-8"),
            "/console.js", PageFile.read("console.js", "text/javascript; charset=utf-8"));

    private ConsolePages(ManagedChannel channel, boolean guarded) {
        this.channel = channel;
        this.guarded = guarded;
    }

    /**
     * Starts to serve.
     *
     * @param tls null for plaintext
     * @param channel answers the questions; closed with the server, also if this fails
     * @param guarded whether callers must authenticate
     * @throws IOException if it cannot listen on the address
     */
    public static HttpServer start(
            InetSocketAddress listen, @Nullable SSLContext tls, ManagedChannel channel, boolean guarded)
            throws IOException {
        try {
            return HttpServer.start("evenkeel-console", listen, tls, new ConsolePages(channel, guarded));
        } catch (IOException | RuntimeException e) {
            channel.shutdownNow();
            throw e;
        }
    }

    @Override
    protected void doStop() throws Exception {
        channel.shutdownNow();
        super.doStop();
    }

    /** A file of the page. */
    private record PageFile(String type, String content) {
        static PageFile read(String name, String type) {
            try (InputStream file = Objects.requireNonNull(ConsolePages.class.getResourceAsStream(name))) {
                return new PageFile(type, new String(file.readAllBytes(), StandardCharsets.UTF_8));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) {
        SECURITY.forEach(response.getHeaders()::put);
        if (!HttpMethod.GET.is(request.getMethod()) && !HttpMethod.HEAD.is(request.getMethod())) {
            response.getHeaders().put(HttpHeader.ALLOW, "GET, HEAD");
            refuse(response, callback, HttpStatus.METHOD_NOT_ALLOWED_405, "the method must be GET or HEAD");
        } else if (!guarded && !isDirect(request.getHeaders().get(HttpHeader.HOST))) {
            refuse(
                    response,
                    callback,
                    HttpStatus.MISDIRECTED_REQUEST_421,
                    "without access control, the host must be localhost or an IP address, so that other web sites"
                            + " cannot pass as this one");
        } else {
            answer(request, response, callback);
        }
        return true;
    }

    /** Whether a host cannot be a name that the owner of another site points to this server. */
    private static boolean isDirect(@Nullable String header) {
        try {
            String host = HostAndPort.fromString(String.valueOf(header)).getHost();
            return "localhost".equalsIgnoreCase(host) || InetAddresses.isInetAddress(host);
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    private void answer(Request request, Response response, Callback callback) {
        String path = String.valueOf(request.getHttpURI().getCanonicalPath());
        PageFile file = files.get(path);
        if (file != null) {
            write(
                    response,
                    callback,
                    HttpStatus.OK_200,
                    file.type(),
                    file.content().getBytes(StandardCharsets.UTF_8));
            return;
        }
        try {
            switch (path) {
                case "/spread" ->
                    ask(
                            PlacementGrpc.getListSpreadMethod(),
                            Questions.spread(parameters(request)),
                            request,
                            response,
                            callback);
                case "/explain" ->
                    ask(
                            PlacementGrpc.getExplainMethod(),
                            Questions.explain(parameters(request)),
                            request,
                            response,
                            callback);
                default ->
                    refuse(response, callback, HttpStatus.NOT_FOUND_404, "not found: use /, /spread or /explain");
            }
        } catch (Questions.InvalidParameterException e) {
            refuse(
                    response,
                    callback,
                    HttpStatus.BAD_REQUEST_400,
                    error(Status.Code.INVALID_ARGUMENT, String.valueOf(e.getMessage()), e.parameter(), ""));
        }
    }

    private static Fields parameters(Request request) throws Questions.InvalidParameterException {
        try {
            return Request.extractQueryParameters(request);
        } catch (RuntimeException e) {
            throw new Questions.InvalidParameterException(
                    "the query must be valid percent-encoded UTF-8",
                    String.valueOf(request.getHttpURI().getQuery()),
                    "query");
        }
    }

    private <Q, A extends Message> void ask(
            MethodDescriptor<Q, A> method, Q question, Request request, Response response, Callback callback) {
        if (!questions.tryAcquire()) {
            refuse(response, callback, HttpStatus.SERVICE_UNAVAILABLE_503, "too many questions at once: retry later");
            return;
        }
        Callback released = Callback.from(questions::release, callback);
        Metadata headers = new Metadata();
        String authorization = request.getHeaders().get(HttpHeader.AUTHORIZATION);
        if (authorization != null) {
            headers.put(AUTHORIZATION, authorization);
        }
        ClientCall<Q, A> call = ClientInterceptors.intercept(
                        channel, MetadataUtils.newAttachHeadersInterceptor(headers))
                .newCall(method, CallOptions.DEFAULT.withDeadlineAfter(ANSWERED_WITHIN_SECONDS, TimeUnit.SECONDS));
        ClientCalls.asyncUnaryCall(call, question, new StreamObserver<>() {
            @Override
            public void onNext(A answer) {
                try {
                    write(answer, response, released);
                } catch (RuntimeException e) {
                    released.failed(e);
                }
            }

            @Override
            public void onError(Throwable failure) {
                fail(failure, response, released);
            }

            @Override
            public void onCompleted() {}
        });
    }

    private static void write(Message answer, Response response, Callback callback) {
        int size = answer.getSerializedSize();
        if (size > MAX_ANSWER_BYTES) {
            refuse(
                    response,
                    callback,
                    HttpStatus.TOO_MANY_REQUESTS_429,
                    "the answer must have at most " + MAX_ANSWER_BYTES + " bytes, was " + size
                            + ": use the command line for such an answer");
            return;
        }
        write(response, callback, HttpStatus.OK_200, "application/json", json(answer));
    }

    private static void fail(Throwable failure, Response response, Callback callback) {
        Status status = Status.fromThrowable(failure);
        String field = "";
        String reason = "";
        com.google.rpc.Status details = StatusProto.fromThrowable(failure);
        try {
            for (Any detail : details == null ? List.<Any>of() : details.getDetailsList()) {
                if (detail.is(ErrorInfo.class)) {
                    reason = detail.unpack(ErrorInfo.class).getReason();
                } else if (detail.is(BadRequest.class)) {
                    field = detail.unpack(BadRequest.class)
                            .getFieldViolations(0)
                            .getField();
                }
            }
        } catch (InvalidProtocolBufferException e) {
            throw new IllegalStateException(e);
        }
        String message = Objects.requireNonNullElse(
                status.getDescription(), status.getCode().name());
        refuse(
                response,
                callback,
                STATUSES.getOrDefault(status.getCode(), HttpStatus.INTERNAL_SERVER_ERROR_500),
                error(status.getCode(), message, field, reason));
    }

    private static void refuse(Response response, Callback callback, int status, String message) {
        refuse(response, callback, status, error(null, message, "", ""));
    }

    private static void refuse(Response response, Callback callback, int status, Struct error) {
        write(response, callback, status, "application/json", json(error));
    }

    private static Struct error(Status.@Nullable Code code, String message, String field, String reason) {
        return Struct.newBuilder()
                .putFields("code", text(code == null ? "" : code.name()))
                .putFields("message", text(message))
                .putFields("field", text(field))
                .putFields("reason", text(reason))
                .build();
    }

    private static Value text(String value) {
        return Value.newBuilder().setStringValue(value).build();
    }

    private static byte[] json(Message message) {
        try {
            return JsonFormat.printer()
                    .alwaysPrintFieldsWithNoPresence()
                    .omittingInsignificantWhitespace()
                    .print(message)
                    .getBytes(StandardCharsets.UTF_8);
        } catch (InvalidProtocolBufferException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void write(Response response, Callback callback, int status, String type, byte[] body) {
        response.setStatus(status);
        HttpFields.Mutable headers = response.getHeaders();
        headers.put(HttpHeader.CONTENT_TYPE, type);
        headers.put(HttpHeader.CONTENT_LENGTH, body.length);
        response.write(true, ByteBuffer.wrap(body), callback);
    }
}
