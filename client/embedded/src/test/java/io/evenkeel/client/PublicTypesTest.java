package io.evenkeel.client;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.Field;
import java.lang.reflect.Member;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Tests that the client's API exposes no gRPC types, except for channels and credentials that callers pass in. */
final class PublicTypesTest {
    private static final JavaClasses CLIENT = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .withImportOption(location -> !location.contains("-tests.jar"))
            .importPackages("io.evenkeel.client");

    private static final Pattern OF_GRPC = Pattern.compile("(?:io\\.grpc|com\\.google\\.rpc)\\.[\\w.$]+");

    @Test
    void noPublicSignature_namesGrpc_butForChannelsAndCredentials() {
        Set<String> named = new TreeSet<>();
        for (JavaClass type : CLIENT) {
            Class<?> known = type.reflect();
            if (!isPublic(known)) {
                continue;
            }
            List<Type> types = new ArrayList<>(List.of(known.getGenericInterfaces()));
            if (known.getGenericSuperclass() != null) {
                types.add(known.getGenericSuperclass());
            }
            for (Field field : known.getDeclaredFields()) {
                if (isPublic(field)) {
                    types.add(field.getGenericType());
                }
            }
            for (Constructor<?> constructor : known.getDeclaredConstructors()) {
                addTypes(constructor, types);
            }
            for (Method method : known.getDeclaredMethods()) {
                if (isPublic(method)) {
                    types.add(method.getGenericReturnType());
                }
                addTypes(method, types);
            }
            for (Type each : types) {
                Matcher grpc = OF_GRPC.matcher(each.getTypeName());
                while (grpc.find()) {
                    named.add(known.getSimpleName() + ": " + grpc.group());
                }
            }
        }
        assertEquals(
                Set.of(
                        "RemotePlacement: io.grpc.Channel",
                        "Builder: io.grpc.ChannelCredentials",
                        "Builder: io.grpc.ManagedChannel",
                        "Builder: io.grpc.ManagedChannelBuilder"),
                named);
    }

    private static void addTypes(Executable executable, List<Type> types) {
        if (isPublic(executable)) {
            types.addAll(Arrays.asList(executable.getGenericParameterTypes()));
            types.addAll(Arrays.asList(executable.getGenericExceptionTypes()));
        }
    }

    private static boolean isPublic(Member member) {
        return (member.getModifiers() & (Modifier.PUBLIC | Modifier.PROTECTED)) != 0;
    }

    private static boolean isPublic(Class<?> type) {
        Class<?> outer = type.getDeclaringClass();
        return Modifier.isPublic(type.getModifiers()) && (outer == null || isPublic(outer));
    }
}
