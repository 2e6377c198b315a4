package spread

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"evenkeel.io/client/go/scheduler/config"
	"evenkeel.io/client/go/scheduler/original"
	"evenkeel.io/client/go/scheduler/query"
	"evenkeel.io/client/go/scheduler/shadow"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/events"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"
)

// NewFactory returns a factory of plugins for the profiles of one scheduler. They share connections, assumed pods and
// resource versions, because a pod that one profile has placed counts for all.
func NewFactory() frameworkruntime.PluginFactory {
	all := &schedulers{byFactory: map[informers.SharedInformerFactory]*scheduler{}}
	return func(ctx context.Context, args runtime.Object, handle fwk.Handle) (fwk.Plugin, error) {
		given, ok := args.(*config.EvenkeelTopologySpreadArgs)
		if !ok {
			return nil, fmt.Errorf("want args to be of type EvenkeelTopologySpreadArgs, got %T", args)
		}
		if err := config.Validate(given); err != nil {
			return nil, err
		}
		if handle.SharedInformerFactory() == nil {
			return nil, errors.New("SharedInformerFactory is nil")
		}
		return newPlugin(ctx, all.forFactory(handle.SharedInformerFactory()), given, handle)
	}
}

// schedulers are distinguished by their informer factories.
type schedulers struct {
	mutex     sync.Mutex
	byFactory map[informers.SharedInformerFactory]*scheduler
}

func (s *schedulers) forFactory(factory informers.SharedInformerFactory) *scheduler {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.byFactory[factory] == nil {
		s.byFactory[factory] = newScheduler(factory)
	}
	return s.byFactory[factory]
}

func newPlugin(ctx context.Context, scheduler *scheduler, args *config.EvenkeelTopologySpreadArgs, handle fwk.Handle) (*Plugin, error) {
	registerMetrics()
	originalArgs, err := args.Original()
	if err != nil {
		return nil, err
	}
	plugin, err := original.New(ctx, originalArgs, handle)
	if err != nil {
		return nil, err
	}
	defaults := defaultConstraints(originalArgs)
	hasDefaults := defaults.hard || defaults.soft
	client, err := scheduler.client(ctx, args, handle, hasDefaults)
	if err != nil {
		return nil, err
	}
	profileQueries, err := query.NewProfile(client, originalArgs)
	if err != nil {
		return nil, err
	}
	created := &Plugin{
		original:       plugin,
		handle:         handle,
		profile:        handle.ProfileName(),
		scheduler:      scheduler,
		client:         client,
		profileQueries: profileQueries,
		defaults:       defaults,
		features:       original.Features(),
	}
	if hasDefaults {
		created.owners = newOwners(handle.SharedInformerFactory())
	}
	if args.Mode == config.ModeShadow {
		journals, err := shadow.NewJournals(handle.SharedInformerFactory(), client.ResourceVersions, hasDefaults)
		if err != nil {
			return nil, err
		}
		created.shadow, err = shadow.Start(ctx, shadow.Options{
			Plugin: plugin, Handle: handle, Args: originalArgs, Profile: profileQueries, Client: client,
			Journals: journals, ReplayDirectory: args.ReplayDirectory,
		})
		if err != nil {
			return nil, err
		}
	}
	return created, nil
}

// maxNoteLength keeps the note of an event below the limit of the API.
const maxNoteLength = 500

// breakerChanged reports changes of the breaker by a log line, a metric, and an event on a lease.
func breakerChanged(logger klog.Logger, recorder events.EventRecorderLogger, server string) func(failure error) {
	// The stock scheduler's lease, because a plugin does not know the name of the actual lease.
	lease := &v1.ObjectReference{
		APIVersion: "coordination.k8s.io/v1", Kind: "Lease", Namespace: "kube-system", Name: "kube-scheduler"}
	// Events that differ only in their note are counted as repetitions of the first one, whose note stays.
	record := func(typ, reason, action, note string) {
		if recorder != nil {
			recorder.Eventf(lease, nil, typ, reason, action, "%s", note)
		}
	}
	return func(failure error) {
		if failure == nil {
			breakerOpen.Dec()
			logger.Info("Evenkeel answers again; using its answers", "server", server)
			record(v1.EventTypeNormal, "EvenkeelAsked", "Scheduling", fmt.Sprintf("Evenkeel at %s answers again", server))
			return
		}
		breakerOpen.Inc()
		logger.Error(failure, "Evenkeel does not answer; PodTopologySpread answers instead until it does", "server", server)
		cause := []rune(failure.Error())
		record(v1.EventTypeWarning, "EvenkeelNotAsked", string(query.ReasonOf(failure)), fmt.Sprintf(
			"Evenkeel at %s does not answer; PodTopologySpread answers instead until it does: %s",
			server, string(cause[:min(len(cause), maxNoteLength)])))
	}
}
