package io.evenkeel.placement.explain;

import com.google.protobuf.InvalidProtocolBufferException;
import io.evenkeel.engine.lock.StopSignal;
import io.evenkeel.engine.lock.StoppedException;
import io.evenkeel.engine.model.KindVersions;
import io.evenkeel.engine.skew.KnownWorkloads;
import io.evenkeel.engine.skew.WorkloadName;
import io.evenkeel.objects.IncomingPodTranslator;
import io.evenkeel.objects.Quotes;
import io.evenkeel.placement.answer.MessageHandler;
import io.evenkeel.placement.call.EngineAccess;
import io.evenkeel.placement.call.Limits;
import io.evenkeel.placement.call.Prepared;
import io.evenkeel.placement.call.RequestException;
import io.evenkeel.placement.call.SessionLookup;
import io.evenkeel.placement.call.Turns;
import io.evenkeel.placement.query.QueryServices;
import io.evenkeel.v1.Freshness;
import io.evenkeel.v1.ListSpreadRequest;
import io.evenkeel.v1.ListSpreadResponse;
import io.evenkeel.v1.SpreadOrder;
import io.evenkeel.v1.WorkloadSpread;
import java.lang.ref.SoftReference;
import java.util.Base64;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntConsumer;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Answers ListSpread: how the pods of workloads are spread. The last table of all workloads is kept, and answers until
 * the state changes. Thread-safe.
 */
public final class ListSpreadHandler extends MessageHandler<ListSpreadRequest, ListSpreadResponse> {
    private static final int DEFAULT_PAGE = 500;
    private static final int MAX_PAGE = 5_000;

    /** The default message size limit of Go clients, 4 MiB, minus the fields around the workloads. */
    private static final int MAX_BYTES = (4 << 20) - 4_096;

    /** The tag and the length of a workload. */
    private static final int BYTES_BEFORE_A_WORKLOAD = 6;

    /**
     * Roughly what a domain takes until it is written. A page has fewer, but lists are made before they are divided.
     */
    private static final int BYTES_OF_A_DOMAIN = 64;

    private final QueryServices services;
    private final IncomingPodTranslator translator;

    /** In which tables are made, so that concurrent calls share one. */
    private final Turns turns = new Turns("call another server");

    /** Soft, because a table of many workloads is large and can be made again. */
    private volatile @Nullable SoftReference<SpreadTable> kept;

    /** @param sessions finds the handler of the same method in a session */
    public ListSpreadHandler(QueryServices services, SessionLookup<ListSpreadHandler> sessions) {
        super(
                services.access(),
                ListSpreadRequest.parser(),
                ListSpreadRequest::getFreshness,
                ListSpreadRequest::getSession,
                sessions);
        this.services = services;
        translator = new IncomingPodTranslator(services.limits().pod());
    }

    @Override
    protected Prepared<ListSpreadResponse> prepare(ListSpreadRequest request) {
        services.reader().checkNames(request.getNamespacesList(), "namespaces");
        services.reader().checkWorkloads(request.getWorkloadsList(), "workloads");
        if (request.getIncludeDomains() && request.getWorkloadsCount() == 0) {
            throw RequestException.invalid("includeDomains", "must be unset unless workloads is set");
        }
        if (request.getMinSkew() < 0) {
            throw RequestException.invalid("minSkew", "must be at least 0, was " + request.getMinSkew());
        }
        if (request.getOrder() == SpreadOrder.UNRECOGNIZED) {
            throw RequestException.invalid("order", "must be a known order, was " + request.getOrderValue());
        }
        int size = Math.min(MAX_PAGE, Limits.orDefault(request.getPageSize(), DEFAULT_PAGE, "pageSize"));
        ListSpreadResponse after = request.getPageToken().isEmpty() ? null : read(request);
        return stop -> page(request, answering(request, after, stop), after, size);
    }

    /**
     * Sums up the present table, in this thread.
     *
     * @param most how many of the worst workloads are wanted
     * @return null if queries cannot be answered yet
     * @throws StoppedException soon after {@code stop} says so
     */
    public @Nullable SpreadSummary summary(int most, StopSignal stop) {
        return services.access().feeds().isReady()
                ? SpreadSummary.of(answering(Freshness.getDefaultInstance(), null, stop).table, most)
                : null;
    }

    /**
     * A table with the versions of its state, which are newer than the table's own if bookmarks have come since.
     *
     * @param versions must not be changed
     */
    private record Answering(SpreadTable table, KindVersions versions) {
        Answering(SpreadTable table) {
            this(table, table.versions);
        }
    }

    /** What answers a request: a table of the workloads of the request if it wants domains, otherwise of all. */
    private Answering answering(ListSpreadRequest request, @Nullable ListSpreadResponse after, StopSignal stop) {
        if (request.getIncludeDomains()) {
            Set<WorkloadName> named = named(request);
            Set<String> namespaces = named.stream().map(WorkloadName::namespace).collect(Collectors.toSet());
            return new Answering(survey(known(), namespaces::contains, named::contains, stop));
        }
        return answering(request.getFreshness(), after, stop);
    }

    private Answering answering(Freshness demanded, @Nullable ListSpreadResponse after, StopSignal stop) {
        return turns.take(stop, () -> {
            SpreadTable known = known();
            Answering answering = known == null ? null : ifAnswering(known, demanded, after);
            if (answering == null) {
                known = survey(known, namespace -> true, workload -> false, stop);
                kept = new SoftReference<>(known);
                answering = new Answering(known);
            }
            return answering;
        });
    }

    private static Set<WorkloadName> named(ListSpreadRequest request) {
        return request.getWorkloadsList().stream().map(PodOwner::named).collect(Collectors.toSet());
    }

