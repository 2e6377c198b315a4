package io.evenkeel.kube;

import com.google.protobuf.InvalidProtocolBufferException;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsParameters;
import com.sun.net.httpserver.HttpsServer;
import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.v1.Pod;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.IntUnaryOperator;
import java.util.function.LongFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/**
 * A small API server that lists and watches its objects as protobuf, and injects faults. It keeps the events of each
 * kind until they are compacted. Thread-safe.
 */
public final class ScriptedApiServer implements AutoCloseable {
    /** The password of {@code server.p12}. */
    public static final char[] PASSWORD = "secret".toCharArray();

    private static final Pattern BINDING = Pattern.compile("/api/v1/namespaces/([^/]+)/pods/([^/]+)/binding");
    private static final Pattern EVICTION = Pattern.compile("/api/v1/namespaces/([^/]+)/pods/([^/]+)/eviction");
    private static final Pattern TARGET = Pattern.compile("\"target\".*\"name\": \"([^\"]+)\"");
    private static final String TOKEN_REVIEWS = "/apis/authentication.k8s.io/v1/tokenreviews";
    private static final Pattern REVIEWED = Pattern.compile("\"token\":\"([^\"]*)\",\"audiences\":\\[\"([^\"]*)\"\\]");
    private static final Pattern WITHIN_NAMESPACE = Pattern.compile("(.*/v1/)namespaces/([^/]+)/(.*)");

    /** An error response instead of the normal one. */
    public record Refusal(int status, String body, @Nullable String retryAfter) {}

    private static final Refusal NOT_FOUND = new Refusal(404, "{\"message\":\"not found\"}", null);
    private static final Refusal UNAUTHORIZED = new Refusal(401, "{\"message\":\"Unauthorized\"}", null);

    /** What happens to requests for streaming lists. */
    enum StreamingLists {
        SERVED,
        /** The response says that they are not supported. */
        REFUSED,
        /** An event in the response says that they cannot be served. */
        FAILED,
        /** The response ends normally, in the middle of the objects. */
        ENDED,
        /** The connection is cut in the middle of the objects. */
        CUT,
        /** The response is empty and does not end. */
        SILENT
    }

    /** The state of a server at a version. */
    record Backup(long version, Map<ObjectKind, Map<String, byte[]>> objects) {}

    private static final class Logged {
        /** The sequence number in a kind's log. */
        private final long serial;

        private final long version;
        private final String type;
        private final byte[] object;

        Logged(long serial, long version, String type, byte[] object) {
            this.serial = serial;
            this.version = version;
            this.type = type;
            this.object = object;
        }
    }

    private static final class Kind {
        private final TreeMap<String, byte[]> objects = new TreeMap<>();
        private final List<Logged> log = new ArrayList<>();
        private final Deque<Refusal> refusals = new ArrayDeque<>();
        private final Deque<Refusal> pageRefusals = new ArrayDeque<>();
        private final Deque<Integer> cuts = new ArrayDeque<>();
        private final Deque<byte[]> injected = new ArrayDeque<>();
        private final List<String> requests = new ArrayList<>();

        /** Paged lists under way: the objects of each when it began. */
        private final Map<Long, List<byte[]>> paged = new HashMap<>();

        /** The serial of the last entry, and of the last forgotten one. */
        private long serial;

        private long forgotten;

        /** Watches must not begin at lower versions. */
        private long compacted;

        /** Watches that begin at this version or below fail with their first event. */
        private long unreadable;

        private boolean silent;
        private boolean endsWatches;
        private int openWatches;

        /** How many watches began, and up to which of them they are mute. */
        private int watches;

        private int muted;
    }

    private final HttpServer server;
    private final ExecutorService threads = Executors.newCachedThreadPool(task -> {
        Thread thread = new Thread(task, "scripted-api-server");
        thread.setDaemon(true);
        return thread;
    });
    private final Map<ObjectKind, Kind> kinds = new EnumMap<>(ObjectKind.class);
    private final List<String> asked = new ArrayList<>();

    /** The impersonation headers of the last request. */
    private final Map<String, List<String>> impersonated = new HashMap<>();

