package io.evenkeel.kube;

import io.evenkeel.kube.client.AnswerListener;
import io.evenkeel.kube.client.BodyReader;
import io.evenkeel.kube.client.ClusterAccess;
import io.evenkeel.kube.client.KubeClient;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A long-lived client that several threads share. If its credentials fail, a new one replaces it; the old one stays
 * open while it still has requests. Thread-safe.
 */
public final class SharedClient implements AutoCloseable {
    /** A client, and how many requests use it. */
    private static final class Lease {
        private final KubeClient client;
        private int users;

        Lease(KubeClient client) {
            this.client = client;
        }
    }

    private final ClusterAccess access;

    /** Held while a client is opened, which may take long. Only threads that need a new client wait for it. */
    private final Object opening = new Object();

    private final List<Lease> open = new ArrayList<>();
    private @Nullable Lease current;
    private boolean closed;

    /** Does not connect yet. */
    public SharedClient(ClusterAccess access) {
        this.access = access;
    }

    /** The URL of the API server, for messages and logs. */
    String server() {
        return access.server();
    }

    /** An operation on a client. */
    private interface Use<T> {
        T by(KubeClient client) throws IOException, InterruptedException;
    }

    /** Same as {@link KubeClient#stream}. */
    public void stream(String path, String accept, AnswerListener listener, BodyReader body)
            throws IOException, InterruptedException {
        BodyReader unused = use(client -> {
            client.stream(path, accept, listener, body);
            return body;
        });
    }

    /** Same as {@link KubeClient#get}. */
    public byte[] get(String path, String accept) throws IOException, InterruptedException {
        return use(client -> client.get(path, accept));
    }

    /** Same as {@link KubeClient#put}. */
    public byte[] put(String path, String mediaType, String body) throws IOException, InterruptedException {
        return use(client -> client.put(path, mediaType, body));
    }

    /** Same as {@link KubeClient#post}. */
    public byte[] post(String path, String mediaType, byte[] body) throws IOException, InterruptedException {
        return use(client -> client.post(path, mediaType, body));
    }

    private <T> T use(Use<T> use) throws IOException, InterruptedException {
        Lease lease = take();
        boolean renew = false;
        try {
            return use.by(lease.client);
        } catch (IOException e) {
            renew = FailureText.mayComeFromOldCredentials(e) || lease.client.mayShowOldCertificate();
            throw e;
        } finally {
            giveBack(lease, renew);
        }
    }

    private Lease take() throws IOException {
        Lease lease = takeCurrent();
        if (lease != null) {
            return lease;
        }
        synchronized (opening) {
            lease = takeCurrent();
            return lease == null ? takeNew(access.open()) : lease;
        }
    }

    private synchronized @Nullable Lease takeCurrent() throws IOException {
        requireOpen();
        Lease lease = current;
        if (lease != null) {
            lease.users++;
        }
        return lease;
    }

    private synchronized Lease takeNew(KubeClient client) throws IOException {
        try {
            requireOpen();
        } catch (IOException e) {
            client.close();
            throw e;
        }
        Lease lease = new Lease(client);
        lease.users++;
        current = lease;
        open.add(lease);
        return lease;
    }

    private void requireOpen() throws IOException {
        if (closed) {
            throw new IOException("the client was closed");
        }
    }

    private synchronized void giveBack(Lease lease, boolean renew) {
        lease.users--;
        if (renew && current == lease) {
            current = null;
        }
        if (lease.users == 0 && current != lease && open.remove(lease)) {
            lease.client.close();
        }
    }

    /** Cancels all open requests. */
    @Override
    public void close() {
        List<Lease> closing;
        synchronized (this) {
            closed = true;
            closing = List.copyOf(open);
            open.clear();
        }
        closing.forEach(lease -> lease.client.close());
    }
}
