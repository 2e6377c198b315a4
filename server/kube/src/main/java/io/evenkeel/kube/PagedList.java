package io.evenkeel.kube;

import io.evenkeel.placement.call.ResourceVersions;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;

/**
 * Reads lists of an API server in pages or, where a page is too old, once more in one piece. A further page that does
 * not come, or not whole, is asked for again with the same token: it has the same objects, and those that came before
 * the failure come a second time.
 */
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
    private final AnswerListener goesOn;
    private final ListReader.Items items;
    private final PageRetry retry;

    /**
     * @param path the path of the objects
     * @param begun hears of the answer with the first page, each time when the list begins
     * @param goesOn hears of each answer with a further page; where it is given up, no page is waited for
     */
    PagedList(
            SharedClient client,
            String path,
            AnswerListener begun,
            AnswerListener goesOn,
            ListReader.Items items,
            PageRetry retry) {
        this.client = client;
        this.path = path;
        this.begun = begun;
        this.goesOn = goesOn;
        this.items = items;
        this.retry = retry;
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
        String query = path + (size == 0 ? "" : "?limit=" + size);
        ListReader page = new ListReader(items);
        client.stream(query, PROTOBUF, begun, page);
        while (!page.continuation().isEmpty()) {
            page = further(query + "&continue=" + URLEncoder.encode(page.continuation(), StandardCharsets.UTF_8));
        }
        String resourceVersion = page.resourceVersion();
        if (!ResourceVersions.isValid(resourceVersion)) {
            throw new MalformedAnswerException(
                    "the resourceVersion of a list " + ResourceVersions.wrong(resourceVersion));
        }
        return ResourceVersions.parse(resourceVersion);
    }

    private ListReader further(String query) throws IOException, InterruptedException, ConfigurationException {
        while (true) {
            ListReader page = new ListReader(items);
            try {
                client.stream(query, PROTOBUF, goesOn, page);
                retry.pageCame();
                return page;
            } catch (IOException e) {
                if (e instanceof ApiException api && api.isGone()) {
                    throw new ExpiredPageException(api);
                }
                retry.waitAfter(e, goesOn.givenUp());
            }
        }
    }
}
