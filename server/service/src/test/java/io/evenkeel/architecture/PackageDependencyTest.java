package io.evenkeel.architecture;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.simpleNameEndingWith;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import org.junit.jupiter.api.Test;

/** Checks in the class files that the server's packages depend on each other in only one direction. */
final class PackageDependencyTest {
    private static final String ENGINE = "io.evenkeel.engine..";
    private static final String OBJECTS = "io.evenkeel.objects..";
    private static final String MANIFEST = "io.evenkeel.manifest..";
    private static final String PLACEMENT = "io.evenkeel.placement..";
    private static final String ACCESS = "io.evenkeel.access..";
    private static final String KUBE = "io.evenkeel.kube..";
    private static final String OPERATIONS = "io.evenkeel.operations..";
    private static final String SERVICE = "io.evenkeel.service..";
    private static final String WARM_UP = "io.evenkeel.warmup..";
    private static final String PROVISIONING = "io.evenkeel.provisioning..";
    private static final String ADMISSION = "io.evenkeel.admission..";
    private static final String CONSOLE = "io.evenkeel.console..";
    private static final String CLI = "io.evenkeel.cli..";
    private static final String COMMANDS = "io.evenkeel.commands..";
    private static final String EVICTION = "io.evenkeel.eviction..";
    private static final String CLIENT = "io.evenkeel.client..";
    private static final String PROTOCOL = "io.evenkeel.v1..";

    private static final JavaClasses SERVER = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .withImportOption(location -> !location.contains("-tests.jar"))
            .importPackages("io.evenkeel");

    @Test
    void engine_usesOnlyJdkAgronaAndJSpecify() {
        usesOnly(ENGINE, ENGINE, "java..", "org.agrona..", "org.jspecify..").check(SERVER);
    }

    @Test
    void objects_usesOfThisProjectOnlyEngineAndProtocol() {
        usesOfThisProjectOnly(OBJECTS, OBJECTS, ENGINE, PROTOCOL).check(SERVER);
    }

    @Test
    void manifest_usesOfThisProjectOnlyObjectsEngineAndProtocol() {
        usesOfThisProjectOnly(MANIFEST, MANIFEST, OBJECTS, ENGINE, PROTOCOL).check(SERVER);
    }

    @Test
    void placement_usesOfThisProjectOnlyObjectsEngineAndProtocol() {
        usesOfThisProjectOnly(PLACEMENT, PLACEMENT, OBJECTS, ENGINE, PROTOCOL).check(SERVER);
    }

    @Test
    void placementAndWhatItUses_knowNoTransport_andNoTextFormat() {
        noClasses()
                .that()
                .resideInAnyPackage(PLACEMENT, OBJECTS, ENGINE)
                .should()
                .dependOnClassesThat(resideInAnyPackage("io.grpc..", "io.micrometer..", "com.fasterxml..", "org.yaml..")
                        .or(resideInAPackage(PROTOCOL).and(simpleNameEndingWith("Grpc"))))
                .check(SERVER);
    }

    @Test
    void access_usesOfThisProjectOnlyPlacementAndWhatThatUses() {
        usesOfThisProjectOnly(ACCESS, ACCESS, PLACEMENT, OBJECTS, ENGINE, PROTOCOL)
                .check(SERVER);
    }

    @Test
    void kube_usesOfThisProjectOnlyPlacementAndWhatThatUses_andKnowsNoGrpc() {
        usesOfThisProjectOnly(KUBE, KUBE, PLACEMENT, OBJECTS, ENGINE, PROTOCOL).check(SERVER);
        noClasses()
                .that()
                .resideInAPackage(KUBE)
                .should()
                .dependOnClassesThat(resideInAnyPackage("io.grpc..", "io.micrometer..", "com.fasterxml.."))
                .check(SERVER);
    }

    @Test
    void operations_usesOfThisProjectOnlyPlacementAndWhatThatUses() {
        usesOfThisProjectOnly(OPERATIONS, OPERATIONS, PLACEMENT, OBJECTS, ENGINE, PROTOCOL)
                .check(SERVER);
    }

