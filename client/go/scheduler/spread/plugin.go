// Package spread is the plugin EvenkeelTopologySpread. It replaces kube-scheduler's PodTopologySpread, and uses
// Evenkeel's verdicts and scores if they arrive in time.
package spread

import (
	"context"
	"time"

	"evenkeel.io/client/go/evenkeelv1"
	"evenkeel.io/client/go/scheduler/audit"
	"evenkeel.io/client/go/scheduler/config"
	"evenkeel.io/client/go/scheduler/original"
	"evenkeel.io/client/go/scheduler/query"
	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/feature"
)

// Name is the name of the plugin in the registry and in configurations.
const Name = config.PluginName

// Plugin replaces PodTopologySpread and wraps it. The original answers whenever Evenkeel does not. Messages, codes,
// events, hints and signatures are the original's.
type Plugin struct {
	original  original.Plugin
	handle    fwk.Handle
	profile   string
	scheduler *scheduler
	server    *query.Server
	// The default constraints of the profile.
	defaults           *evenkeelv1.DefaultConstraints
	defaultConstraints constraints
	// nil without default constraints.
	owners   *owners
	features feature.Features
	auditor  *audit.Auditor
	// Whether Evenkeel's answers are only compared.
	shadow bool
	// The original answers if there are fewer nodes, unless Evenkeel's answers are only compared.
	minNodes int
	// How long an answer is awaited at least.
	minWait time.Duration
	// An answer of Evenkeel is compared once in that many cycles; 0: never.
	auditEvery int
}

var _ original.Plugin = &Plugin{}

// Name returns the name of the plugin.
func (p *Plugin) Name() string { return Name }

// EventsToRegister returns the original's events with its queueing hints. The framework calls it once all profiles
// exist, so it also rejects profiles in which the plugin cannot work.
func (p *Plugin) EventsToRegister(ctx context.Context) ([]fwk.ClusterEventWithHint, error) {
	if profile, ok := p.handle.(framework.Framework); ok {
		if err := checkProfile(profile); err != nil {
			return nil, err
		}
	}
	return p.original.EventsToRegister(ctx)
}

// timeout is how long to wait for an answer to which the original typically takes this long.
func (p *Plugin) timeout(typical *typicalTime) time.Duration {
	return max(min(typical.median(), maxTimeout), p.minWait)
}

// SignPod signs like the original does.
func (p *Plugin) SignPod(ctx context.Context, pod *v1.Pod) ([]fwk.SignFragment, *fwk.Status) {
	return p.original.SignPod(ctx, pod)
}
