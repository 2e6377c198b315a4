package io.evenkeel.kube;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The client that the feeds of all kinds use. Where its credentials fail, a new one takes its place; the old one stays
 * open for as long as a request that it carries is under way. Safe for use by several threads.
 */
final class SharedClient implements AutoCloseable {
    /** A client, and how many requests use it. */
    private static final class Lease {
        private final KubeClient client;
        private int users;

        Lease(KubeClient client) {
            this.client = client;
        }
    }

    private final ClusterAccess access;
    private final List<Lease> open = new ArrayList<>();
    private @Nullable Lease current;
    private boolean closed;

    SharedClient(ClusterAccess access) {
        this.access = access;
    }

    /** As {@link KubeClient#stream}. */
    void stream(String path, String accept, Runnable opened, BodyReader body)
            throws IOException, InterruptedException, ConfigurationException {
        Lease lease = take();
        boolean renew = false;
        try {
            lease.client.stream(path, accept, opened, body);
        } catch (IOException e) {
            renew = Problems.mayComeFromOldCredentials(e);
            throw e;
        } finally {
            giveBack(lease, renew);
        }
    }

    private synchronized Lease take() throws IOException, ConfigurationException {
        if (closed) {
            throw new IOException("the feed was closed");
        }
        Lease lease = current;
        if (lease == null) {
            lease = new Lease(access.open());
            current = lease;
            open.add(lease);
        }
        lease.users++;
        return lease;
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

    /** Ends the requests under way. */
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
