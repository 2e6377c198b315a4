package ask

import (
	"context"
	"errors"
	"slices"
	"time"

	"evenkeel.io/client/go/evenkeelv1"
	v1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
)

// Profile asks a server with the default constraints of one profile.
type Profile struct {
	server   *Server
	defaults *evenkeelv1.DefaultConstraints
}

// NewProfile takes the arguments of the original plugin.
func NewProfile(server *Server, args *config.PodTopologySpreadArgs) (*Profile, error) {
	defaults, err := defaults(args)
	return &Profile{server: server, defaults: defaults}, err
}

// Question is about one pod.
type Question struct {
	profile *Profile
	Pod     *evenkeelv1.Pod
}

const refusedPod = "Evenkeel does not judge the pod, PodTopologySpread does"

// About makes a question. It fails where the pod cannot be written.
func (p *Profile) About(ctx context.Context, pod *v1.Pod) (*Question, error) {
	written, err := Pod(pod)
	if err != nil {
		klog.FromContext(ctx).Info(refusedPod, "pod", klog.KObj(pod), "reason", err.Error())
	}
	return &Question{profile: p, Pod: written}, err
}

// Filter asks which nodes may take the pod. The reason is empty where there is an answer.
func (q *Question) Filter(ctx context.Context) (*Verdicts, Reason) {
	var verdicts *Verdicts
	err := q.profile.server.breaker.do(ctx, filtering, func() (err error) {
		verdicts, err = q.filter(ctx)
		return err
	}, func(ctx context.Context) error {
		_, err := q.filter(ctx)
		return err
	})
	return verdicts, q.reason(ctx, err)
}

// reason is that of a failure. Nothing else tells which pod was refused, and why.
func (q *Question) reason(ctx context.Context, err error) Reason {
	reason := ReasonOf(err)
	if reason == PodRefused {
		klog.FromContext(ctx).Info(refusedPod, "pod", klog.KRef(q.Pod.Metadata.Namespace, q.Pod.Metadata.Name), "reason", err.Error())
	}
	return reason
}

func (q *Question) filter(ctx context.Context) (*Verdicts, error) {
	return q.profile.server.filter(ctx, q.Pod, q.profile.defaults, q.within())
}

// Score asks how well each of these nodes suits the pod, and no other node.
func (q *Question) Score(ctx context.Context, nodes []string) (*Scores, Reason) {
	scores, err := q.scoreUnlessOpen(ctx, nodes)
	return scores, q.reason(ctx, err)
}

// ScoreKnown is Score without the nodes that the server does not have. It gives those that it has asked about.
func (q *Question) ScoreKnown(ctx context.Context, nodes []string) (*Scores, []string, Reason) {
	scores, known, err := ofKnown(nodes, func(nodes []string) (*Scores, error) { return q.scoreUnlessOpen(ctx, nodes) })
	return scores, known, q.reason(ctx, err)
}

func (q *Question) scoreUnlessOpen(ctx context.Context, nodes []string) (scores *Scores, err error) {
	err = q.profile.server.breaker.do(ctx, scoring, func() (err error) {
		scores, err = q.score(ctx, nodes)
		return err
	}, func(ctx context.Context) error {
		// Some may have gone meanwhile, and nothing is scored where one of them is asked about.
		_, _, err := ofKnown(nodes, func(nodes []string) (*Scores, error) { return q.score(ctx, nodes) })
		return err
	})
	return scores, err
}

func (q *Question) score(ctx context.Context, nodes []string) (*Scores, error) {
	return q.profile.server.score(ctx, q.Pod, q.profile.defaults, nodes, q.within())
}

// ofKnown asks about nodes, and again without those that the server does not have. It gives those that it has asked about
// last.
func ofKnown(nodes []string, score func([]string) (*Scores, error)) (*Scores, []string, error) {
	for {
		scores, err := score(nodes)
		var unknown unknownNodes
		errors.As(err, &unknown)
		known := slices.DeleteFunc(slices.Clone(nodes), func(node string) bool { return slices.Contains(unknown, node) })
		if len(known) == 0 || len(known) == len(nodes) {
			return scores, nodes, err
		}
		nodes = known
	}
}

// As many domains of a constraint are told in an explanation.
const explainedDomains = 1000

// Explain asks what an answer for the pod rests on now: the counts of each domain, and the verdicts on these nodes.
func (q *Question) Explain(ctx context.Context, nodes []string) (*evenkeelv1.ExplainResponse, error) {
	ctx, cancel := context.WithTimeout(ctx, listWithin)
	defer cancel()
	return q.profile.server.placement.Explain(ctx, &evenkeelv1.ExplainRequest{
		Subject:    &evenkeelv1.ExplainRequest_Pod{Pod: q.Pod},
		Candidates: &evenkeelv1.Candidates{Which: &evenkeelv1.Candidates_Named{Named: &evenkeelv1.NodeNames{Names: nodes}}},
		Defaults:   q.profile.defaults,
		Freshness:  &evenkeelv1.Freshness{IncludeResourceVersions: true},
		MaxDomains: explainedDomains,
	})
}

// Status asks how far the server's feeds have got.
func (p *Profile) Status(ctx context.Context) (*evenkeelv1.GetStatusResponse, error) {
	return p.server.state.GetStatus(ctx, &evenkeelv1.GetStatusRequest{})
}

func (q *Question) within() time.Duration { return q.profile.server.deadline }