    /** What is answered to requests for JSON, by path. */
    private final Map<String, String> documents = new HashMap<>();

    private final Deque<Refusal> refusedBindings = new ArrayDeque<>();

    /** Evicts a pod and returns null, or rejects that. */
    private Function<Pod, @Nullable Refusal> evictions = pod -> NOT_FOUND;

    /** The known tokens and their users. */
    private final Map<String, String> users = new HashMap<>();

    private final boolean tls;
    private long version = 100;
    private boolean closed;
    private @Nullable String token;
    private StreamingLists streamingLists = StreamingLists.SERVED;

    /** How often it was restored to an earlier state. */
    private int restores;

    private int pageSize = Integer.MAX_VALUE;
    private int expiringPages;
    private int repeated;
    private boolean goneByEvent;
    private boolean bookmarksWhereAsked;
    private long pauseMillis;
    private IntUnaryOperator pieces = most -> most;

    private ScriptedApiServer(HttpServer server, boolean tls) {
        this.server = server;
        this.tls = tls;
        ObjectKind.ALL.forEach(kind -> kinds.put(kind, new Kind()));
        server.setExecutor(threads);
        server.createContext("/", this::handle);
    }

    /** A server on a free port of loopback, without TLS. */
    public static ScriptedApiServer start() throws IOException {
        return start(0);
    }

    /** A server on this port of loopback. */
    static ScriptedApiServer start(int port) throws IOException {
        ScriptedApiServer started = new ScriptedApiServer(HttpServer.create(loopback(port), 0), false);
        started.server.start();
        return started;
    }

    /** A server with the certificate {@code server.crt}, which may require the certificate {@code client.crt}. */
    public static ScriptedApiServer startWithTls(boolean clientCertificate)
            throws IOException, GeneralSecurityException {
        HttpsServer server = HttpsServer.create(loopback(0), 0);
        SSLContext context = context();
        server.setHttpsConfigurator(new HttpsConfigurator(context) {
            @Override
            public void configure(HttpsParameters parameters) {
                SSLParameters chosen = context.getDefaultSSLParameters();
                chosen.setNeedClientAuth(clientCertificate);
                parameters.setSSLParameters(chosen);
            }
        });
        ScriptedApiServer started = new ScriptedApiServer(server, true);
        server.start();
        return started;
    }

    private static SSLContext context() throws IOException, GeneralSecurityException {
        KeyStore keys = KeyStore.getInstance("PKCS12");
        try (InputStream file = resource("server.p12")) {
            keys.load(file, PASSWORD);
        }
        KeyManagerFactory own = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        own.init(keys, PASSWORD);
        KeyStore trusted = KeyStore.getInstance("PKCS12");
        trusted.load(null, null);
        try (InputStream file = resource("client.crt")) {
            trusted.setCertificateEntry(
                    "client",
                    java.security.cert.CertificateFactory.getInstance("X.509").generateCertificate(file));
        }
        TrustManagerFactory others = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        others.init(trusted);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(own.getKeyManagers(), others.getTrustManagers(), null);
        return context;
    }

    public static InputStream resource(String name) {
        return Objects.requireNonNull(ScriptedApiServer.class.getResourceAsStream(name), name);
    }

    private static InetSocketAddress loopback(int port) {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    }

    public int port() {
        return server.getAddress().getPort();
    }

    public String url() {
        return (tls ? "https" : "http") + "://127.0.0.1:" + port();
    }

    /** Writes a kubeconfig for this server into the directory. */
    public Path kubeconfig(Path directory, String clusterFields, String userFields) throws IOException {
        return Files.writeString(directory.resolve("kubeconfig"), """
                apiVersion: v1
                kind: Config
                current-context: here
                contexts: [{name: here, context: {cluster: here, user: me, namespace: shop}}]
                clusters: [{name: here, cluster: {server: "%s"%s}}]
                users: [{name: me, user: {%s}}]
                """.formatted(url(), clusterFields, userFields));
    }

    // ------------------------------------------------------------------------------------------------ the cluster

    /** The version that the next change will have. */
    public synchronized long nextVersion() {
        return version + 1;
    }

