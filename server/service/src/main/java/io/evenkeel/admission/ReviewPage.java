package io.evenkeel.admission;

import com.google.common.util.concurrent.ThreadFactoryBuilder;
import io.evenkeel.engine.lock.StopSignal;
import io.evenkeel.objects.InvalidObjectException;
import io.evenkeel.operations.HttpServer;
import io.evenkeel.v1.Pod;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpHeaderValue;
import org.eclipse.jetty.http.HttpMethod;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.Promise;

/**
 * Serves the webhook over HTTPS: answers AdmissionReviews. Bodies are received without a thread; two threads review
 * them, in the order in which they are complete. The queue and the memory are limited too, so that gRPC calls hardly
 * notice reviews. A review that takes too long is allowed without warnings; if there are too many, they are refused,
 * which the webhook's failure policy ignores.
 */
public final class ReviewPage extends Handler.Abstract {
    /** The path of the webhook. */
    public static final String PATH = "/warnings";

    private static final System.Logger LOG = System.getLogger(ReviewPage.class.getName());

    /** Less than the second that an API server waits. */
    private static final Duration WITHIN = Duration.ofMillis(800);

    /** More than etcd stores by default, even with the old object in addition. */
    private static final int MAX_BODY_BYTES = 4 << 20;

    /** The most bytes of bodies that are being received or wait. */
    private static final int MAX_BYTES = 4 * MAX_BODY_BYTES;

    private static final int THREADS = 2;
    private static final int MAX_WAITING = 64;

    private final PodCheck check;
    private final Duration within;
    private final Semaphore bytes = new Semaphore(MAX_BYTES);
    private final ThreadPoolExecutor reviewers;

    private ReviewPage(PodCheck check, Duration within) {
        this.check = check;
        this.within = within;
        reviewers = new ThreadPoolExecutor(
                THREADS,
                THREADS,
                1,
                TimeUnit.MINUTES,
                new ArrayBlockingQueue<>(MAX_WAITING),
                new ThreadFactoryBuilder()
                        .setNameFormat("evenkeel-review-%d")
                        .setDaemon(true)
                        .build());
        reviewers.allowCoreThreadTimeOut(true);
    }

    /**
     * Starts to serve.
     *
     * @throws IOException if it cannot listen on the address
     */
    public static HttpServer start(InetSocketAddress listen, SSLContext tls, PodCheck check) throws IOException {
        return start(listen, tls, check, WITHIN);
    }

    /** @param within how long a review may take, including the wait before it */
    static HttpServer start(InetSocketAddress listen, SSLContext tls, PodCheck check, Duration within)
            throws IOException {
        return HttpServer.start("evenkeel-admission", listen, tls, new ReviewPage(check, within));
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) {
        if (!PATH.equals(request.getHttpURI().getCanonicalPath())) {
            refuseUnread(response, callback, HttpStatus.NOT_FOUND_404, "not found: use " + PATH);
        } else if (!HttpMethod.POST.is(request.getMethod())) {
            response.getHeaders().put(HttpHeader.ALLOW, "POST");
            refuseUnread(response, callback, HttpStatus.METHOD_NOT_ALLOWED_405, "method not allowed: use POST");
        } else if (request.getLength() < 0) {
            refuseUnread(response, callback, HttpStatus.LENGTH_REQUIRED_411, "length required: send Content-Length");
        } else if (request.getLength() > MAX_BODY_BYTES) {
            refuseUnread(
                    response,
                    callback,
                    HttpStatus.PAYLOAD_TOO_LARGE_413,
                    "a review must have at most " + MAX_BODY_BYTES + " bytes");
        } else {
            int length = (int) request.getLength();
            if (bytes.tryAcquire(length)) {
                receive(request, response, Callback.from(() -> bytes.release(length), callback));
            } else {
                refuseUnread(
                        response,
                        callback,
                        HttpStatus.SERVICE_UNAVAILABLE_503,
                        "too many reviews at once; retry later");
            }
        }
        return true;
    }

    private void receive(Request request, Response response, Callback callback) {
        Content.Source.asByteArrayAsync(
                request, MAX_BODY_BYTES, Promise.Invocable.from(InvocationType.NON_BLOCKING, (body, failure) -> {
                    if (failure == null) {
                        enqueue(body, response, callback);
                    } else {
                        callback.failed(failure);
                    }
                }));
    }

    private void enqueue(byte[] body, Response response, Callback callback) {
        long end = System.nanoTime() + within.toNanos();
        try {
            reviewers.execute(() -> {
                try {
                    review(body, () -> System.nanoTime() - end >= 0 || reviewers.isShutdown(), response, callback);
                } catch (RuntimeException | Error e) {
                    callback.failed(e);
                    throw e;
                }
            });
        } catch (RejectedExecutionException e) {
            refuse(response, callback, HttpStatus.SERVICE_UNAVAILABLE_503, "too many reviews at once; retry later");
        }
    }

    private void review(byte[] body, StopSignal stop, Response response, Callback callback) {
        AdmissionReview review;
        try {
            review = AdmissionReview.read(body);
        } catch (MalformedReviewException e) {
            refuse(response, callback, HttpStatus.BAD_REQUEST_400, String.valueOf(e.getMessage()));
            return;
        }
        byte[] allowed = review.allowed(warnings(review, stop));
        response.getHeaders().put(HttpHeader.CONTENT_TYPE, "application/json");
        write(response, callback, allowed);
    }

    /** None if the object cannot be judged, for whatever reason: it must be allowed all the same. */
    private List<String> warnings(AdmissionReview review, StopSignal stop) {
        try {
            stop.check();
            Pod pod = review.pod();
            return pod == null ? List.of() : check.warnings(pod, stop);
        } catch (IOException | InvalidObjectException | RuntimeException e) {
            LOG.log(System.Logger.Level.DEBUG, "admission: failed to check an object, which gets no warnings", e);
            return List.of();
        }
    }

    /** Refuses a review whose body is not read, so that nothing can follow it on its connection. */
    private static void refuseUnread(Response response, Callback callback, int status, String reason) {
        response.getHeaders().put(HttpHeader.CONNECTION, HttpHeaderValue.CLOSE);
        refuse(response, callback, status, reason);
    }

    private static void refuse(Response response, Callback callback, int status, String reason) {
        response.setStatus(status);
        response.getHeaders().put(HttpHeader.CONTENT_TYPE, "text/plain; charset=utf-8");
        write(response, callback, (reason + "\n").getBytes(StandardCharsets.UTF_8));
    }

    private static void write(Response response, Callback callback, byte[] body) {
        response.getHeaders().put(HttpHeader.CONTENT_LENGTH, body.length);
        response.write(true, ByteBuffer.wrap(body), callback);
    }

    /** Stops the threads. Reviews that wait are not answered, and their connections end. */
    @Override
    protected void doStop() throws Exception {
        reviewers.shutdownNow();
        super.doStop();
    }
}
