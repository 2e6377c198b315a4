package io.evenkeel.client;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.simpleNameEndingWith;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

/** Checks in the class files that the client's packages depend on each other in only one direction. */
final class EmbeddedDependencyTest {
    private static final JavaClasses CLIENT = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .withImportOption(location -> !location.contains("-tests.jar"))
            .importPackages("io.evenkeel.client");

    private static final DescribedPredicate<JavaClass> GENERATED_STUBS =
            resideInAPackage("io.evenkeel.v1..").and(simpleNameEndingWith("Grpc"));

    @Test
    void client_knowsNoTransport_noServer_andNeitherOfItsHalves() {
        noClasses()
                .that()
                .resideInAPackage("io.evenkeel.client")
                .should()
                .dependOnClassesThat(resideInAnyPackage(
                                "io.evenkeel.client.remote..",
                                "io.evenkeel.client.embedded..",
                                "io.evenkeel.engine..",
                                "io.evenkeel.objects..",
                                "io.evenkeel.placement..",
                                "io.evenkeel.service..",
                                "io.evenkeel.cli..",
                                "com.google.rpc..",
                                "io.grpc..")
                        .or(GENERATED_STUBS))
                .check(CLIENT);
    }

    @Test
    void remoteClient_knowsNothingOfTheServer_norOfTheEmbeddedClient() {
        noClasses()
                .that()
                .resideInAPackage("io.evenkeel.client.remote..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "io.evenkeel.client.embedded..",
                        "io.evenkeel.engine..",
                        "io.evenkeel.objects..",
                        "io.evenkeel.placement..",
                        "io.evenkeel.service..",
                        "io.evenkeel.cli..")
                .check(CLIENT);
    }

    @Test
    void embeddedClient_usesOfTheServer_onlyWhatHasNoTransport() {
        noClasses()
                .that()
                .resideInAPackage("io.evenkeel.client.embedded..")
                .should()
                .dependOnClassesThat(resideInAnyPackage(
                                "io.evenkeel.client.remote..",
                                "io.evenkeel.engine..",
                                "io.evenkeel.service..",
                                "io.evenkeel.cli..",
                                "io.grpc..")
                        .or(GENERATED_STUBS))
                .check(CLIENT);
    }
}