    /** Adds or changes an object. Its bytes must contain {@link #nextVersion}. */
    public synchronized void put(ObjectKind kind, String uid, byte[] object) {
        Kind state = state(kind);
        String type = state.objects.put(uid, object) == null ? "ADDED" : "MODIFIED";
        log(state, type, object);
    }

    /** Adds or changes an object. Its bytes are created for its version. */
    public synchronized void put(ObjectKind kind, String uid, LongFunction<byte[]> atVersion) {
        put(kind, uid, atVersion.apply(nextVersion()));
    }

    /** Removes an object. {@code last} is the object in the event. */
    public synchronized void delete(ObjectKind kind, String uid, byte[] last) {
        Kind state = state(kind);
        if (state.objects.remove(uid) != null) {
            log(state, "DELETED", last);
        }
    }

    private void log(Kind state, String type, byte[] object) {
        state.log.add(new Logged(++state.serial, ++version, type, object));
        notifyAll();
    }

    /** Changes an object without an event for watches, as if this was in compacted history. */
    synchronized void putUnseen(ObjectKind kind, String uid, byte @Nullable [] object) {
        Kind state = state(kind);
        version++;
        if (object == null) {
            state.objects.remove(uid);
        } else {
            state.objects.put(uid, object);
        }
        state.serial++;
        compact(kind);
    }

    /** Forgets the events of a kind. Watches from earlier versions get 410. */
    synchronized void compact(ObjectKind kind) {
        Kind state = state(kind);
        state.log.clear();
        state.forgotten = state.serial;
        state.compacted = version;
        notifyAll();
    }

    /** Sends a bookmark of the current version to the watches of each kind. Returns the version. */
    public synchronized long bookmark() {
        kinds.values().forEach(this::bookmark);
        notifyAll();
        return version;
    }

    private void bookmark(Kind state) {
        state.log.add(new Logged(++state.serial, version, "BOOKMARK", Frames.bookmark(version, false)));
    }

    /** A backup of the current state. */
    synchronized Backup backup() {
        Map<ObjectKind, Map<String, byte[]>> objects = new EnumMap<>(ObjectKind.class);
        kinds.forEach((kind, state) -> objects.put(kind, Map.copyOf(state.objects)));
        return new Backup(version, objects);
    }

    /**
     * Goes back to an earlier state, like a server that restarts with a restored etcd. Open watches end normally. One
     * that begins at a later version is silent until there are even later events.
     */
    synchronized void restore(Backup backup) {
        version = backup.version;
        restores++;
        kinds.forEach((kind, state) -> {
            state.objects.clear();
            state.objects.putAll(Objects.requireNonNull(backup.objects.get(kind)));
            state.log.clear();
            state.forgotten = state.serial;
            state.compacted = version;
        });
        notifyAll();
    }

    synchronized Map<ObjectKind, List<byte[]>> objects() {
        Map<ObjectKind, List<byte[]>> all = new EnumMap<>(ObjectKind.class);
        kinds.forEach((kind, state) -> all.put(kind, List.copyOf(state.objects.values())));
        return all;
    }

    private Kind state(ObjectKind kind) {
        return Objects.requireNonNull(kinds.get(kind));
    }

    /** The impersonation headers of the last request, by name. */
    public synchronized Map<String, List<String>> impersonated() {
        return Map.copyOf(impersonated);
    }

    // ------------------------------------------------------------------------------------------------- the faults

    /** Requests must carry this token. */
    public synchronized void requireToken(String required) {
        token = required;
    }

    /** Makes TokenReview accept a token as the user's. Other tokens are rejected. */
    public synchronized void know(String reviewed, String user) {
        users.put(reviewed, user);
    }

    /** Rejects the next request for the kind. */
    public synchronized void refuse(ObjectKind kind, Refusal refusal) {
        state(kind).refusals.add(refusal);
    }

    /** Rejects the next request for a later page of the kind. */
    synchronized void refusePage(ObjectKind kind, Refusal refusal) {
        state(kind).pageRefusals.add(refusal);
    }

    /** Rejects the next binding of a pod. */
    public synchronized void refuseBinding(Refusal refusal) {
        refusedBindings.add(refusal);
    }

