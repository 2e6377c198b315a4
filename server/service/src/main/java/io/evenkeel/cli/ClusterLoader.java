package io.evenkeel.cli;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import io.evenkeel.manifest.ObjectReader;
import io.evenkeel.placement.ClusterStateHandler;
import io.evenkeel.placement.change.Feeder;
import io.evenkeel.placement.change.SyncSession;
import io.evenkeel.v1.BeginSnapshot;
import io.evenkeel.v1.ClusterObject;
import io.evenkeel.v1.EndSnapshot;
import io.evenkeel.v1.Node;
import io.evenkeel.v1.ObjectKind;
import io.evenkeel.v1.ObjectMeta;
import io.evenkeel.v1.Objects;
import io.evenkeel.v1.PodDisruptionBudget;
import io.evenkeel.v1.Refusal;
import io.evenkeel.v1.SyncRequest;
import java.io.IOException;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * Feeds objects from any number of files to an instance, as one snapshot. Only one object is in memory at a time.
 * Always close it; if it is closed without {@link #end}, nothing is removed from the cluster. Not thread-safe.
 */
public final class ClusterLoader implements AutoCloseable {
    /** The field for each type of object. */
    private static final Map<Descriptor, FieldDescriptor> FIELDS = ClusterObject.getDescriptor().getFields().stream()
            .collect(Collectors.toMap(FieldDescriptor::getMessageType, field -> field));

    private final SyncSession session;
    private final Objects.Builder batch = Objects.newBuilder();

    /** The namespace of objects that name none. */
    private static final String DEFAULT_NAMESPACE = "default";

    /** The name of the feeder. */
    private static final String FEEDER = "files";

    private boolean hasBudgets;

    /**
     * Begins a snapshot, to which disruption budgets are added if there are any. No other feeder can begin one
     * meanwhile.
     */
    public ClusterLoader(ClusterStateHandler clusterState) {
        session = clusterState.sync();
        begin(BeginSnapshot.newBuilder());
    }

    private void begin(BeginSnapshot.Builder kinds) {
        BeginSnapshot begin = kinds.setFeeder(FEEDER).build();
        session.handle(SyncRequest.newBuilder().setBeginSnapshot(begin).build());
    }

    /**
     * Loads the remaining objects of {@code reader}.
     *
     * @param seen called with each object before it is loaded
     * @param refused called with each rejected object, by its position among all objects of {@code reader}; the others
     *     are loaded
     * @throws IOException if the input cannot be read to its end
     */
    public void load(ObjectReader reader, Consumer<Message> seen, Consumer<Refusal> refused) throws IOException {
        long sent = reader.objectsRead();
        for (Message object = reader.next(); object != null; object = reader.next()) {
            Message identified = identified(object);
            seen.accept(identified);
            if (identified instanceof PodDisruptionBudget && !hasBudgets) {
                hasBudgets = true;
                begin(BeginSnapshot.newBuilder().addKinds(ObjectKind.OBJECT_KIND_POD_DISRUPTION_BUDGET));
            }
            batch.addObjects(ClusterObject.newBuilder().setField(field(object), identified));
            if (batch.getObjectsCount() == Feeder.SLICE) {
                send(sent, refused);
                sent = reader.objectsRead();
            }
        }
        send(sent, refused);
    }

    private void send(long before, Consumer<Refusal> refused) {
        if (batch.getObjectsCount() > 0) {
            SyncRequest objects = SyncRequest.newBuilder().setObjects(batch).build();
            for (Refusal refusal : session.handle(objects).getRefusalsList()) {
                int position = Math.toIntExact(before + refusal.getPosition());
                refused.accept(refusal.toBuilder().setPosition(position).build());
            }
            batch.clear();
        }
    }

    /**
     * The object with what manifests that people write lack: the namespace, as kubectl adds it, and the UID. Within one
     * kind, a namespace and name identify an object as well.
     */
    private static Message identified(Message object) {
        FieldDescriptor field = object.getDescriptorForType().findFieldByName("metadata");
        ObjectMeta metadata = (ObjectMeta) object.getField(field);
        if (!metadata.getUid().isEmpty()) {
            return object;
        }
        String namespace = object instanceof Node || !metadata.getNamespace().isEmpty()
                ? metadata.getNamespace()
                : DEFAULT_NAMESPACE;
        String uid = field(object).getName() + " " + namespace + "/" + metadata.getName();
        return object.toBuilder()
                .setField(
                        field,
                        metadata.toBuilder().setNamespace(namespace).setUid(uid).build())
                .build();
    }

    private static FieldDescriptor field(Message object) {
        return java.util.Objects.requireNonNull(FIELDS.get(object.getDescriptorForType()));
    }

    /** Ends the snapshot. From now on, the cluster consists of the loaded objects. */
    public void end() {
        session.handle(SyncRequest.newBuilder()
                .setEndSnapshot(EndSnapshot.getDefaultInstance())
                .build());
    }

    @Override
    public void close() {
        session.close();
    }
}
