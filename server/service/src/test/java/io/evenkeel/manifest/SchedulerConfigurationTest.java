package io.evenkeel.manifest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.evenkeel.engine.model.SpreadConstraint;
import io.evenkeel.engine.model.SpreadDefaults;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class SchedulerConfigurationTest {
    private static final String HEAD = """
            apiVersion: kubescheduler.config.k8s.io/v1
            kind: KubeSchedulerConfiguration
            """;
    private static final SpreadDefaults ZONE = SpreadDefaults.list(
            List.of(new SpreadConstraint(2, "topology.kubernetes.io/zone", true, null, List.of(), 0, true, false)));

    @ParameterizedTest
    @ValueSource(strings = {"""
                apiVersion: kubescheduler.config.k8s.io/v1
                kind: KubeSchedulerConfiguration
                leaderElection: {leaderElect: true}
                profiles:
                  - schedulerName: default-scheduler
                    plugins: {score: {disabled: [{name: "*"}]}}
                    pluginConfig:
                      - name: NodeResourcesFit
                        args: {scoringStrategy: {type: LeastAllocated}}
                      - name: PodTopologySpread
                        args:
                          defaultConstraints:
                            - maxSkew: 2
                              topologyKey: topology.kubernetes.io/zone
                              whenUnsatisfiable: DoNotSchedule
                          defaultingType: List
                """, """
                kind: KubeSchedulerConfiguration
                profiles:
                - pluginConfig:
                  - args:
                      kind: PodTopologySpreadArgs
                      apiVersion: kubescheduler.config.k8s.io/v1
                      defaultingType: List
                      defaultConstraints:
                      - {maxSkew: 2, topologyKey: topology.kubernetes.io/zone, whenUnsatisfiable: DoNotSchedule,
                         matchLabelKeys: [pod-template-hash]}
                    name: PodTopologySpread
                apiVersion: kubescheduler.config.k8s.io/v1
                """, """
                {"apiVersion":"kubescheduler.config.k8s.io/v1","kind":"KubeSchedulerConfiguration","profiles":[
                  {"schedulerName":"default-scheduler","pluginConfig":[{"name":"PodTopologySpread","args":{
                    "defaultingType":"List","defaultConstraints":[
                      {"maxSkew":2,"topologyKey":"topology.kubernetes.io/zone","whenUnsatisfiable":"DoNotSchedule"}]}}]}]}
                """})
    void listOfConstraints_isRead_fromYamlAndJson(String text) throws IOException {
        assertEquals(Map.of("default-scheduler", ZONE), read(text));
    }

    @Test
    void profiles_haveTheirOwnDefaults_inTheFilesOrder() throws IOException {
        Map<String, SpreadDefaults> profiles = read(HEAD + """
                profiles:
                - schedulerName: none
                  pluginConfig: [{name: PodTopologySpread, args: {defaultingType: List}}]
                - schedulerName: list
                  pluginConfig:
                  - name: PodTopologySpread
                    args:
                      defaultingType: List
                      defaultConstraints:
                      - {maxSkew: 2, topologyKey: topology.kubernetes.io/zone, whenUnsatisfiable: DoNotSchedule}
                - schedulerName: system
                  pluginConfig: [{name: PodTopologySpread, args: {defaultingType: System, defaultConstraints: []}}]
                - schedulerName: silent
                """);
        assertEquals(List.of("none", "list", "system", "silent"), List.copyOf(profiles.keySet()));
        assertEquals(SpreadDefaults.NONE, profiles.get("none"));
        assertEquals(ZONE, profiles.get("list"));
        assertEquals(SpreadDefaults.SYSTEM, profiles.get("system"));
        assertEquals(SpreadDefaults.SYSTEM, profiles.get("silent"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "profiles:\n",
                "profiles: []\n",
                "profiles: [{}]\n",
                "profiles: [{schedulerName: null, pluginConfig: null}]\n",
                "profiles: [{pluginConfig: [{name: PodTopologySpread}]}]\n",
                "profiles: [{pluginConfig: [{name: PodTopologySpread, args: null}]}]\n",
                "profiles: [{pluginConfig: [{name: PodTopologySpread, args: {defaultingType: null, defaultConstraints: null}}]}]\n",
            })
    void system_isInForce_ifTheFileSaysNothing(String text) throws IOException {
        assertEquals(Map.of("default-scheduler", SpreadDefaults.SYSTEM), read(HEAD + text));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "apiVersion: kubescheduler.config.k8s.io/v1beta3 | apiVersion must be kubescheduler.config.k8s.io/v1, was \"kubescheduler.config.k8s.io/v1beta3\"",
                "kind: Pod | kind must be KubeSchedulerConfiguration, was \"Pod\"",
                "profiles: {} | profiles must be a list, was an object",
                "profiles: [7] | profiles[0] must be an object, was the number 7",
                "profiles: [{schedulerName: 7}] | schedulerName must be a string, was the number 7 (profiles[0].schedulerName)",
                "profiles: [{schedulerName: a}, {schedulerName: a}] | schedulerName is already used by an earlier profile, was \"a\" (profiles[1].schedulerName)",
                "profiles: [{schedulerName: a}, {}] | schedulerName must not be missing if there are several profiles (profiles[1].schedulerName)",
                "profiles: [{}, {schedulerName: a}] | schedulerName must not be missing if there are several profiles",
                "profiles: [{pluginConfig: [{name: X}, {name: X}]}] | name is already used by an earlier plugin, was \"X\" (profiles[0].pluginConfig[1].name)",
                "apiVersion | malformed",
            })
    void badFile_saysWhatIsWrong(String text, String message) {
        assertSays(message, HEAD + text);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "7 | args must be an object, was the number 7 (profiles[0].pluginConfig[0].args)",
                "{defaultingType: Best} | defaultingType must be System or List, was \"Best\" (profiles[0].pluginConfig[0].args.defaultingType)",
                "{defaultConstraints: [{maxSkew: 1, topologyKey: a, whenUnsatisfiable: ScheduleAnyway}]} | defaultConstraints must be empty with defaultingType System, had 1 entries",
                "{defaultingtype: List} | defaultingtype is unknown: there is no such field; did you mean defaultingType?",
                "{defaultConstraint: []} | defaultConstraint is unknown: there is no such field; did you mean defaultConstraints?",
                "{defaultingType: List, defaultConstraints: [{maxskew: 1}]} | maxskew is unknown: there is no such field; did you mean maxSkew? (profiles[0].pluginConfig[0].args.defaultConstraints[0].maxskew)",
                "{defaultingType: List, defaultConstraints: [{maxSkew: '1'}]} | maxSkew must be an integer, was the string \"1\"",
                "{defaultingType: List, defaultConstraints: [{maxSkew: 0, topologyKey: a, whenUnsatisfiable: Never}]} | maxSkew must be at least 1, was 0 (profiles[0].pluginConfig[0].args.defaultConstraints[0].maxSkew); whenUnsatisfiable must be DoNotSchedule or ScheduleAnyway, was \"Never\"",
                "{kind: NodeAffinityArgs} | kind must be PodTopologySpreadArgs, was \"NodeAffinityArgs\"",
            })
    void badArguments_sayWhatIsWrong(String args, String message) {
        assertSays(message, HEAD + "profiles: [{pluginConfig: [{args: " + args + ", name: PodTopologySpread}]}]\n");
        assertSays(message, HEAD + "profiles: [{pluginConfig: [{name: PodTopologySpread, args: " + args + "}]}]\n");
    }

    @Test
    void secondDocument_isRefused() {
        assertSays("there must be only one document", HEAD + "---\n" + HEAD);
        assertSays("the document must be an object, was nothing", "# empty\n");
    }

    @Test
    void file_isNamedInErrors(@TempDir Path directory) throws IOException {
        Path file = Files.writeString(directory.resolve("scheduler.yaml"), "kind: List\n");
        String said = assertThrows(ObjectFormatException.class, () -> SchedulerConfiguration.read(file))
                .getMessage();
        assertTrue(said.startsWith(file + ", line "), said);
    }

    private static void assertSays(String message, String text) {
        String said =
                assertThrows(ObjectFormatException.class, () -> read(text)).getMessage();
        assertTrue(said.contains(message) && !said.contains("\n"), said);
    }

    private static Map<String, SpreadDefaults> read(String text) throws IOException {
        return SchedulerConfiguration.read(ObjectReaderTest.stream(text), "scheduler.yaml");
    }
}