    @Test
    void service_usesOfThisProjectOnlyAccessOperationsAndWhatTheseUse() {
        usesOfThisProjectOnly(SERVICE, SERVICE, ACCESS, OPERATIONS, PLACEMENT, OBJECTS, ENGINE, PROTOCOL)
                .check(SERVER);
    }

    @Test
    void warmUp_usesOfThisProjectOnlyTheServiceItsClientAndWhatTheseUse() {
        usesOfThisProjectOnly(WARM_UP, WARM_UP, CLIENT, SERVICE, OPERATIONS, PLACEMENT, OBJECTS, ENGINE, PROTOCOL)
                .check(SERVER);
    }

    @Test
    void provisioning_usesOfThisProjectOnlyTheClientAndWhatReadsAnApiServer() {
        usesOfThisProjectOnly(PROVISIONING, PROVISIONING, CLIENT, KUBE, MANIFEST, OBJECTS, PROTOCOL)
                .check(SERVER);
    }

    @Test
    void admission_usesOfThisProjectOnlyTheHttpServerAndWhatReadsObjects() {
        usesOfThisProjectOnly(ADMISSION, ADMISSION, OPERATIONS, MANIFEST, OBJECTS, ENGINE, PROTOCOL)
                .check(SERVER);
    }

    @Test
    void console_usesOfThisProjectOnlyTheHttpServerAndMessages() {
        usesOfThisProjectOnly(CONSOLE, CONSOLE, OPERATIONS, CLIENT, PROTOCOL).check(SERVER);
    }

    @Test
    void cli_usesOfThisProjectOnlyTheServerAndItsClient() {
        usesOfThisProjectOnly(
                        CLI,
                        CLI,
                        CLIENT,
                        MANIFEST,
                        KUBE,
                        WARM_UP,
                        PROVISIONING,
                        ADMISSION,
                        CONSOLE,
                        SERVICE,
                        ACCESS,
                        OPERATIONS,
                        PLACEMENT,
                        OBJECTS,
                        ENGINE,
                        PROTOCOL)
                .check(SERVER);
    }

    @Test
    void eviction_usesOfThisProjectOnlyTheLiveStateAndFailuresOfCommands() {
        usesOfThisProjectOnly(EVICTION, EVICTION, CLI, KUBE, PLACEMENT, OBJECTS, ENGINE, PROTOCOL)
                .check(SERVER);
    }

    @Test
    void commands_useOfThisProjectOnlyTheCommandLineTheClientAndWhatTheyReadAndPrint() {
        usesOfThisProjectOnly(COMMANDS, COMMANDS, EVICTION, CLI, CLIENT, MANIFEST, OPERATIONS, OBJECTS, KUBE, PROTOCOL)
                .check(SERVER);
    }

    @Test
    void server_hasNoOtherPackages_soThatNoneEscapesTheRules() {
        classes()
                .should()
                .resideInAnyPackage(
                        ENGINE,
                        OBJECTS,
                        MANIFEST,
                        PLACEMENT,
                        KUBE,
                        ACCESS,
                        OPERATIONS,
                        SERVICE,
                        WARM_UP,
                        PROVISIONING,
                        ADMISSION,
                        CONSOLE,
                        CLI,
                        EVICTION,
                        COMMANDS,
                        CLIENT,
                        PROTOCOL)
                .check(SERVER);
    }

    @Test
    void rules_fail_whenAPackageUsesWhatItMayNot() {
        JavaClasses thisTest = new ClassFileImporter().importClasses(PackageDependencyTest.class);
        assertTrue(usesOnly("io.evenkeel.architecture..", "java..", "org.junit..")
                .evaluate(thisTest)
                .hasViolation());
        assertTrue(usesOfThisProjectOnly(CLI, OBJECTS).evaluate(SERVER).hasViolation());
    }

    private static ArchRule usesOnly(String packages, String... allowed) {
        return classes()
                .that()
                .resideInAPackage(packages)
                .should()
                .onlyDependOnClassesThat(resideInAnyPackage(allowed));
    }

    private static ArchRule usesOfThisProjectOnly(String packages, String... allowed) {
        return classes()
                .that()
                .resideInAPackage(packages)
                .should()
                .onlyDependOnClassesThat(resideInAnyPackage(allowed).or(not(resideInAPackage("io.evenkeel.."))));
    }
}
