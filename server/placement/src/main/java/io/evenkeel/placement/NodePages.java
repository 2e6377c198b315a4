package io.evenkeel.placement;

import io.evenkeel.engine.cluster.NodeNameTable;
import io.evenkeel.placement.call.EngineAccess;
import io.evenkeel.placement.call.Limits;
import io.evenkeel.placement.call.NodeTableTokens;
import io.evenkeel.placement.call.RequestException;
import io.evenkeel.v1.ListNodesRequest;
import io.evenkeel.v1.ListNodesResponse;
import io.evenkeel.v1.NodeRun;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/**
 * Lists the nodes in pages, without keeping state between pages: a page token contains all that the next page needs.
 *
 * <pre>
 *   what a caller has           the names of all indexes below {@code next}, as of {@code move} or later
 *   what a page adds            the indexes below {@code next} that moved since, then those from {@code next} on
 *   a listing of changes        starts with every index (next = ALL) at the revision that the caller knows
 *   a listing of the whole table starts with no index (next = 0) at the current revision
 * </pre>
 *
 * If the moves since then are no longer known, a page restarts with a listing of the whole table.
 */
final class NodePages {
    /** The maximum number of names per page. With names of the maximum length, a page stays within its byte limit. */
    static final int MAX_NAMES = 16_000;

    /** The default message size limit of Go clients, 4 MiB, minus the fields around the runs. */
    private static final int MAX_BYTES = (4 << 20) - 1_024;

    private static final int BYTES_OF_A_RUN = 11;
    private static final int BYTES_BEFORE_A_NAME = 4;
    private static final int PARTS = 3;
    private static final int ALL = Integer.MAX_VALUE;

    /** Longer than any token of this server. */
    private static final int MAX_TOKEN_BYTES = 256;

    private static final Base64.Encoder ENCODER = Base64.getUrlEncoder().withoutPadding();

    private final EngineAccess access;
    private final NodeTableTokens tokens;

    NodePages(EngineAccess access) {
        this.access = access;
        this.tokens = access.tokens();
    }

    /** What a caller has so far. */
    private record Listed(long move, int next) {}

    ListNodesResponse page(ListNodesRequest request) {
        int most = Math.min(MAX_NAMES, Limits.orDefault(request.getPageSize(), MAX_NAMES, "pageSize"));
        long known = tokens.revision(request.getKnownNodeTableToken());
        Listed before = request.getPageToken().isEmpty() ? new Listed(known, ALL) : read(request.getPageToken(), known);
        NodeNameTable names = access.engine().nodeNames();
        ListNodesResponse.Builder response = ListNodesResponse.newBuilder();
        if (!names.knowsSince(before.move)) {
            before = new Listed(names.revision(), 0);
            response.setWhole(true);
        }
        Page page = new Page(names, most);
        Listed now = page.fill(before);
        page.writeTo(response);
        if (now.move == names.revision() && now.next >= names.limit()) {
            response.setNodeTableToken(tokens.of(names.revision()));
        } else {
            response.setNextPageToken(write(now, known));
        }
        return response.build();
    }

    /**
     * A page token: the token of the node table at the move, the revision that the caller knew initially, and the next
     * index.
     */
    private String write(Listed listed, long known) {
        String text = tokens.of(listed.move) + "/" + known + "/" + listed.next;
        return ENCODER.encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }

    private Listed read(String pageToken, long known) {
        if (pageToken.length() > MAX_TOKEN_BYTES) {
            // Its parts could take many times the memory of the request.
            throw wrongPageToken();
        }
        try {
            String[] parts =
                    new String(Base64.getUrlDecoder().decode(pageToken), StandardCharsets.UTF_8).split("/", -1);
            long move = tokens.revision(parts[0]);
            int next = parts.length == PARTS ? Integer.parseInt(parts[2]) : -1;
            if (move != NodeTableTokens.FOREIGN && next >= 0) {
                if (Long.parseLong(parts[1]) != known) {
                    throw RequestException.invalid(
                            "knownNodeTableToken", "must be the same as for the first page if pageToken is set");
                }
                return new Listed(move, next);
            }
        } catch (IllegalArgumentException e) {
            // Not base64, or not numbers.
        }
        throw wrongPageToken();
    }

    private static RequestException wrongPageToken() {
        return RequestException.invalid("pageToken", "must be a nextPageToken from this server");
    }

    /** The names of one page, by index. */
    private static final class Page {
        private final NodeNameTable names;
        private final int maxNames;
        private final TreeMap<Integer, String> taken = new TreeMap<>();
        private int bytes;

        Page(NodeNameTable names, int maxNames) {
            this.names = names;
            this.maxNames = maxNames;
        }

        /** Adds missing names as far as there is room. Returns what the caller then has. */
        Listed fill(Listed before) {
            for (long move = before.move; move < names.revision(); move++) {
                int index = names.movedIndex(move);
                if (index < before.next && !take(index)) {
                    return new Listed(move, before.next);
                }
            }
            int next = before.next;
            while (next < names.limit() && (names.name(next) == null || take(next))) {
                next++;
            }
            return new Listed(names.revision(), next);
        }

        /** Returns false if there is no room. */
        private boolean take(int index) {
            if (taken.containsKey(index)) {
                return true;
            }
            byte[] name = names.encodedName(index);
            int more = BYTES_BEFORE_A_NAME + (name == null ? 0 : name.length);
            boolean together = taken.containsKey(index - 1);
            more += together ? 0 : BYTES_OF_A_RUN;
            // An empty page would cause an endless listing.
            if (!taken.isEmpty() && (taken.size() == maxNames || bytes + more > MAX_BYTES)) {
                return false;
            }
            taken.put(index, Objects.requireNonNullElse(names.name(index), ""));
            bytes += more;
            return true;
        }

        void writeTo(ListNodesResponse.Builder response) {
            NodeRun.Builder run = null;
            int next = 0;
            for (Map.Entry<Integer, String> each : taken.entrySet()) {
                if (run == null || each.getKey() != next) {
                    run = response.addRunsBuilder().setFirstIndex(each.getKey());
                }
                run.addNames(each.getValue());
                next = each.getKey() + 1;
            }
        }
    }
}
