package query

import (
	"context"
	"strings"
	"testing"
	"time"

	"evenkeel.io/client/go/evenkeelv1"
	"evenkeel.io/client/go/scheduler/assumption"
	"evenkeel.io/client/go/scheduler/resourceversion"
	"google.golang.org/grpc"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/klog/v2"
	"k8s.io/klog/v2/ktesting"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
)

// fakeServer returns the answers that a test sets, about the nodes a, b and c.
type fakeServer struct {
	evenkeelv1.PlacementClient
	evenkeelv1.ClusterStateClient
	token    string
	revision *evenkeelv1.Revision
	packed   *evenkeelv1.PackedAnswer
	// If not empty, the pod is refused.
	refusal string
}

func whole(names ...string) *evenkeelv1.NodeTableChange {
	return &evenkeelv1.NodeTableChange{Whole: true, Runs: []*evenkeelv1.NodeRun{{Names: names}}}
}

func (a *fakeServer) answers() []*evenkeelv1.PodAnswer {
	if a.refusal != "" {
		return []*evenkeelv1.PodAnswer{{Result: &evenkeelv1.PodAnswer_Error{Error: &evenkeelv1.ItemError{Message: a.refusal}}}}
	}
	return []*evenkeelv1.PodAnswer{{Result: &evenkeelv1.PodAnswer_Packed{Packed: a.packed}}}
}

func (a *fakeServer) Filter(context.Context, *evenkeelv1.FilterRequest, ...grpc.CallOption) (*evenkeelv1.FilterResponse, error) {
	return &evenkeelv1.FilterResponse{
		Revision: a.revision, NodeTableToken: a.token, NodeTableChange: whole("a", "b", "c"), Answers: a.answers()}, nil
}

func (a *fakeServer) Score(context.Context, *evenkeelv1.ScoreRequest, ...grpc.CallOption) (*evenkeelv1.ScoreResponse, error) {
	return &evenkeelv1.ScoreResponse{
		Revision: a.revision, NodeTableToken: a.token, NodeTableChange: whole("a", "b", "c"), Answers: a.answers()}, nil
}

func (a *fakeServer) ListNodes(context.Context, *evenkeelv1.ListNodesRequest, ...grpc.CallOption) (*evenkeelv1.ListNodesResponse, error) {
	return &evenkeelv1.ListNodesResponse{
		Whole: true, NodeTableToken: "listed", Runs: []*evenkeelv1.NodeRun{{Names: []string{"a", "b", "c"}}}}, nil
}

// query returns a query about a pod with these constraints.
func (a *fakeServer) query(t *testing.T, actions ...v1.UnsatisfiableConstraintAction) *Query {
	t.Helper()
	server := &Client{
		placement: a, state: a, deadline: time.Minute, breaker: newBreaker(func(error) {}),
		ResourceVersions: &resourceversion.Tracker{}, Assumptions: assumption.NewLedger(nil)}
	profile, err := NewProfile(server, &config.PodTopologySpreadArgs{DefaultingType: config.SystemDefaulting})
	if err != nil {
		t.Fatal(err)
	}
	pod := &v1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "web", UID: "web"}}
	for _, sort := range actions {
		pod.Spec.TopologySpreadConstraints = append(pod.Spec.TopologySpreadConstraints,
			v1.TopologySpreadConstraint{MaxSkew: 1, TopologyKey: v1.LabelHostname, WhenUnsatisfiable: sort})
	}
	question, err := profile.NewQuery(t.Context(), pod)
	if err != nil {
		t.Fatal(err)
	}
	return question
}

