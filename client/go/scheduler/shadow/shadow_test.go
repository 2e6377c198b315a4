package shadow

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"evenkeel.io/client/go/evenkeelv1"
	"evenkeel.io/client/go/scheduler/assumption"
	"evenkeel.io/client/go/scheduler/query"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"
	"k8s.io/kubernetes/pkg/scheduler/metrics"
)

// The reasons are labels of a metric, which docs/metrics.md lists.
func TestReasonOf_returnsTheMetricLabel(t *testing.T) {
	for _, test := range []struct {
		failure  error
		expected string
	}{
		{errVersionsMissing, "versions_untold"},
		{errVersionTooOld, "versions_forgotten"},
		{errNotReached, "versions_not_reached"},
		{errNodeMissing, "other_nodes"},
		{errAssumptionsUncertain, "assumptions_uncertain"},
		{context.Canceled, "failed"},
		{errors.New("whatever else"), "failed"},
	} {
		for _, failure := range []error{test.failure, fmt.Errorf("%w: pods 7", test.failure)} {
			if reason := reasonOf(failure); reason != test.expected {
				t.Errorf("expected %s for %q, got %s", test.expected, failure, reason)
			}
		}
	}
}

// acceptingClient assumes every pod at the same revision.
type acceptingClient struct{ assumption.Client }

func (acceptingClient) Assume(context.Context, *evenkeelv1.AssumeRequest) func() (*evenkeelv1.AssumeResponse, error) {
	return func() (*evenkeelv1.AssumeResponse, error) {
		return &evenkeelv1.AssumeResponse{Revision: &evenkeelv1.Revision{Instance: "one", Counter: 5}}, nil
	}
}

// Thousands may wait to be evaluated again. If each held all assumed pods, they would take gigabytes.
func TestEvaluateAgain_looksUpAssumedPodsInTurn(t *testing.T) {
	metrics.Register()
	handle, err := frameworkruntime.NewFramework(t.Context(), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	ledger := assumption.NewLedger(acceptingClient{})
	s := &Shadow{
		handle: handle, args: &config.PodTopologySpreadArgs{DefaultingType: config.SystemDefaulting},
		journals: Journals{evenkeelv1.ObjectKind_OBJECT_KIND_NODE: newTestJournal(), evenkeelv1.ObjectKind_OBJECT_KIND_POD: newTestJournal()},
		ledger:   ledger, history: ledger.KeepHistory(),
	}
	placed := unbound("placed", "placed")
	placed.ResourceVersion = "3"
	s.journals[evenkeelv1.ObjectKind_OBJECT_KIND_POD].OnAdd(placed, true)
	go ledger.Run(t.Context())
	c := &comparison{
		pod: unbound("web", "web"), askedAt: time.Now(),
		state: query.StateVersion{Revision: &evenkeelv1.Revision{Instance: "one", Counter: 5}, ResourceVersions: []*evenkeelv1.KindVersion{
			{Kind: evenkeelv1.ObjectKind_OBJECT_KIND_NODE, ResourceVersion: "3"}, {Kind: evenkeelv1.ObjectKind_OBJECT_KIND_POD, ResourceVersion: "3"}}},
	}
	s.reevaluating.Lock()
	evaluated := make(chan *Cluster, 1)
	go func() {
		cluster, _, err := s.evaluateAgain(t.Context(), c)
		if err != nil {
			t.Error(err)
		}
		evaluated <- cluster
	}()
	time.Sleep(200 * time.Millisecond) // Until it waits for the lock.
	ledger.Assume(&evenkeelv1.Pod{Metadata: &evenkeelv1.ObjectMeta{Namespace: "shop", Name: "placed", Uid: "placed"}}, "a")
	if _, err := ledger.Await(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.reevaluating.Unlock()
	if cluster := <-evaluated; cluster == nil || len(cluster.Pods) != 1 {
		t.Errorf("it evaluated %+v", cluster)
	}
}
