package io.evenkeel.service;

import com.google.protobuf.DescriptorProtos.DescriptorProto;
import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.DescriptorValidationException;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.FileDescriptor;
import com.google.protobuf.Descriptors.ServiceDescriptor;
import io.grpc.protobuf.ProtoServiceDescriptorSupplier;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The schema of a service for reflection, with JSON names for all fields. The descriptors of generated classes omit
 * these names, and some tools, such as ghz, do not derive them. Immutable.
 */
final class ServedSchema implements ProtoServiceDescriptorSupplier {
    private final ServiceDescriptor service;

    private ServedSchema(ServiceDescriptor service) {
        this.service = service;
    }

    /** The schema with JSON names; {@code schema} itself if it is not a protobuf schema or already has them. */
    static @Nullable Object of(@Nullable Object schema) {
        if (!(schema instanceof ProtoServiceDescriptorSupplier generated) || schema instanceof ServedSchema) {
            return schema;
        }
        FileDescriptor file = named(generated.getFileDescriptor(), new HashMap<>());
        return new ServedSchema(
                file.findServiceByName(generated.getServiceDescriptor().getName()));
    }

    /** The file and its imports, with JSON names. A file that several others import is built once. */
    private static FileDescriptor named(FileDescriptor file, Map<String, FileDescriptor> made) {
        FileDescriptor known = made.get(file.getName());
        if (known != null) {
            return known;
        }
        FileDescriptorProto.Builder proto = file.toProto().toBuilder();
        setNames(proto.getMessageTypeBuilderList(), file.getMessageTypes());
        FileDescriptor[] imports = file.getDependencies().stream()
                .map(dependency -> named(dependency, made))
                .toArray(FileDescriptor[]::new);
        try {
            FileDescriptor named = FileDescriptor.buildFrom(proto.build(), imports);
            made.put(file.getName(), named);
            return named;
        } catch (DescriptorValidationException e) {
            throw new IllegalStateException(file.getName() + " cannot be built with JSON names", e);
        }
    }

    private static void setNames(List<DescriptorProto.Builder> protos, List<Descriptor> messages) {
        for (int i = 0; i < protos.size(); i++) {
            DescriptorProto.Builder proto = protos.get(i);
            List<FieldDescriptor> fields = messages.get(i).getFields();
            for (int field = 0; field < fields.size(); field++) {
                proto.getFieldBuilder(field).setJsonName(fields.get(field).getJsonName());
            }
            setNames(proto.getNestedTypeBuilderList(), messages.get(i).getNestedTypes());
        }
    }

    @Override
    public FileDescriptor getFileDescriptor() {
        return service.getFile();
    }

    @Override
    public ServiceDescriptor getServiceDescriptor() {
        return service;
    }
}
