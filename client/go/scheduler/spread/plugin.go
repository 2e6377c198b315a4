// Package spread is the plugin EvenkeelTopologySpread: kube-scheduler's PodTopologySpread, which takes its verdicts and
// scores from Evenkeel where Evenkeel has them in time.
package spread

import (
	"context"

	"evenkeel.io/client/go/scheduler/config"
	"evenkeel.io/client/go/scheduler/original"
	"evenkeel.io/client/go/scheduler/query"
	"evenkeel.io/client/go/scheduler/shadow"
	v1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/feature"
)

// Name is the name of the plugin in the registry and in configurations.
const Name = config.PluginName

// Plugin answers in the place of PodTopologySpread. The original answers wherever Evenkeel does not, and its messages,
// codes, events, hints and signatures are those of this plugin.
type Plugin struct {
	original       original.Plugin
	handle         fwk.Handle
	profile        string
	scheduler      *scheduler
	client         *query.Client
	profileQueries *query.Profile
	defaults       constraints
	features       feature.Features
	// nil where Evenkeel's answers are taken, and not only compared.
	shadow *shadow.Shadow
	// The cycle whose time is not told yet. Only the scheduling cycle uses it.
	last *cycle
}

var (
	_ fwk.PreFilterPlugin     = &Plugin{}
	_ fwk.PreFilterExtensions = &Plugin{}
	_ fwk.FilterPlugin        = &Plugin{}
	_ fwk.PostFilterPlugin    = &Plugin{}
	_ fwk.PreScorePlugin      = &Plugin{}
	_ fwk.ScorePlugin         = &Plugin{}
	_ fwk.ScoreExtensions     = &Plugin{}
	_ fwk.ReservePlugin       = &Plugin{}
	_ fwk.EnqueueExtensions   = &Plugin{}
	_ fwk.SignPlugin          = &Plugin{}
)

// Name of the plugin.
func (p *Plugin) Name() string { return Name }

// EventsToRegister are the original's, with its queueing hints. The framework asks for them once all profiles are made, so
// this is where a profile is refused in which the plugin cannot work.
func (p *Plugin) EventsToRegister(ctx context.Context) ([]fwk.ClusterEventWithHint, error) {
	if profile, ok := p.handle.(framework.Framework); ok {
		if err := checkProfile(klog.FromContext(ctx), profile); err != nil {
			return nil, err
		}
	}
	return p.original.EventsToRegister(ctx)
}

// SignPod signs as the original does.
func (p *Plugin) SignPod(ctx context.Context, pod *v1.Pod) ([]fwk.SignFragment, *fwk.Status) {
	return p.original.SignPod(ctx, pod)
}