    /** Evicts pods that exist: the function evicts one and returns null, or rejects that. */
    public synchronized void onEviction(Function<Pod, @Nullable Refusal> eviction) {
        evictions = eviction;
    }

    /** Cuts the connection of the next response for the kind after this many bytes. */
    public synchronized void cutAfter(ObjectKind kind, int bytes) {
        state(kind).cuts.add(bytes);
    }

    /** Sends these bytes unchanged in the watch of the kind. */
    synchronized void inject(ObjectKind kind, byte[] bytes) {
        state(kind).injected.add(bytes);
        notifyAll();
    }

    /** Ends the watch of the kind with an error, and later ones that begin at the current version or before it. */
    synchronized void failWatches(ObjectKind kind) {
        state(kind).unreadable = version;
        inject(kind, unreadable());
    }

    private static byte[] unreadable() {
        return Frames.frame("ERROR", "Status", Frames.status(500, "InternalError", "an object cannot be read"));
    }

    /** Sets whether requests for the kind are never answered. */
    public synchronized void setSilent(ObjectKind kind, boolean silent) {
        state(kind).silent = silent;
        notifyAll();
    }

    /** Makes the open watches of the kind mute. They stay open. */
    synchronized void muteWatches(ObjectKind kind) {
        state(kind).muted = state(kind).watches;
    }

    /** Accepts watches from expired versions and rejects them in their first event, like most API servers. */
    synchronized void refuseOldWatchesByEvent() {
        goneByEvent = true;
    }

    /** Sends a bookmark to the watches of a kind when it is listed. */
    synchronized void bookmarkWhereAsked() {
        bookmarksWhereAsked = true;
    }

    /** Ends each watch of the kind after its first event, like a proxy that cuts responses short. */
    synchronized void endWatchesAfterEachEvent(ObjectKind kind) {
        state(kind).endsWatches = true;
    }

    /** Sets a pause before each piece that it writes. */
    synchronized void setPause(Duration pause) {
        pauseMillis = pause.toMillis();
    }

    synchronized void setStreamingLists(StreamingLists answer) {
        streamingLists = answer;
    }

    public synchronized void setPageSize(int most) {
        pageSize = most;
    }

    /** Answers this many requests for a later page with 410. */
    public synchronized void expirePages(int count) {
        expiringPages = count;
    }

    /** Makes watches begin with this many events that the client has already received. */
    synchronized void repeatEvents(int count) {
        repeated = count;
    }

    /** Writes bytes in pieces. The function returns the length of the next one, given how many are left. */
    synchronized void writeInPieces(IntUnaryOperator length) {
        pieces = length;
    }

    /** Removes all faults. */
    synchronized void heal() {
        kinds.values().forEach(state -> {
            state.refusals.clear();
            state.pageRefusals.clear();
            state.cuts.clear();
            state.injected.clear();
            state.silent = false;
        });
        streamingLists = StreamingLists.SERVED;
        expiringPages = 0;
        repeated = 0;
        pieces = most -> most;
        goneByEvent = false;
        pauseMillis = 0;
        notifyAll();
    }

    /** The paths and queries of all requests for a kind. */
    synchronized List<String> requests(ObjectKind kind) {
        return List.copyOf(state(kind).requests);
    }

    /** Answers requests for JSON at a path. */
    public synchronized void putJson(String path, String document) {
        documents.put(path, document);
    }

    /** All requests so far: the method, and the path with its query. */
    public synchronized List<String> asked() {
        return List.copyOf(asked);
    }

    synchronized int openWatches() {
        return kinds.values().stream().mapToInt(state -> state.openWatches).sum();
    }

    // ------------------------------------------------------------------------------------------------ the answers

