package io.evenkeel.objects;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.util.JsonFormat;
import io.evenkeel.engine.model.HostPort;
import io.evenkeel.engine.model.PodRequests;
import io.evenkeel.v1.Container;
import io.evenkeel.v1.FieldViolation;
import io.evenkeel.v1.Pod;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests what pods ask for, and what pods on a node take. Pods are given as JSON, with single quotes. */
final class RequestsTranslatorTest {
    private static Pod pod(String json) throws Exception {
        Pod.Builder pod = Pod.newBuilder();
        JsonFormat.parser().ignoringUnknownFields().merge(json.replace('\'', '"'), pod);
        return pod.build();
    }

    private static String text(PodRequests requests) {
        return requests.amounts().stream()
                .map(each -> each.resource() + "=" + each.amount())
                .collect(Collectors.joining(" "));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                // Containers add up, exactly, and are rounded up once.
                "'containers':[{'resources':{'requests':{'cpu':'100u','memory':'1'}}},"
                        + "{'resources':{'requests':{'cpu':'100u','memory':'0.5'}}}] | cpu=1 memory=2",
                "'containers':[{'resources':{'requests':{'cpu':'1.5','memory':'0.3Gi'}}}] | cpu=1500 memory=322122548",
                // Limits alone ask for nothing.
                "'containers':[{'resources':{'limits':{'cpu':'1'}}}] | ``",
                // An ordinary init container needs itself and the sidecars before it.
                "'containers':[{'resources':{'requests':{'cpu':'1'}}}],"
                        + "'initContainers':[{'resources':{'requests':{'cpu':'3'}}}] | cpu=3000",
                "'containers':[{'resources':{'requests':{'cpu':'1','memory':'7'}}}],"
                        + "'initContainers':[{'restartPolicy':'Always','resources':{'requests':{'cpu':'2'}}},"
                        + "{'resources':{'requests':{'cpu':'2','memory':'5'}}}] | cpu=4000 memory=7",
                "'containers':[{'resources':{'requests':{'cpu':'1'}}}],"
                        + "'initContainers':[{'resources':{'requests':{'cpu':'2'}}},"
                        + "{'restartPolicy':'Always','resources':{'requests':{'cpu':'2'}}}] | cpu=3000",
                "'containers':[{'restartPolicy':'Never','resources':{'requests':{'cpu':'1'}}}],"
                        + "'initContainers':[{'restartPolicy':'Never','resources':{'requests':{'cpu':'2'}}}] | cpu=2000",
                // Requests of the whole pod replace cpu, memory and hugepages, if they name them.
                "'containers':[{'resources':{'requests':{'cpu':'1','memory':'1','example.com/a':'1'}}}],"
                        + "'resources':{'requests':{'cpu':'250m','hugepages-2Mi':'4Mi','example.com/a':'9',"
                        + "'ephemeral-storage':'9'}}"
                        + " | cpu=250 memory=1 example.com/a=1 hugepages-2Mi=4194304",
                "'containers':[{'resources':{'requests':{'cpu':'1'}}}],'resources':{'requests':{'cpu':'0'}} | ``",
                // Overhead is added to all of that.
                "'containers':[{'resources':{'requests':{'cpu':'1'}}}],'resources':{'requests':{'cpu':'2'}},"
                        + "'overhead':{'cpu':'100m','example.com/a':'1'} | cpu=2100 example.com/a=1",
                "'initContainers':[{}],'overhead':{'memory':'1'} | memory=1",
                // Names that count.
                "'containers':[{'resources':{'requests':{'pods':'1','storage':'1','gpu':'1','requests.a.b/c':'1',"
                        + "'a.b/-':'1','ephemeral-storage':'1','attachable-volumes-x':'1','x.kubernetes.io/y':'1',"
                        + "'b.c/d':'1'}}}]"
                        + " | ephemeral-storage=1 attachable-volumes-x=1 b.c/d=1 x.kubernetes.io/y=1",
                // Sums that are too large are limited.
                "'containers':[{'resources':{'requests':{'memory':'8Ei','cpu':'8Ei'}}},"
                        + "{'resources':{'requests':{'memory':'8Ei'}}}]"
                        + " | cpu=9223372036854775807 memory=9223372036854775807",
            })
    void podAsksFor(String spec, String expected) throws Exception {
        Violations violations = new Violations();
        assertEquals(
                expected,
                text(RequestsTranslator.asked(
                        pod("{'spec':{" + spec + "}}").getSpec(), PodLimits.DEFAULT, violations)));
        assertTrue(violations.isEmpty());
    }

    private static final String SPEC =
            "'spec':{'containers':[{'name':'a','resources':{'requests':{'cpu':'2','memory':'5'}}}],"
                    + "'initContainers':[{'name':'s','restartPolicy':'Always','resources':{'requests':{'cpu':'1'}}},"
                    + "{'name':'i','resources':{'requests':{'cpu':'1'}}}]}";
    private static final String WHOLE = "'spec':{'containers':[{'resources':{'requests':{'memory':'5'}}}],"
            + "'overhead':{'cpu':'1'},'resources':{'requests':{'cpu':'2','memory':'4'}}}";

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "`` | cpu=3000 memory=5",
                // The maximum of the spec and what the status says, resource by resource.
                "'containerStatuses':[{'name':'a','resources':{'requests':{'cpu':'4','memory':'1'}}}] | cpu=5000 memory=5",
                "'containerStatuses':[{'name':'a','resources':{},'allocatedResources':{'memory':'9'}}]"
                        + " | cpu=3000 memory=9",
                "'initContainerStatuses':[{'name':'s','resources':{'requests':{'cpu':'3'}}}] | cpu=5000 memory=5",
                // Not without `resources`, nor for another container, nor for an ordinary init container.
                "'containerStatuses':[{'name':'a','allocatedResources':{'memory':'9'}}] | cpu=3000 memory=5",
                "'containerStatuses':[{'name':'b','resources':{'requests':{'cpu':'4'}}}] | cpu=3000 memory=5",
                "'initContainerStatuses':[{'name':'i','resources':{'requests':{'cpu':'9'}}}] | cpu=3000 memory=5",
                // Without the spec if the resize is infeasible. The first condition of the type counts.
                "'conditions':[{'type':'Ready'},{'type':'PodResizePending','reason':'Infeasible'}],"
                        + "'containerStatuses':[{'name':'a','resources':{'requests':{'cpu':'1'}},"
                        + "'allocatedResources':{'memory':'3'}}] | cpu=2000 memory=3",
                "'conditions':[{'type':'PodResizePending','reason':'Deferred'},"
                        + "{'type':'PodResizePending','reason':'Infeasible'}],"
                        + "'containerStatuses':[{'name':'a','resources':{'requests':{'cpu':'1'}}}] | cpu=3000 memory=5",
                "'conditions':[{'type':'PodResizePending','reason':'Infeasible'}] | cpu=3000 memory=5",
            })
    void podOnANode_takes(String status, String expected) throws Exception {
        assertTaken(SPEC, status, expected);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "`` | cpu=3000 memory=4",
                "'resources':{'requests':{'cpu':'3','memory':'1'}},'allocatedResources':{'memory':'6'} | cpu=4000 memory=6",
                "'allocatedResources':{'memory':'6'} | cpu=3000 memory=4",
                // A name that the status does not have is 0.
                "'conditions':[{'type':'PodResizePending','reason':'Infeasible'}],"
                        + "'resources':{'requests':{'cpu':'1','hugepages-2Mi':'1'}} | cpu=2000",
            })
    void podOnANode_withResourcesOfItsOwn_takes(String status, String expected) throws Exception {
        assertTaken(WHOLE, status, expected);
    }

    private static void assertTaken(String spec, String status, String expected) throws Exception {
        Pod pod = pod("{" + spec + ",'status':{" + status + "}}");
        Violations violations = new Violations();
        assertEquals(
                expected,
                text(RequestsTranslator.taken(pod.getSpec(), pod.getStatus(), PodLimits.DEFAULT, violations)));
        assertTrue(violations.isEmpty());
        // The status is not what the pod asks for.
        assertEquals(
                text(RequestsTranslator.asked(pod("{" + spec + "}").getSpec(), PodLimits.DEFAULT, violations)),
                text(RequestsTranslator.asked(pod.getSpec(), PodLimits.DEFAULT, violations)));
    }

    @Test
    void hostPorts_areThoseOfContainersAndSidecars() throws Exception {
        Pod pod = pod("""
                {'spec':{'containers':[
                    {'ports':[{'hostPort':80,'containerPort':8080},{'containerPort':81},{'hostPort':-1}]},
                    {'ports':[{'hostPort':53,'protocol':'UDP','hostIP':'10.0.0.1'},{'hostPort':80}]}],
                  'initContainers':[
                    {'ports':[{'hostPort':82}]},
                    {'restartPolicy':'Always','ports':[{'hostPort':83}]}]}}
                """);
        PodRequests asked = RequestsTranslator.asked(pod.getSpec(), PodLimits.DEFAULT, new Violations());
        assertEquals(
                List.of(
                        new HostPort("0.0.0.0", "TCP", 80),
                        new HostPort("10.0.0.1", "UDP", 53),
                        new HostPort("0.0.0.0", "TCP", 83)),
                asked.hostPorts());
    }

    @Test
    void podWithoutContainers_isUnknown_evenWithOverhead() throws Exception {
        Pod bare = pod("{'spec':{'overhead':{'cpu':'1'},'resources':{'requests':{'cpu':'1'}}}}");
        assertSame(PodRequests.UNKNOWN, RequestsTranslator.asked(bare.getSpec(), PodLimits.DEFAULT, new Violations()));
        Pod idle = pod("{'spec':{'containers':[{}]}}");
        assertSame(PodRequests.NOTHING, RequestsTranslator.asked(idle.getSpec(), PodLimits.DEFAULT, new Violations()));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "'spec':{'containers':[{},{'resources':{'requests':{'cpu':'1 core'}}}]}"
                        + " | spec.containers[1].resources.requests[cpu]",
                "'spec':{'containers':[{'resources':{'requests':{'example.com/gpu':'-1'}}}]}"
                        + " | spec.containers[0].resources.requests[example.com/gpu]",
                "'spec':{'containers':[{'resources':{'requests':{'storage':''}}}]}"
                        + " | spec.containers[0].resources.requests[storage]",
                "'spec':{'initContainers':[{'resources':{'requests':{'memory':'1K'}}}]}"
                        + " | spec.initContainers[0].resources.requests[memory]",
                "'spec':{'containers':[{}],'overhead':{'cpu':'x'}} | spec.overhead[cpu]",
                "'spec':{'containers':[{}],'resources':{'requests':{'cpu':'x'}}} | spec.resources.requests[cpu]",
                "'spec':{'containers':[{'ports':[{},{'hostPort':65536}]}]} | spec.containers[0].ports[1].hostPort",
                "'spec':{'containers':[{}]},'status':{'containerStatuses':[{},{'resources':{'requests':{'cpu':'x'}}}]}"
                        + " | status.containerStatuses[1].resources.requests[cpu]",
                "'spec':{'containers':[{}]},'status':{'initContainerStatuses':[{'resources':{},"
                        + "'allocatedResources':{'cpu':'x'}}]}"
                        + " | status.initContainerStatuses[0].allocatedResources[cpu]",
                "'spec':{'containers':[{}],'resources':{'requests':{'cpu':'1'}}},'status':{'resources':{'requests':"
                        + "{'cpu':'x'}}} | status.resources.requests[cpu]",
                "'spec':{'containers':[{}],'resources':{'requests':{'cpu':'1'}}},'status':{'resources':{},"
                        + "'allocatedResources':{'cpu':'x'}} | status.allocatedResources[cpu]",
            })
    void invalidRequest_isNamed(String json, String field) throws Exception {
        Pod pod = pod("{" + json + "}");
        Violations violations = new Violations();
        RequestsTranslator.taken(pod.getSpec(), pod.getStatus(), PodLimits.DEFAULT, violations);
        assertEquals(
                List.of(field),
                violations.list().stream().map(FieldViolation::getField).toList());
    }

    @Test
    void containersBeyondTheLimit_areRejected() {
        Pod.Builder pod = Pod.newBuilder();
        for (int i = 0; i < 3; i++) {
            pod.getSpecBuilder().addContainers(Container.newBuilder().setName("c" + i));
        }
        Violations violations = new Violations();
        RequestsTranslator.asked(pod.getSpec(), new PodLimits(1, 2), violations);
        assertEquals("spec.containers", violations.list().get(0).getField());
    }

    @Test
    void podThatRequestsTooManyResources_isRejected() throws Exception {
        StringBuilder requests = new StringBuilder("'cpu':'1'");
        for (int i = 0; i < 128; i++) {
            requests.append(",'example.com/r").append(i).append("':'1'");
        }
        Violations violations = new Violations();
        PodRequests unused = RequestsTranslator.asked(
                pod("{'spec':{'containers':[{'resources':{'requests':{" + requests + "}}}]}}")
                        .getSpec(),
                PodLimits.DEFAULT,
                violations);
        InvalidObjectException rejected = assertThrows(InvalidObjectException.class, violations::throwIfAny);
        assertEquals("spec.containers", rejected.violations().get(0).getField());
    }
}
