package query

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

// Profile queries a server with the default constraints of one scheduler profile.
type Profile struct {
	client   *Client
	defaults *evenkeelv1.DefaultConstraints
}

// NewProfile takes the arguments of the original plugin.
func NewProfile(client *Client, args *config.PodTopologySpreadArgs) (*Profile, error) {
	defaults, err := defaultConstraints(args)
	return &Profile{client: client, defaults: defaults}, err
}

// Query is about one pod.
type Query struct {
	profile *Profile
	Pod     *evenkeelv1.Pod
}

const podRefusedMessage = "Evenkeel refused the pod; PodTopologySpread answers instead"

// NewQuery fails if the pod cannot be encoded, or has a field that Evenkeel does not know.
func (p *Profile) NewQuery(ctx context.Context, pod *v1.Pod) (*Query, error) {
	message, err := ToProto(pod)
	if err == nil {
		err = checkKnown(message)
	}
	if err != nil {
		klog.FromContext(ctx).Info(podRefusedMessage, "pod", klog.KObj(pod), "reason", err.Error())
	}
	return &Query{profile: p, Pod: message}, err
}

// Filter asks which nodes may take the pod. The reason is empty if there is an answer.
func (q *Query) Filter(ctx context.Context) (*Verdicts, Reason) {
	var verdicts *Verdicts
	err := q.profile.client.breaker.do(ctx, filterQueries, func() (err error) {
		verdicts, err = q.filter(ctx)
		return err
	}, func(ctx context.Context) error {
		_, err := q.filter(ctx)
		return err
	})
	return verdicts, q.logReason(ctx, err)
}

// logReason returns the reason of a failure. It logs which pod was refused and why, because nothing else does.
func (q *Query) logReason(ctx context.Context, err error) Reason {
	reason := ReasonOf(err)
	if reason == PodRefused {
		klog.FromContext(ctx).Info(podRefusedMessage, "pod", klog.KRef(q.Pod.Metadata.Namespace, q.Pod.Metadata.Name), "reason", err.Error())
	}
	return reason
}

func (q *Query) filter(ctx context.Context) (*Verdicts, error) {
	return q.profile.client.filter(ctx, q.Pod, q.profile.defaults, q.timeout())
}

// Score asks for the scores of exactly these nodes.
func (q *Query) Score(ctx context.Context, nodes []string) (*Scores, Reason) {
	scores, err := q.scoreThroughBreaker(ctx, nodes)
	return scores, q.logReason(ctx, err)
}

// ScoreKnown is Score without the nodes that the server does not have. It returns the nodes that it has asked about.
func (q *Query) ScoreKnown(ctx context.Context, nodes []string) (*Scores, []string, Reason) {
	scores, known, err := scoreKnown(nodes, func(nodes []string) (*Scores, error) { return q.scoreThroughBreaker(ctx, nodes) })
	return scores, known, q.logReason(ctx, err)
}

func (q *Query) scoreThroughBreaker(ctx context.Context, nodes []string) (scores *Scores, err error) {
	err = q.profile.client.breaker.do(ctx, scoreQueries, func() (err error) {
		scores, err = q.score(ctx, nodes)
		return err
	}, func(ctx context.Context) error {
		// Some nodes may have been deleted since, and one unknown node makes the whole query fail.
		_, _, err := scoreKnown(nodes, func(nodes []string) (*Scores, error) { return q.score(ctx, nodes) })
		return err
	})
	return scores, err
}

func (q *Query) score(ctx context.Context, nodes []string) (*Scores, error) {
	return q.profile.client.score(ctx, q.Pod, q.profile.defaults, nodes, q.timeout())
}

// scoreKnown asks about nodes, and again without those that the server does not have. It returns the nodes that it
// has asked about last.
func scoreKnown(nodes []string, score func([]string) (*Scores, error)) (*Scores, []string, error) {
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

// How many domains of a constraint an explanation lists at most.
const maxExplainedDomains = 1000

// Explain asks what an answer for the pod would be based on now: the counts of each domain, and the verdicts on these
// nodes.
func (q *Query) Explain(ctx context.Context, nodes []string) (*evenkeelv1.ExplainResponse, error) {
	ctx, cancel := context.WithTimeout(ctx, listTimeout)
	defer cancel()
	return q.profile.client.placement.Explain(ctx, &evenkeelv1.ExplainRequest{
		Subject:    &evenkeelv1.ExplainRequest_Pod{Pod: q.Pod},
		Candidates: &evenkeelv1.Candidates{Which: &evenkeelv1.Candidates_Named{Named: &evenkeelv1.NodeNames{Names: nodes}}},
		Defaults:   q.profile.defaults,
		Freshness:  &evenkeelv1.Freshness{IncludeResourceVersions: true},
		MaxDomains: maxExplainedDomains,
	})
}

// Status asks how far the server's feeds have got.
func (p *Profile) Status(ctx context.Context) (*evenkeelv1.GetStatusResponse, error) {
	return p.client.state.GetStatus(ctx, &evenkeelv1.GetStatusRequest{})
}

func (q *Query) timeout() time.Duration { return q.profile.client.deadline }
