package autoscaler

import (
	"context"
	"fmt"
	"testing"

	"evenkeel.io/client/go/evenkeelv1"
	"evenkeel.io/client/go/skew"
	corev1 "k8s.io/api/core/v1"
)

func TestSkewOfWorkloads_isListedInPages(t *testing.T) {
	var pods []*corev1.Pod
	for _, name := range []string{"a", "b", "c"} {
		for i, node := range []string{"node-a", "node-a", "node-b"} {
			pod := replicated(web(fmt.Sprint(name, i), node))
			pod.OwnerReferences[0].Kind, pod.OwnerReferences[0].Name = "StatefulSet", name
			pods = append(pods, pod)
		}
	}
	connection := connect(t)
	feed(t, connection, zones("a", "b"), pods)
	listed := ""
	request := &evenkeelv1.ListSpreadRequest{PageSize: 2, Order: evenkeelv1.SpreadOrder_SPREAD_ORDER_NAME}
	for workload, err := range skew.Workloads(context.Background(), evenkeelv1.NewPlacementClient(connection), request) {
		must(t, err)
		listed += fmt.Sprintf("%s %d ", workload.Workload.Name, workload.PodCount)
	}
	expect(t, listed, "a 3 b 3 c 3 ")
}
