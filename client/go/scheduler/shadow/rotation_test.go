package shadow

import (
	"fmt"
	"testing"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

func nodeInfos(count int) []fwk.NodeInfo {
	infos := make([]fwk.NodeInfo, count)
	for i := range infos {
		info := framework.NewNodeInfo()
		info.SetNode(&v1.Node{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprint(i)}})
		infos[i] = info
	}
	return infos
}

// Few nodes are all compared. Of many, a fixed number of distinct nodes is, and each node in its turn.
func TestRotation_comparesAllNodesInTurn(t *testing.T) {
	for _, nodes := range []int{0, 1, maxCompared - 1, maxCompared, maxCompared + 1, 2*maxCompared + 7, 5 * maxCompared} {
		t.Run(fmt.Sprint(nodes), func(t *testing.T) {
			infos := nodeInfos(nodes)
			var turns rotation
			all := map[string]bool{}
			for range (nodes + stride - 1) / stride {
				own := map[string]bool{}
				for _, node := range turns.next(infos) {
					own[node.Name] = true
					all[node.Name] = true
				}
				if expected := min(nodes, maxCompared); len(own) != expected {
					t.Errorf("expected %d different nodes in a comparison, got %d", expected, len(own))
				}
			}
			if len(all) != nodes {
				t.Errorf("expected all %d nodes in turn, got %d", nodes, len(all))
			}
		})
	}
}

// With pods of five kinds in turn, each kind is eventually compared on all nodes.
func TestRotation_comparesEachKindOnAllNodes_ifKindsAlternate(t *testing.T) {
	const kinds = 5
	infos := nodeInfos(kinds * maxCompared)
	var turns rotation
	var all [kinds]map[string]bool
	for kind := range all {
		all[kind] = map[string]bool{}
	}
	for comparison := range len(infos) {
		for _, node := range turns.next(infos) {
			all[comparison%kinds][node.Name] = true
		}
	}
	for kind, nodes := range all {
		if len(nodes) != len(infos) {
			t.Errorf("expected kind %d on all %d nodes, got %d", kind, len(infos), len(nodes))
		}
	}
}
