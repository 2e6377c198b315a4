package io.evenkeel.placement.query;

import com.google.protobuf.DiscardUnknownFieldsParser;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Parser;
import com.google.protobuf.UnsafeByteOperations;
import io.evenkeel.engine.lock.StopSignal;
import io.evenkeel.objects.WireCursor;
import io.evenkeel.placement.call.Limits;
import io.evenkeel.v1.DefaultConstraints;
import io.evenkeel.v1.Freshness;
import io.evenkeel.v1.WhatIfCase;
import io.evenkeel.v1.WhatIfRequest;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads WhatIf requests from their bytes, without parsing them into messages, because a request may refer to very many
 * pods. If anything in the bytes is unusual, the generated parser reads the whole request and reports any error.
 * Thread-safe.
 */
public final class CaseReader {
    private static final int POD = WireCursor.delimited(WhatIfRequest.POD_FIELD_NUMBER);
    private static final int CASES = WireCursor.delimited(WhatIfRequest.CASES_FIELD_NUMBER);
    private static final int DEFAULTS = WireCursor.delimited(WhatIfRequest.DEFAULTS_FIELD_NUMBER);
    private static final int FRESHNESS = WireCursor.delimited(WhatIfRequest.FRESHNESS_FIELD_NUMBER);
    private static final int SESSION = WireCursor.delimited(WhatIfRequest.SESSION_FIELD_NUMBER);
    private static final int RULES = WireCursor.varint(WhatIfRequest.RULES_FIELD_NUMBER);
    private static final int NODE = WireCursor.delimited(WhatIfCase.NODE_FIELD_NUMBER);
    private static final int OVERLAY = WireCursor.delimited(WhatIfCase.OVERLAY_FIELD_NUMBER);

    private static final Parser<WhatIfRequest> REQUESTS = DiscardUnknownFieldsParser.wrap(WhatIfRequest.parser());
    private static final Parser<DefaultConstraints> CONSTRAINTS =
            DiscardUnknownFieldsParser.wrap(DefaultConstraints.parser());
    private static final Parser<Freshness> DEMANDS = DiscardUnknownFieldsParser.wrap(Freshness.parser());

    private final PodPlans plans;
    private final Limits limits;

    public CaseReader(PodPlans plans, Limits limits) {
        this.plans = plans;
        this.limits = limits;
    }

    /**
     * Reads a request.
     *
     * @param stop called once per case
     * @throws InvalidProtocolBufferException if the bytes are malformed
     */
    public CaseQuery read(byte[] bytes, StopSignal stop) throws InvalidProtocolBufferException {
        CaseQuery query = walk(bytes, stop);
        if (query != null) {
            return query;
        }
        // The generated parser rejects the bytes, or merges messages that are split into several pieces.
        byte[] merged = REQUESTS.parseFrom(bytes).toByteArray();
        query = walk(merged, stop);
        if (query == null) {
            throw new InvalidProtocolBufferException("the request is malformed");
        }
        return query;
    }

    private @Nullable CaseQuery walk(byte[] bytes, StopSignal stop) {
        try {
            return new Walk(new WireCursor(bytes, 0, bytes.length), stop).query();
        } catch (InvalidProtocolBufferException e) {
            return null;
        }
    }

    /** Reads the bytes of one request field by field. */
    private final class Walk {
        private final WireCursor wire;
        private final StopSignal stop;
        private final List<CaseQuery.Case> cases = new ArrayList<>();
        private int caseCount;
        private int podCount;

        Walk(WireCursor wire, StopSignal stop) {
            this.wire = wire;
            this.stop = stop;
        }

        /** The query; null if the generated parser must read the request. */
        @Nullable
        CaseQuery query() throws InvalidProtocolBufferException {
            PodPlans.Requested pod = null;
            DefaultConstraints defaults = null;
            Freshness freshness = null;
            String session = "";
            int rules = 0;
            while (wire.next()) {
                int tag = wire.tag();
                if (tag == POD && pod == null) {
                    int outer = wire.enter();
                    pod = plans.ask(wire);
                    wire.leave(outer);
                } else if (tag == CASES) {
                    scanCase();
                } else if (tag == DEFAULTS && defaults == null) {
                    defaults = message(CONSTRAINTS);
                } else if (tag == FRESHNESS && freshness == null) {
                    freshness = message(DEMANDS);
                } else if (tag == SESSION) {
                    session = wire.readText();
                } else if (tag == RULES) {
                    rules = (int) wire.readVarint();
                } else if (tag == POD || tag == DEFAULTS || tag == FRESHNESS) {
                    return null;
                } else {
                    wire.skip();
                }
            }
            return new CaseQuery(
                    pod,
                    cases,
                    caseCount,
                    podCount,
                    defaults == null ? DefaultConstraints.getDefaultInstance() : defaults,
                    freshness == null ? Freshness.getDefaultInstance() : freshness,
                    session,
                    rules,
                    UnsafeByteOperations.unsafeWrap(wire.bytes()));
        }

        /** Reads a case. Beyond the limits, only counts it, because the request will be rejected. */
        private void scanCase() throws InvalidProtocolBufferException {
            stop.check();
            if (caseCount++ >= limits.cases() || podCount > limits.names()) {
                wire.skip();
                return;
            }
            String node = "";
            OverlayReader overlay = null;
            int outer = wire.enter();
            while (wire.next()) {
                if (wire.tag() == NODE) {
                    node = wire.readText();
                } else if (wire.tag() == OVERLAY) {
                    overlay = overlay == null ? new OverlayReader(limits.pod().entries()) : overlay;
                    int within = wire.enter();
                    overlay.scan(wire);
                    wire.leave(within);
                } else {
                    wire.skip();
                }
            }
            wire.leave(outer);
            OverlayReader.Read read = overlay == null ? OverlayReader.Read.NONE : overlay.finish();
            podCount += read.overlay().without().size() + read.overlay().added().size();
            cases.add(new CaseQuery.Case(node, read));
        }

        private <M> M message(Parser<M> parser) throws InvalidProtocolBufferException {
            wire.readBytes();
            return parser.parseFrom(wire.bytes(), wire.from(), wire.position() - wire.from());
        }
    }
}
