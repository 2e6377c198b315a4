package io.evenkeel.objects;

import com.google.protobuf.ByteString;
import com.google.protobuf.DiscardUnknownFieldsParser;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Parser;
import io.evenkeel.engine.model.StoredPod;
import io.evenkeel.v1.NodeSelector;
import io.evenkeel.v1.NodeSelectorTerm;
import io.evenkeel.v1.ObjectMeta;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.PodSpec;

/**
 * Rebuilds Pod messages from what the engine stores of the cluster's pods. A message contains everything that an answer
 * depends on, so a query for it gives the answer for the original pod. {@link TemplateWriter} documents the layout of
 * templates.
 */
public final class TemplateReader {
    private static final Parser<PodSpec> SPEC = DiscardUnknownFieldsParser.wrap(PodSpec.parser());
    private static final Parser<ObjectMeta> METADATA = DiscardUnknownFieldsParser.wrap(ObjectMeta.parser());
    private static final Parser<NodeSelector> TERMS = DiscardUnknownFieldsParser.wrap(NodeSelector.parser());

    private TemplateReader() {}

    /** The pod as a message, without its node. */
    public static Pod pod(StoredPod stored) {
        Pod.Builder pod = unlabelled(stored);
        pod.getMetadataBuilder().putAllLabels(stored.labels());
        return pod.build();
    }

    /** The same without its labels, which take long to copy. */
    public static Pod.Builder unlabelled(StoredPod stored) {
        byte[] template = stored.template();
        try {
            // Each parser picks the fields that it knows.
            PodSpec.Builder spec = SPEC.parseFrom(template).toBuilder();
            ObjectMeta.Builder metadata = METADATA.parseFrom(template).toBuilder();
            readOwnFields(template, stored.nodeName(), spec);
            return Pod.newBuilder()
                    .setMetadata(metadata.setNamespace(stored.namespace()).setName(stored.name()))
                    .setSpec(spec);
        } catch (InvalidProtocolBufferException e) {
            throw new IllegalStateException("bytes that were checked do not parse", e);
        }
    }

    /** Whether the message of {@link #pod} names the pod's node. */
    public static boolean namesItsNode(StoredPod stored) {
        byte[] template = stored.template();
        WireCursor wire = new WireCursor(template, 0, template.length);
        boolean names = false;
        try {
            while (wire.next()) {
                names |= wire.field() == TemplateWriter.OWN_NODE_FIELD;
                wire.skip();
            }
        } catch (InvalidProtocolBufferException e) {
            throw new IllegalStateException("bytes that were checked do not parse", e);
        }
        return names;
    }

    /** Reads the fields that neither PodSpec nor ObjectMeta has. */
    private static void readOwnFields(byte[] template, String node, PodSpec.Builder spec)
            throws InvalidProtocolBufferException {
        WireCursor wire = new WireCursor(template, 0, template.length);
        while (wire.next()) {
            if (wire.field() == TemplateWriter.TERMS_FIELD) {
                wire.readBytes();
                addTerms(
                        TERMS.parseFrom(ByteString.copyFrom(template, wire.from(), wire.position() - wire.from())),
                        spec);
            } else if (wire.field() == TemplateWriter.PREFERRED_FIELD) {
                wire.readBytes();
                spec.getAffinityBuilder()
                        .getNodeAffinityBuilder()
                        .addPreferredDuringSchedulingIgnoredDuringExecutionBuilder()
                        .mergeFrom(template, wire.from(), wire.position() - wire.from());
            } else if (wire.field() == TemplateWriter.UNJUDGED_FIELD) {
                UnjudgedRules.add((int) wire.readVarint(), spec);
            } else if (wire.field() == TemplateWriter.REQUESTS_FIELD) {
                wire.readBytes();
                spec.addContainersBuilder().mergeFrom(template, wire.from(), wire.position() - wire.from());
            } else {
                if (wire.field() == TemplateWriter.OWN_NODE_FIELD) {
                    addTerms(only(node), spec);
                }
                wire.skip();
            }
        }
    }

    /** Adds terms to the required node affinity. It is set even without terms, and then matches no node. */
    private static void addTerms(NodeSelector terms, PodSpec.Builder spec) {
        spec.getAffinityBuilder()
                .getNodeAffinityBuilder()
                .getRequiredDuringSchedulingIgnoredDuringExecutionBuilder()
                .mergeFrom(terms);
    }

    private static NodeSelector only(String node) {
        return NodeSelector.newBuilder()
                .addNodeSelectorTerms(NodeSelectorTerm.newBuilder()
                        .addMatchFields(TemplateWriter.BY_NAME.toBuilder().addValues(node)))
                .build();
    }
}
