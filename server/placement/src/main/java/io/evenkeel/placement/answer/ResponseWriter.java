package io.evenkeel.placement.answer;

import io.evenkeel.engine.answer.Answer;
import io.evenkeel.engine.model.PodKey;
import io.evenkeel.objects.UnjudgedRules;
import io.evenkeel.objects.WireOutput;
import io.evenkeel.placement.call.EngineAccess;
import io.evenkeel.placement.query.PodReferences;
import io.evenkeel.v1.EvaluateResponse;
import io.evenkeel.v1.KindVersion;
import io.evenkeel.v1.PodAnswer;
import io.evenkeel.v1.Revision;
import java.util.List;
import java.util.Objects;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Writes a response: first the answers of the plans, as the engine computes them, then the fields around them.
 * FilterResponse and ScoreResponse have the same fields as EvaluateResponse. Not thread-safe.
 */
final class ResponseWriter {
    private static final int SHORT = 64;

    private final ResponseForm form;
    private final WireOutput out;
    private final int[] unjudged;

    /** For each plan: the start and the exclusive end of its answer. */
    private final int[] bounds;

    /** For each plan: the part of its answer that is yet to be written, or null. */
    private final ResponseForm.@Nullable Draft[] drafts;

    private int expected;

    /** @param unjudged for each plan, the rules that are not judged for its pods; see {@link UnjudgedRules} */
    ResponseWriter(ResponseForm form, int[] unjudged, WireOutput out) {
        int plans = unjudged.length;
        this.form = form;
        this.unjudged = unjudged;
        this.out = out;
        this.bounds = new int[2 * plans];
        this.drafts = new ResponseForm.Draft[plans];
    }

    /**
     * Adds the answer of the plan at index {@code plan}. A second answer of the same plan replaces the first. The
     * engine's lock is held during this call.
     */
    void take(Answer answer, int plan) {
        int begin = out.size();
        expected = (int) Math.min(Integer.MAX_VALUE, form.bytes(answer.names().limit()));
        out.open(EvaluateResponse.ANSWERS_FIELD_NUMBER, expected);
        ResponseForm.Draft rest = form.write(answer, unjudged[plan], out);
        out.close();
        drafts[plan] = rest;
        if (rest != null) {
            out.cutTo(begin);
        } else if (out.size() - begin <= bounds[2 * plan + 1] - bounds[2 * plan]) {
            // The new answer overwrites the old one. Otherwise a response computed while the cluster changes would
            // take several times its size.
            bounds[2 * plan + 1] = out.moveTo(bounds[2 * plan], begin);
            return;
        }
        bounds[2 * plan] = begin;
        bounds[2 * plan + 1] = out.size();
    }

    private void writeDrafts() {
        for (int plan = 0; plan < drafts.length; plan++) {
            ResponseForm.Draft draft = drafts[plan];
            if (draft != null) {
                bounds[2 * plan] = out.size();
                out.open(EvaluateResponse.ANSWERS_FIELD_NUMBER, expected);
                draft.write(out);
                out.close();
                bounds[2 * plan + 1] = out.size();
            }
        }
    }

    /** Writes the indexes of the best nodes. */
    static void writeBest(int field, Answer answer, WireOutput out) {
        if (answer.bestCount() > 0) {
            out.open(field, ResponseForm.BYTES_AN_INDEX * answer.bestCount());
            for (int rank = 0; rank < answer.bestCount(); rank++) {
                out.varint(answer.best(rank));
            }
            out.close();
        }
    }

    /** Writes the rules that are not judged, if there are any. */
    static void writeUnjudged(int field, int rules, WireOutput out) {
        if (rules != 0) {
            out.open(field, Integer.bitCount(rules));
            UnjudgedRules.list(rules).forEach(rule -> out.varint(rule.getNumber()));
            out.close();
        }
    }

    static void writeRevision(int field, EngineAccess access, long counter, WireOutput out) {
        out.open(field, SHORT);
        out.text(Revision.INSTANCE_FIELD_NUMBER, access.instance());
        out.number(Revision.COUNTER_FIELD_NUMBER, counter);
        out.text(Revision.SESSION_FIELD_NUMBER, access.session());
        out.close();
    }

    /**
     * Returns the response.
     *
     * @param access provides the instance and the tokens of node tables
     * @param plans for each pod the index of its plan, or -1 if the pod was rejected
     * @param refusals returns the answer of a rejected pod, by the pod's index
     * @param knownTable the token of the node table that the caller knows; null if it does not ask for changes
     * @param versions the resource versions to report
     * @param unknownPods the pods that the overlay refers to but the cluster does not have
     */
    ResponseBytes finish(
            EngineAccess access,
            Answer answer,
            int[] plans,
            IntFunction<@Nullable PodAnswer> refusals,
            @Nullable String knownTable,
            List<KindVersion> versions,
            List<PodKey> unknownPods) {
        writeDrafts();
        ResponseBytes response = new ResponseBytes(out, plans.length + 2);
        int head = out.size();
        writeRevision(EvaluateResponse.REVISION_FIELD_NUMBER, access, answer.revision(), out);
        out.text(
                EvaluateResponse.NODE_TABLE_TOKEN_FIELD_NUMBER,
                access.tokens().encoded(answer.names().revision()));
        response.add(head, out.size());
        for (int pod = 0; pod < plans.length; pod++) {
            int plan = plans[pod];
            if (plan >= 0) {
                response.add(bounds[2 * plan], bounds[2 * plan + 1]);
            } else {
                int begin = out.size();
                out.message(EvaluateResponse.ANSWERS_FIELD_NUMBER, Objects.requireNonNull(refusals.apply(pod)));
                response.add(begin, out.size());
            }
        }
        int tail = out.size();
        for (String unknown : answer.unknownCandidates()) {
            out.text(EvaluateResponse.UNKNOWN_CANDIDATES_FIELD_NUMBER, unknown);
        }
        if (knownTable != null) {
            NodeTableChanges.write(knownTable, answer.names(), access.tokens(), out);
        }
        for (KindVersion version : versions) {
            out.message(EvaluateResponse.RESOURCE_VERSIONS_FIELD_NUMBER, version);
        }
        for (PodKey unknown : unknownPods) {
            out.message(EvaluateResponse.UNKNOWN_PODS_FIELD_NUMBER, PodReferences.of(unknown));
        }
        response.add(tail, out.size());
        return response;
    }
}