    private @Nullable SpreadTable known() {
        SoftReference<SpreadTable> reference = kept;
        return reference == null ? null : reference.get();
    }

    /** @param known a table of an earlier state */
    private SpreadTable survey(
            @Nullable SpreadTable known, Predicate<String> namespaces, Predicate<WorkloadName> lists, StopSignal stop) {
        StoredPodReader reader = new StoredPodReader(
                translator, services.reader(), known == null ? StoredPodReader.Readings.NONE : known.readings);
        return new SpreadTable(
                services.access()
                        .engine()
                        .survey(
                                reader,
                                namespaces,
                                known == null ? KnownWorkloads.NONE : known.known,
                                lists,
                                listing(),
                                stop),
                reader);
    }

    /** Bounds the domains that are listed together. */
    private IntConsumer listing() {
        long most = services.limits().responseBytes() / BYTES_OF_A_DOMAIN;
        AtomicLong listed = new AtomicLong();
        return domains -> {
            if (listed.addAndGet(domains) > most) {
                throw RequestException.overLimit(
                        "includeDomains",
                        "must be unset for workloads whose constraints have more than " + most
                                + " eligible domains together; name fewer workloads");
            }
        };
    }

    /** A table if it is of the present state, or has the pages before the one that is wanted; otherwise null. */
    private @Nullable Answering ifAnswering(SpreadTable known, Freshness demanded, @Nullable ListSpreadResponse after) {
        EngineAccess access = services.access();
        if (after != null
                && demanded.equals(Freshness.getDefaultInstance())
                && after.getRevision().equals(access.revision(known.revision))) {
            return new Answering(known);
        }
        // A bookmark raises the versions of the state, but not its revision. If the revision is still that of the table
        // after they were read, they are of its state.
        KindVersions versions =
                EngineAccess.needsVersions(demanded) ? access.engine().versions() : known.versions;
        return known.revision == access.engine().revision() ? new Answering(known, versions) : null;
    }

    private ListSpreadResponse page(
            ListSpreadRequest request, Answering answering, @Nullable ListSpreadResponse after, int size) {
        SpreadTable table = answering.table;
        for (int i = 0; i < request.getNamespacesCount(); i++) {
            if (!table.namespaces.contains(request.getNamespaces(i))) {
                throw RequestException.invalid(
                        "namespaces[" + i + "]",
                        "must be a namespace that has pods, was " + Quotes.quoted(request.getNamespaces(i)));
            }
        }
        ListSpreadResponse.Builder response =
                ListSpreadResponse.newBuilder().setRevision(services.access().revision(table.revision));
        response.addAllResourceVersions(services.access().versionsFor(answering.versions, request.getFreshness()));
        Set<String> namespaces = new HashSet<>(request.getNamespacesList());
        Set<WorkloadName> workloads = named(request);
        SpreadRow last = after == null ? null : new SpreadRow(after.getWorkloads(0));
        long bytes = 0;
        for (SpreadRow row : table.in(request.getOrder())) {
            if (row.skew < request.getMinSkew()
                    || request.getViolatedOnly() && !row.isViolated()
                    || !namespaces.isEmpty() && !namespaces.contains(row.name.namespace())
                    || !workloads.isEmpty() && !workloads.contains(row.name)
                    || last != null && !SpreadTable.isAfter(row, last, request.getOrder())) {
                continue;
            }
            WorkloadSpread each = row.message();
            bytes += each.getSerializedSize() + BYTES_BEFORE_A_WORKLOAD;
            // An empty page would cause an endless listing.
            if (response.getWorkloadsCount() == size || response.getWorkloadsCount() > 0 && bytes > MAX_BYTES) {
                return response.setNextPageToken(token(request, response)).build();
            }
            if (bytes > services.limits().responseBytes()) {
                throw RequestException.overLimit(
                        "includeDomains",
                        "must be unset, because one workload would take more than "
                                + services.limits().responseBytes() + " bytes");
            }
            response.addWorkloads(each);
        }
        return response.build();
    }

    /**
     * A page token: the revision, what decides on the place of the last workload of the page, and a checksum of the
     * request.
     */
    private static String token(ListSpreadRequest request, ListSpreadResponse.Builder page) {
        WorkloadSpread workload = page.getWorkloads(page.getWorkloadsCount() - 1).toBuilder()
                .clearTemplates()
                .build();
        return Base64.getUrlEncoder()
                .withoutPadding()
                .encodeToString(ListSpreadResponse.newBuilder()
                        .setRevision(page.getRevision())
                        .addWorkloads(workload)
                        .setNextPageToken(checksum(request))
                        .build()
                        .toByteArray());
    }

    /** Of all fields that must be the same for all pages. */
    private static String checksum(ListSpreadRequest request) {
        CRC32C sum = new CRC32C();
        sum.update(request.toBuilder().clearPageToken().build().toByteArray());
        return Long.toHexString(sum.getValue());
    }

    private static ListSpreadResponse read(ListSpreadRequest request) {
        try {
            ListSpreadResponse after =
                    ListSpreadResponse.parseFrom(Base64.getUrlDecoder().decode(request.getPageToken()));
            if (after.hasRevision()
                    && after.getWorkloadsCount() == 1
                    && after.getNextPageToken().equals(checksum(request))) {
                return after;
            }
        } catch (IllegalArgumentException | InvalidProtocolBufferException e) {
            // Not base64, or not what was encoded.
        }
        throw RequestException.invalid(
                "pageToken", "must be a nextPageToken of a ListSpreadResponse, with all other fields as for its page");
    }
}
