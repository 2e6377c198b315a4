package io.evenkeel.placement;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.EnumDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.FileDescriptor;
import io.evenkeel.v1.ClusterStateOuterClass;
import io.evenkeel.v1.PlacementOuterClass;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Tests the names in the contract that no linter checks. */
final class ContractNamesTest {
    private static final Set<FieldDescriptor.Type> UNSIGNED = Set.of(
            FieldDescriptor.Type.UINT32,
            FieldDescriptor.Type.UINT64,
            FieldDescriptor.Type.FIXED32,
            FieldDescriptor.Type.FIXED64);

    private final Map<String, FileDescriptor> files = new LinkedHashMap<>();

    ContractNamesTest() {
        add(PlacementOuterClass.getDescriptor());
        add(ClusterStateOuterClass.getDescriptor());
        assertTrue(files.size() >= 6, files.keySet().toString());
    }

    private void add(FileDescriptor file) {
        if (file.getPackage().equals("evenkeel.v1") && files.putIfAbsent(file.getName(), file) == null) {
            file.getDependencies().forEach(this::add);
        }
    }

    @Test
    void enums_beginWithUnspecified() {
        List<EnumDescriptor> enums = new ArrayList<>();
        files.values().forEach(file -> enums.addAll(file.getEnumTypes()));
        messages().forEach(message -> enums.addAll(message.getEnumTypes()));
        assertTrue(enums.size() >= 7, enums.size() + " enums");
        for (EnumDescriptor type : enums) {
            assertTrue(type.findValueByNumber(0).getName().endsWith("_UNSPECIFIED"), type.getFullName());
        }
    }

    @Test
    void fields_areSigned() {
        List<String> unsigned = fields().stream()
                .filter(field -> UNSIGNED.contains(field.getType()))
                .map(FieldDescriptor::getFullName)
                .toList();
        assertEquals(List.of(), unsigned);
    }

    @Test
    void ids_areThoseOfNodeSetsOnly() {
        List<String> ids = fields().stream()
                .filter(field -> field.getName().endsWith("_id"))
                .map(FieldDescriptor::getName)
                .distinct()
                .toList();
        assertEquals(List.of("node_set_id"), ids);
    }

    private List<FieldDescriptor> fields() {
        return messages().stream()
                .flatMap(message -> message.getFields().stream())
                .toList();
    }

    private List<Descriptor> messages() {
        List<Descriptor> messages = new ArrayList<>();
        files.values().forEach(file -> file.getMessageTypes().forEach(message -> collect(message, messages)));
        return messages;
    }

    private static void collect(Descriptor message, List<Descriptor> into) {
        into.add(message);
        message.getNestedTypes().forEach(nested -> collect(nested, into));
    }
}