    private void handle(HttpExchange exchange) throws IOException {
        String path = exchange.getRequestURI().getPath();
        Matcher within = WITHIN_NAMESPACE.matcher(path);
        String namespace = within.matches() ? within.group(2) : null;
        String whole = namespace == null ? path : within.group(1) + within.group(3);
        ObjectKind kind = ObjectKind.ALL.stream()
                .filter(each -> ApiResource.path(each).equals(whole))
                .findAny()
                .orElse(null);
        synchronized (this) {
            asked.add(exchange.getRequestMethod() + " " + exchange.getRequestURI());
            impersonated.clear();
            exchange.getRequestHeaders().forEach((name, values) -> {
                if (name.startsWith("Impersonate-")) {
                    impersonated.put(name, List.copyOf(values));
                }
            });
        }
        String document;
        synchronized (this) {
            document = documents.get(path);
        }
        if (document != null
                && "application/json".equals(exchange.getRequestHeaders().getFirst("Accept"))) {
            answer(exchange, 200, document.getBytes(StandardCharsets.UTF_8));
            return;
        }
        Matcher binding = BINDING.matcher(path);
        if (binding.matches()) {
            bind(exchange, binding.group(1), binding.group(2));
            return;
        }
        Matcher eviction = EVICTION.matcher(path);
        if (eviction.matches()) {
            evict(exchange, pod(eviction.group(1), eviction.group(2)));
            return;
        }
        if (path.equals(TOKEN_REVIEWS)) {
            review(exchange);
            return;
        }
        if (kind == null || kind == ObjectKind.NODE && namespace != null) {
            answer(exchange, 404, "no such path".getBytes(StandardCharsets.UTF_8));
            return;
        }
        Map<String, String> query = query(exchange);
        Refusal refusal;
        synchronized (this) {
            state(kind).requests.add(exchange.getRequestURI().toString());
            refusal = state(kind).refusals.poll();
            if (refusal == null && query.containsKey("continue")) {
                refusal = state(kind).pageRefusals.poll();
            }
            if (refusal == null && !showsToken(exchange)) {
                refusal = UNAUTHORIZED;
            }
        }
        if (refusal != null) {
            refuse(exchange, refusal);
            return;
        }
        try {
            awaitVoice(kind);
            if (query.containsKey("watch")) {
                watch(exchange, kind, query);
            } else {
                list(exchange, kind, namespace, query);
            }
        } catch (InterruptedException e) {
            throw new IOException("the server is closed", e);
        }
    }

    private synchronized boolean showsToken(HttpExchange exchange) {
        return token == null
                || ("Bearer " + token).equals(exchange.getRequestHeaders().getFirst("Authorization"));
    }

