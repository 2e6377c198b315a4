package shadow

import (
	"context"
	"errors"
	"strconv"
	"testing"
	"time"

	"evenkeel.io/client/go/evenkeelv1"
	"evenkeel.io/client/go/scheduler/query"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const nodes = evenkeelv1.ObjectKind_OBJECT_KIND_NODE

// nodesAt is Evenkeel's status for nodes: the version of the last event, and the version that it has reached.
func nodesAt(named, held int) *evenkeelv1.GetStatusResponse {
	return &evenkeelv1.GetStatusResponse{
		Revision: &evenkeelv1.Revision{Instance: "one"},
		Kinds:    []*evenkeelv1.KindStatus{{Kind: nodes, ResourceVersion: strconv.Itoa(named), HeldVersion: strconv.Itoa(held)}},
	}
}

// nodesFor returns the nodes for an answer with version 1. The scheduler's first list had version 3.
func nodesFor(t *testing.T, statuses ...*evenkeelv1.GetStatusResponse) (*state, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	status := &progress{getStatus: func(context.Context) (*evenkeelv1.GetStatusResponse, error) {
		next := statuses[0]
		if len(statuses) > 1 {
			statuses = statuses[1:]
		} else {
			cancel()
		}
		if next == nil {
			return nil, errors.New("away")
		}
		return next, nil
	}}
	journals := Journals{nodes: newTestJournal()}
	pod := unbound("web", "web")
	reached, err := journals.reach(ctx, pod, query.StateVersion{
		Revision:         &evenkeelv1.Revision{Instance: "one"},
		ResourceVersions: []*evenkeelv1.KindVersion{{Kind: nodes, ResourceVersion: "1"}},
	}, status)
	if err != nil {
		return nil, err
	}
	states, err := journals.at(t.Context(), pod, reached)
	return states[nodes], err
}

func TestJournals_returnsAKindWithoutEventsSinceBeforeTheFirstList(t *testing.T) {
	found, err := nodesFor(t, nodesAt(0, 0), nil, nodesAt(1, 2), nodesAt(1, 3), nodesAt(1, 3))
	if err != nil || len(found.objects) != 2 {
		t.Errorf("found %v, %v", found, err)
	}
}

func TestJournals_fails_ifAKindMayHaveHadEvents(t *testing.T) {
	other := nodesAt(1, 3)
	other.Revision.Instance = "two"
	for name, said := range map[string]*evenkeelv1.GetStatusResponse{
		"no bookmark came": nodesAt(1, 2), "a node came or went": nodesAt(2, 3), "started again": other, "away": nil} {
		if found, err := nodesFor(t, said); !errors.Is(err, errVersionTooOld) {
			t.Errorf("%s: found %v, %v", name, found, err)
		}
	}
}

// A cluster of only these pods gives the same results as the whole one, because selectors match more pods than are
// counted.
func TestMayCount_includesAllCountedPods(t *testing.T) {
	selecting := func(selector *metav1.LabelSelector, keys ...string) v1.TopologySpreadConstraint {
		return v1.TopologySpreadConstraint{LabelSelector: selector, MatchLabelKeys: keys}
	}
	web := &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}}
	wrong := &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "app", Operator: "Near"}}}
	bound := func(namespace string, labels map[string]string) *v1.Pod {
		return &v1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Labels: labels}, Spec: v1.PodSpec{NodeName: "a"}}
	}
	for name, test := range map[string]struct {
		constraints []v1.TopologySpreadConstraint
		other       *v1.Pod
		expected    bool
	}{
		"selected":                      {[]v1.TopologySpreadConstraint{selecting(web)}, bound("shop", map[string]string{"app": "web"}), true},
		"of another namespace":          {[]v1.TopologySpreadConstraint{selecting(web)}, bound("else", map[string]string{"app": "web"}), false},
		"not selected":                  {[]v1.TopologySpreadConstraint{selecting(web)}, bound("shop", map[string]string{"app": "db"}), false},
		"selected by the second":        {[]v1.TopologySpreadConstraint{selecting(nil), selecting(web)}, bound("shop", map[string]string{"app": "web"}), true},
		"selected by no selector":       {[]v1.TopologySpreadConstraint{selecting(nil)}, bound("shop", nil), false},
		"selected by an empty selector": {[]v1.TopologySpreadConstraint{selecting(&metav1.LabelSelector{})}, bound("shop", nil), true},
		"another label at a key":        {[]v1.TopologySpreadConstraint{selecting(web, "version")}, bound("shop", map[string]string{"app": "web", "version": "2"}), true},
		"a wrong selector":              {[]v1.TopologySpreadConstraint{selecting(wrong)}, bound("shop", nil), true},
		"default constraints":           {nil, bound("shop", nil), true},
		"not bound":                     {[]v1.TopologySpreadConstraint{selecting(web)}, &v1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "shop"}}, true},
	} {
		pod := &v1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Labels: map[string]string{"app": "web", "version": "1"}},
			Spec: v1.PodSpec{TopologySpreadConstraints: test.constraints}}
		if mayCount(pod)(test.other) != test.expected {
			t.Errorf("%s: expected %v", name, test.expected)
		}
	}
}
