package io.evenkeel.loadtest.rpc;

import io.evenkeel.loadtest.cluster.ClusterGenerator;
import io.evenkeel.loadtest.load.EncodedRequest;
import io.evenkeel.loadtest.load.Fault;
import io.evenkeel.loadtest.load.LoadQuestions;
import io.evenkeel.loadtest.text.Numbers;
import io.evenkeel.v1.PlacementGrpc;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.WhatIfAnswer;
import io.evenkeel.v1.WhatIfCase;
import io.evenkeel.v1.WhatIfRequest;
import io.evenkeel.v1.WhatIfResponse;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A what-if like those of preemption: for each node of a generated cluster, whether a pod could go there if the pods on
 * it were removed.
 */
final class WhatIfQuestions {
    /** The largest call whose time has a bound. In a larger cluster, only this many nodes are asked about. */
    private static final int MAX_NODES = 5_000;

    private static final int MAX_VICTIMS = 150_000;

    private final Map<String, WhatIfCase.Builder> cases = new LinkedHashMap<>();
    private int victims;

    WhatIfQuestions(ClusterGenerator cluster) {
        for (int number = 0; number < cluster.shape().pods() && victims < MAX_VICTIMS; number++) {
            Pod pod = cluster.pod(number);
            String node = pod.getSpec().getNodeName();
            if (cases.size() < MAX_NODES || cases.containsKey(node)) {
                cases.computeIfAbsent(node, name -> WhatIfCase.newBuilder().setNode(name))
                        .getOverlayBuilder()
                        .addWithoutBuilder()
                        .setUid(pod.getMetadata().getUid());
                victims++;
            }
        }
    }

    /** The question as text: {@code what-if, 148,000 pods}. */
    String words() {
        return "what-if, " + Numbers.grouped(victims) + " pods";
    }

    /** One call about all these nodes. */
    LoadQuestions<EncodedRequest, WhatIfResponse> about(Pod pod) {
        WhatIfRequest.Builder request = WhatIfRequest.newBuilder().setPod(pod);
        cases.values().forEach(request::addCases);
        return new LoadQuestions<>(
                EncodedRequest.sentBy(PlacementGrpc.getWhatIfMethod()),
                List.of(new EncodedRequest(request.build())),
                WhatIfQuestions::fault);
    }

    private static @Nullable Fault fault(WhatIfResponse response) {
        for (WhatIfAnswer answer : response.getAnswersList()) {
            if (!answer.hasVerdict()) {
                return Fault.of("", answer.getError());
            }
        }
        return null;
    }
}
