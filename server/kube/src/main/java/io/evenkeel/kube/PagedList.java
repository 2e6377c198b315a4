package io.evenkeel.kube;

import io.evenkeel.kube.client.AnswerListener;
import io.evenkeel.kube.client.ApiException;
import io.evenkeel.kube.client.MalformedAnswerException;
import io.evenkeel.placement.call.ResourceVersionReader;
import java.io.IOException;

/**
 * Reads a list from an API server in pages or, if a page has expired, again in one piece. If a later page fails or is
 * truncated, it is requested again with the same token. It then contains the same objects, so those received before the
 * failure are repeated.
 */
final class PagedList {
    static final String PROTOBUF = "application/vnd.kubernetes.protobuf";
    private static final int PAGE_SIZE = 2_000;

    /** A page of a list has expired, so the list must start over. */
    private static final class ExpiredPageException extends IOException {
        private static final long serialVersionUID = 1;

        ExpiredPageException(ApiException cause) {
            super(cause);
        }
    }

    private final SharedClient client;
    private final String path;
    private final AnswerListener begun;
    private final AnswerListener hasMore;
    private final ListReader.Items items;
    private final PageRetry retry;

    /**
     * @param path the path of the objects
     * @param begun is called for the response with the first page, each time the list begins
     * @param hasMore is called for each response with a later page; when it is given up, retries stop waiting
     */
    PagedList(
            SharedClient client,
            String path,
            AnswerListener begun,
            AnswerListener hasMore,
            ListReader.Items items,
            PageRetry retry) {
        this.client = client;
        this.path = path;
        this.begun = begun;
        this.hasMore = hasMore;
        this.items = items;
        this.retry = retry;
    }

    /** The API server's current version, from a list limited to one object. 0 if it sends none. */
    static long version(SharedClient client, String path) throws IOException, InterruptedException {
        ListReader reader = new ListReader((bytes, from, to) -> {});
        client.stream(path + "?limit=1", PROTOBUF, () -> {}, reader);
        return ResourceVersionReader.parse(reader.resourceVersion());
    }

    /** Reads the list, and returns its version. */
    long read() throws IOException, InterruptedException {
        try {
            return read(PAGE_SIZE);
        } catch (ExpiredPageException e) {
            return read(0);
        }
    }

    /** @param size how many objects a page has; 0 for all */
    private long read(int size) throws IOException, InterruptedException {
        String query = path + (size == 0 ? "" : "?limit=" + size);
        ListReader page = new ListReader(items);
        client.stream(query, PROTOBUF, begun, page);
        while (!page.continuation().isEmpty()) {
            page = further(query + "&continue=" + ApiResource.encoded(page.continuation()));
        }
        String resourceVersion = page.resourceVersion();
        if (!ResourceVersionReader.isValid(resourceVersion)) {
            throw new MalformedAnswerException(
                    "the resourceVersion of a list " + ResourceVersionReader.wrong(resourceVersion));
        }
        return ResourceVersionReader.parse(resourceVersion);
    }

    private ListReader further(String query) throws IOException, InterruptedException {
        while (true) {
            ListReader page = new ListReader(items);
            try {
                client.stream(query, PROTOBUF, hasMore, page);
                retry.pageCame();
                return page;
            } catch (IOException e) {
                if (e instanceof ApiException api && api.isGone()) {
                    throw new ExpiredPageException(api);
                }
                retry.waitAfter(e, hasMore.givenUp());
            }
        }
    }
}