    /** Answers a TokenReview. */
    private void review(HttpExchange exchange) throws IOException {
        Matcher review = REVIEWED.matcher(new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
        if (!showsToken(exchange)) {
            answer(exchange, UNAUTHORIZED.status(), UNAUTHORIZED.body().getBytes(StandardCharsets.UTF_8));
            return;
        }
        String user;
        synchronized (this) {
            user = review.find() ? users.get(review.group(1)) : null;
        }
        String status = user == null
                ? "{\"authenticated\": false, \"error\": \"invalid bearer token\"}"
                : "{\"authenticated\": true, \"user\": {\"username\": \"" + user + "\"}, \"audiences\": [\""
                        + review.group(2) + "\"]}";
        answer(exchange, 201, ("{\"status\": " + status + "}").getBytes(StandardCharsets.UTF_8));
    }

    /** Binds a pod to a node, or rejects the binding. */
    private void bind(HttpExchange exchange, String namespace, String name) throws IOException {
        String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
        Matcher target = TARGET.matcher(body.replace("\n", ""));
        Refusal refusal;
        synchronized (this) {
            Refusal next = refusedBindings.poll();
            refusal = next == null ? bind(pod(namespace, name), target) : next;
        }
        answer(
                exchange,
                refusal == null ? 201 : refusal.status(),
                (refusal == null ? "{}" : refusal.body()).getBytes(StandardCharsets.UTF_8));
    }

    private static void refuse(HttpExchange exchange, Refusal refusal) throws IOException {
        if (refusal.retryAfter() != null) {
            exchange.getResponseHeaders().set("Retry-After", refusal.retryAfter());
        }
        answer(exchange, refusal.status(), refusal.body().getBytes(StandardCharsets.UTF_8));
    }

    private void evict(HttpExchange exchange, @Nullable Pod pod) throws IOException {
        String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
        Function<Pod, @Nullable Refusal> eviction;
        synchronized (this) {
            eviction = evictions;
        }
        Refusal refusal;
        if (pod == null) {
            refusal = NOT_FOUND;
        } else if (!body.contains("{\"uid\": \"" + pod.getMetadata().getUid() + "\"}")) {
            refusal = new Refusal(409, "{\"message\":\"Precondition failed: UID\"}", null);
        } else {
            refusal = eviction.apply(pod);
        }
        if (refusal == null) {
            answer(exchange, 201, "{}".getBytes(StandardCharsets.UTF_8));
        } else {
            refuse(exchange, refusal);
        }
    }

    private @Nullable Refusal bind(@Nullable Pod pod, Matcher target) {
        if (pod == null || !target.find()) {
            return NOT_FOUND;
        }
        if (!pod.getSpec().getNodeName().isEmpty()) {
            return new Refusal(409, "{\"message\":\"already assigned\"}", null);
        }
        Pod.Builder bound = pod.toBuilder();
        bound.getSpecBuilder().setNodeName(target.group(1));
        bound.getMetadataBuilder().setResourceVersion(Long.toString(nextVersion()));
        put(ObjectKind.POD, pod.getMetadata().getUid(), bound.build().toByteArray());
        return null;
    }

    private @Nullable Pod pod(String namespace, String name) {
        return pods().stream()
                .filter(pod -> pod.getMetadata().getNamespace().equals(namespace)
                        && pod.getMetadata().getName().equals(name))
                .findAny()
                .orElse(null);
    }

    /** All pods. */
    public synchronized List<Pod> pods() {
        List<Pod> pods = new ArrayList<>();
        for (byte[] object : state(ObjectKind.POD).objects.values()) {
            try {
                pods.add(Pod.parseFrom(object));
            } catch (InvalidProtocolBufferException e) {
                throw new IllegalStateException(e);
            }
        }
        return pods;
    }

    private synchronized void awaitVoice(ObjectKind kind) throws InterruptedException {
        while (state(kind).silent && !closed) {
            wait();
        }
    }

    private static Map<String, String> query(HttpExchange exchange) {
        Map<String, String> fields = new HashMap<>();
        String query = exchange.getRequestURI().getRawQuery();
        if (query != null) {
            for (String field : query.split("&", -1)) {
                String[] parts = field.split("=", 2);
                fields.put(parts[0], URLDecoder.decode(parts[1], StandardCharsets.UTF_8));
            }
        }
        return fields;
    }

    private static void answer(HttpExchange exchange, int status, byte[] body) throws IOException {
        exchange.sendResponseHeaders(status, body.length == 0 ? -1 : body.length);
        try (OutputStream output = exchange.getResponseBody()) {
            output.write(body);
        }
    }

    private static byte[] gone() {
        return Frames.envelope("Status", Frames.status(410, "Expired", "too old resource version"));
    }

    private void list(HttpExchange exchange, ObjectKind kind, @Nullable String namespace, Map<String, String> query)
            throws IOException {
        byte[] list = null;
        synchronized (this) {
            Kind state = state(kind);
            if (bookmarksWhereAsked) {
                bookmark(state);
                notifyAll();
            }
            String continuation = query.get("continue");
            long listed;
            int from = 0;
            if (continuation == null) {
                listed = version;
                state.paged.put(
                        listed,
                        state.objects.values().stream()
                                .filter(object -> namespace == null || namespace.equals(namespace(object)))
                                .toList());
            } else {
                listed = Long.parseLong(continuation.substring(0, continuation.indexOf('+')));
                from = Integer.parseInt(continuation.substring(continuation.indexOf('+') + 1));
                if (expiringPages > 0) {
                    expiringPages--;
                    state.paged.remove(listed);
                }
            }
            List<byte[]> all = state.paged.get(listed);
            if (all != null) {
                int limit = query.containsKey("limit")
                        ? Math.min(pageSize, Integer.parseInt(query.get("limit")))
                        : all.size();
                int to = (int) Math.min(all.size(), (long) from + limit);
                list = Frames.list("List", listed, to < all.size() ? listed + "+" + to : "", all.subList(from, to));
            }
        }
        if (list == null) {
            answer(exchange, 410, gone());
            return;
        }
        exchange.sendResponseHeaders(200, 0);
        try (Sender sender = new Sender(exchange, kind)) {
            sender.send(list);
            sender.complete();
        }
    }

    /** The namespace of an object. Metadata has the same field number in all kinds. */
    private static String namespace(byte[] object) {
        try {
            return Pod.parseFrom(object).getMetadata().getNamespace();
        } catch (InvalidProtocolBufferException e) {
            throw new IllegalStateException(e);
        }
    }

    private void watch(HttpExchange exchange, ObjectKind kind, Map<String, String> query)
            throws IOException, InterruptedException {
        boolean streaming = query.containsKey("sendInitialEvents");
        StreamingLists served = streamingLists();
        if (streaming && served == StreamingLists.REFUSED) {
            answer(
                    exchange,
                    422,
                    Frames.envelope("Status", Frames.status(422, "Invalid", "sendInitialEvents is forbidden")));
            return;
        }
        List<byte[]> first = new ArrayList<>();
        long sent;
        long after = 0;
        boolean fails = false;
        synchronized (this) {
            Kind state = state(kind);
            if (streaming && served == StreamingLists.FAILED) {
                first.add(Frames.frame("ERROR", "Status", Frames.status(500, "InternalError", "the storage lacks it")));
                sent = state.serial;
            } else if (streaming && (served == StreamingLists.ENDED || served == StreamingLists.CUT)) {
                state.objects.values().stream()
                        .limit(state.objects.size() / 2)
                        .forEach(object -> first.add(Frames.frame("ADDED", "Object", object)));
                sent = state.serial;
            } else if (streaming && served == StreamingLists.SILENT) {
                sent = Long.MAX_VALUE;
            } else if (streaming) {
                state.objects.values().forEach(object -> first.add(Frames.frame("ADDED", "Object", object)));
                first.add(Frames.frame("BOOKMARK", "Object", Frames.bookmark(version, true)));
                sent = state.serial;
            } else {
                after = Long.parseLong(Objects.requireNonNull(query.get("resourceVersion"))) - repeated;
                sent = begin(state, after);
                fails = after <= state.unreadable;
            }
        }
        if (sent < 0 && !isGoneByEvent()) {
            answer(exchange, 410, gone());
            return;
        }
        exchange.sendResponseHeaders(200, 0);
        // Lets the client see the headers before the first event.
        exchange.getResponseBody().flush();
        count(kind, 1);
        try (Sender sender = new Sender(exchange, kind)) {
            for (byte[] frame : first) {
                sender.send(frame);
            }
            if (fails) {
                sender.send(unreadable());
                sender.complete();
            } else if (sent < 0) {
                sendGone(sender);
            } else if (streaming && served == StreamingLists.CUT) {
                throw new IOException("cut");
            } else if (streaming && (served == StreamingLists.FAILED || served == StreamingLists.ENDED)) {
                sender.complete();
            } else {
                follow(kind, sent, after, sender);
            }
        } finally {
            count(kind, -1);
        }
    }

    /** The serial of the last entry before the first event of a watch; -1 if that has expired. */
    private long begin(Kind state, long after) {
        if (after + repeated < state.compacted) {
            return -1;
        }
        long sent = state.forgotten;
        for (Logged each : state.log) {
            if (each.version <= after) {
                sent = each.serial;
            }
        }
        return sent;
    }

    private synchronized StreamingLists streamingLists() {
        return streamingLists;
    }

    private synchronized boolean isGoneByEvent() {
        return goneByEvent;
    }

    private static void sendGone(Sender sender) throws IOException {
        sender.send(Frames.frame("ERROR", "Status", Frames.status(410, "Expired", "too old")));
        sender.complete();
    }

    private synchronized int restores() {
        return restores;
    }

    private synchronized void count(ObjectKind kind, int more) {
        state(kind).openWatches += more;
    }

    private synchronized int begunWatch(ObjectKind kind) {
        return ++state(kind).watches;
    }

    /**
     * Sends events of later versions as they occur, until the watch is cut, an event that it needs is forgotten, or the
     * server goes back to an earlier state.
     */
    private void follow(ObjectKind kind, long from, long after, Sender sender)
            throws IOException, InterruptedException {
        int number = begunWatch(kind);
        long sent = from;
        int before = restores();
        while (true) {
            Logged event = null;
            byte[] injected;
            synchronized (this) {
                Kind state = state(kind);
                while (number <= state.muted && !closed) {
                    wait();
                }
                injected = injected(state, number);
                while (injected == null && event == null) {
                    if (closed || sender.mustCut()) {
                        throw new IOException("cut");
                    }
                    if (restores != before) {
                        sender.complete();
                        return;
                    }
                    if (state.forgotten > sent) {
                        break;
                    }
                    event = after(state, sent);
                    if (event != null && event.version <= after) {
                        sent = event.serial;
                        event = null;
                        continue;
                    }
                    if (event == null) {
                        wait();
                        if (number <= state.muted) {
                            break;
                        }
                        injected = injected(state, number);
                    }
                }
            }
            if (injected != null) {
                sender.send(injected);
            } else if (event != null) {
                sent = event.serial;
                sender.send(Frames.frame(event.type, "Object", event.object));
                if (endsWatches(kind)) {
                    sender.complete();
                    return;
                }
            } else if (!isMuted(kind, number)) {
                sendGone(sender);
                return;
            }
        }
    }

    private synchronized boolean endsWatches(ObjectKind kind) {
        return state(kind).endsWatches;
    }

    /** The injected bytes that the newest watch must send next. Clients may have left older watches. */
    private static byte @Nullable [] injected(Kind state, int watch) {
        return watch == state.watches ? state.injected.poll() : null;
    }

    private synchronized boolean isMuted(ObjectKind kind, int watch) {
        return watch <= state(kind).muted;
    }

    private static @Nullable Logged after(Kind state, long serial) {
        return state.log.stream()
                .filter(each -> each.serial > serial)
                .findFirst()
                .orElse(null);
    }

    /** Writes a response in pieces, and cuts it if requested. */
    private final class Sender implements AutoCloseable {
        private final OutputStream output;
        private final int cut;
        private int written;
        private boolean complete;

        Sender(HttpExchange exchange, ObjectKind kind) {
            output = exchange.getResponseBody();
            synchronized (ScriptedApiServer.this) {
                Integer next = state(kind).cuts.poll();
                cut = next == null ? Integer.MAX_VALUE : next;
            }
        }

        boolean mustCut() {
            return written >= cut;
        }

        void send(byte[] bytes) throws IOException {
            int from = 0;
            while (from < bytes.length) {
                int left = Math.min(bytes.length - from, cut - written);
                if (left <= 0) {
                    // The server closes the connection if a handler throws.
                    throw new IOException("cut");
                }
                IntUnaryOperator length;
                long pause;
                synchronized (ScriptedApiServer.this) {
                    length = pieces;
                    pause = pauseMillis;
                }
                pause(pause);
                int count = Math.max(1, Math.min(left, length.applyAsInt(left)));
                output.write(bytes, from, count);
                output.flush();
                from += count;
                written += count;
            }
        }

        private void pause(long millis) throws IOException {
            try {
                TimeUnit.MILLISECONDS.sleep(millis);
            } catch (InterruptedException e) {
                throw new IOException("the server is closed", e);
            }
        }

        /** Ends the response normally. */
        void complete() {
            complete = true;
        }

        @Override
        public void close() throws IOException {
            if (complete) {
                output.close();
            }
        }
    }

    /** Ends the connections and the server. */
    @Override
    public void close() {
        synchronized (this) {
            closed = true;
            notifyAll();
        }
        server.stop(0);
        threads.shutdownNow();
    }

    /** The kinds without any request yet. */
    synchronized Set<ObjectKind> untouched() {
        Set<ObjectKind> none = EnumSet.noneOf(ObjectKind.class);
        kinds.forEach((kind, state) -> {
            if (state.requests.isEmpty()) {
                none.add(kind);
            }
        });
        return none;
    }
}