func TestFilter_rejectsInvalidAnswers(t *testing.T) {
	for name, test := range map[string]struct {
		revision *evenkeelv1.Revision
		hard     int32
		passed   []byte
		sorts    []v1.UnsatisfiableConstraintAction
		expected Reason
	}{
		"by the pod's constraints":         {at(1), 1, []byte{3}, []v1.UnsatisfiableConstraintAction{v1.DoNotSchedule, v1.ScheduleAnyway}, ""},
		"by default constraints":           {at(1), 2, []byte{3}, nil, ""},
		"by no default constraint":         {at(1), 0, []byte{3}, nil, ""},
		"without a revision":               {nil, 1, []byte{3}, []v1.UnsatisfiableConstraintAction{v1.DoNotSchedule}, Unavailable},
		"by none of the pod's constraints": {at(1), 0, []byte{3}, []v1.UnsatisfiableConstraintAction{v1.DoNotSchedule}, Unavailable},
		"by more than the pod has":         {at(1), 2, []byte{3}, []v1.UnsatisfiableConstraintAction{v1.DoNotSchedule, v1.ScheduleAnyway}, Unavailable},
		"with a node fewer than passed":    {at(1), 1, []byte{1}, []v1.UnsatisfiableConstraintAction{v1.DoNotSchedule}, Unavailable},
		"with no nodes though some passed": {at(1), 1, nil, []v1.UnsatisfiableConstraintAction{v1.DoNotSchedule}, Unavailable},
		"with a node more than passed":     {at(1), 1, []byte{3, 1}, []v1.UnsatisfiableConstraintAction{v1.DoNotSchedule}, Unavailable},
	} {
		a := &fakeServer{token: "t", revision: test.revision, packed: &evenkeelv1.PackedAnswer{
			HardConstraintCount: test.hard, PassedCount: 2, Passed: test.passed}}
		if verdicts, reason := a.query(t, test.sorts...).Filter(t.Context()); reason != test.expected || (verdicts == nil) != (reason != "") {
			t.Errorf("%s: %v, %q", name, verdicts, reason)
		}
	}
}

func TestScore_rejectsInvalidAnswers(t *testing.T) {
	soft := []v1.UnsatisfiableConstraintAction{v1.ScheduleAnyway}
	for name, test := range map[string]struct {
		revision *evenkeelv1.Revision
		soft     int32
		scores   []byte
		sorts    []v1.UnsatisfiableConstraintAction
		expected Reason
	}{
		"by the pod's constraints":         {at(1), 1, []byte{100, 0}, soft, ""},
		"of another node, too":             {at(1), 1, []byte{100, 0, 255}, soft, ""},
		"by default constraints":           {at(1), 2, []byte{100, 0}, nil, ""},
		"by no default constraint":         {at(1), 0, nil, nil, ""},
		"without a revision":               {nil, 1, []byte{100, 0}, soft, Unavailable},
		"by none of the pod's constraints": {at(1), 0, nil, soft, Unavailable},
		"without a score":                  {at(1), 1, []byte{100}, soft, Unavailable},
		"with a score above the best":      {at(1), 1, []byte{100, 101}, soft, Unavailable},
	} {
		// The answer may use another table than the query.
		for _, token := range []string{"listed", "newer"} {
			a := &fakeServer{token: token, revision: test.revision,
				packed: &evenkeelv1.PackedAnswer{SoftConstraintCount: test.soft, Scores: test.scores}}
			scores, reason := a.query(t, test.sorts...).Score(t.Context(), []string{"a", "b"})
			if reason != test.expected || (scores == nil) != (reason != "") {
				t.Errorf("%s, table %s: %v, %q", name, token, scores, reason)
			}
		}
	}
}

// Only the log shows which pod it was.
func TestQuery_logsWhyAPodIsRefused(t *testing.T) {
	a := &fakeServer{token: "t", revision: at(1), refusal: "spec.topologySpreadConstraints has too many"}
	logger := ktesting.NewLogger(t, ktesting.NewConfig(ktesting.BufferLogs(true)))
	ctx := klog.NewContext(t.Context(), logger)
	question := a.query(t, v1.DoNotSchedule)
	if _, reason := question.Filter(ctx); reason != PodRefused {
		t.Errorf("got %q", reason)
	}
	text := logger.GetSink().(ktesting.Underlier).GetBuffer().String()
	if !strings.Contains(text, `pod="shop/web"`) || !strings.Contains(text, a.refusal) {
		t.Errorf("the log is %s", text)
	}
}
