package io.evenkeel.kube;

import io.evenkeel.placement.call.ResourceVersions;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;

/** Reads lists of an API server in pages or, where a page is too old, once more in one piece. */
final class PagedList {
    private static final String PROTOBUF = "application/vnd.kubernetes.protobuf";
    private static final int PAGE_SIZE = 2_000;

    /** A page of a list is too old: it must begin anew. */
    private static final class ExpiredPageException extends IOException {
        private static final long serialVersionUID = 1;

        ExpiredPageException(ApiException cause) {
            super(cause);
        }
    }

    private final SharedClient client;
    private final String path;
    private final AnswerListener begun;
    private final ListReader.Items items;

    /**
     * @param path the path of the objects
     * @param begun hears of the answer with the first page, each time when the list begins
     */
    PagedList(SharedClient client, String path, AnswerListener begun, ListReader.Items items) {
        this.client = client;
        this.path = path;
        this.begun = begun;
        this.items = items;
    }

    /** The version that the API server is at: that of a list, of which it sends one object. 0 where it tells none. */
    static long version(SharedClient client, String path)
            throws IOException, InterruptedException, ConfigurationException {
        ListReader reader = new ListReader((bytes, from, to) -> {});
        client.stream(path + "?limit=1", PROTOBUF, () -> {}, reader);
        return ResourceVersions.parse(reader.resourceVersion());
    }

    /** Reads the list, and returns its version. */
    long read() throws IOException, InterruptedException, ConfigurationException {
        try {
            return read(PAGE_SIZE);
        } catch (ExpiredPageException e) {
            return read(0);
        }
    }

    /** @param size how many objects a page has; 0 for all */
    private long read(int size) throws IOException, InterruptedException, ConfigurationException {
        String resourceVersion = "";
        String continuation = "";
        do {
            boolean isFirst = continuation.isEmpty();
            ListReader reader = new ListReader(items);
            String query = (size == 0 ? "" : "?limit=" + size)
                    + (isFirst ? "" : "&continue=" + URLEncoder.encode(continuation, StandardCharsets.UTF_8));
            try {
                client.stream(path + query, PROTOBUF, isFirst ? begun : () -> {}, reader);
            } catch (ApiException e) {
                if (e.isGone() && !isFirst) {
                    throw new ExpiredPageException(e);
                }
                throw e;
            }
            resourceVersion = reader.resourceVersion();
            continuation = reader.continuation();
        } while (!continuation.isEmpty());
        if (!ResourceVersions.isValid(resourceVersion)) {
            throw new MalformedAnswerException(
                    "the resourceVersion of a list " + ResourceVersions.wrong(resourceVersion));
        }
        return ResourceVersions.parse(resourceVersion);
    }
}
