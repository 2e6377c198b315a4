// Package original wraps kube-scheduler's own PodTopologySpread, with all interfaces that it implements.
package original

import (
	"context"
	"fmt"

	utilfeature "k8s.io/apiserver/pkg/util/feature"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/feature"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/podtopologyspread"
)

// Plugin is PodTopologySpread.
type Plugin interface {
	fwk.PreFilterPlugin
	fwk.PreFilterExtensions
	fwk.FilterPlugin
	fwk.PreScorePlugin
	fwk.ScorePlugin
	fwk.ScoreExtensions
	fwk.EnqueueExtensions
	fwk.SignPlugin
}

// New creates it like the stock scheduler does, with the current feature gates.
func New(ctx context.Context, args *config.PodTopologySpreadArgs, handle fwk.Handle) (Plugin, error) {
	created, err := podtopologyspread.New(ctx, args, handle, Features())
	if err != nil {
		return nil, err
	}
	plugin, ok := created.(Plugin)
	if !ok {
		return nil, fmt.Errorf("%T does not implement all interfaces of PodTopologySpread", created)
	}
	return plugin, nil
}

// Features are those that the feature gates enable.
func Features() feature.Features {
	return feature.NewSchedulerFeaturesFromGates(utilfeature.DefaultFeatureGate)
}
