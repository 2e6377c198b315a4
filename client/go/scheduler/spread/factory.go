package spread

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"evenkeel.io/client/go/scheduler/ask"
	"evenkeel.io/client/go/scheduler/config"
	"evenkeel.io/client/go/scheduler/original"
	"evenkeel.io/client/go/scheduler/seen"
	"evenkeel.io/client/go/scheduler/shadow"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/events"
	fwk "k8s.io/kube-scheduler/framework"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"
)

// NewFactory makes plugins for the profiles of one scheduler. They share the connection, what is assumed, and what the
// informers have seen: a pod that one profile has placed counts for all.
func NewFactory() frameworkruntime.PluginFactory {
	shared := &shared{servers: map[serverKey]*ask.Server{}}
	return func(ctx context.Context, args runtime.Object, handle fwk.Handle) (fwk.Plugin, error) {
		given, ok := args.(*config.EvenkeelTopologySpreadArgs)
		if !ok {
			return nil, fmt.Errorf("want args to be of type EvenkeelTopologySpreadArgs, got %T", args)
		}
		if err := config.Validate(given); err != nil {
			return nil, err
		}
		return shared.newPlugin(ctx, given, handle)
	}
}

type shared struct {
	mutex   sync.Mutex
	servers map[serverKey]*ask.Server
}

// serverKey is all that makes one server of a scheduler different from another.
type serverKey struct {
	factory   informers.SharedInformerFactory
	server    string
	tls       config.TLS
	tokenFile string
	deadline  string
	mode      config.Mode
}

func (s *shared) newPlugin(ctx context.Context, args *config.EvenkeelTopologySpreadArgs, handle fwk.Handle) (*Plugin, error) {
	if handle.SharedInformerFactory() == nil {
		return nil, errors.New("SharedInformerFactory is nil")
	}
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
	server, err := s.server(ctx, args, handle, defaults.hard || defaults.soft)
	if err != nil {
		return nil, err
	}
	asking, err := ask.NewProfile(server, originalArgs)
	if err != nil {
		return nil, err
	}
	made := &Plugin{
		original: plugin,
		profile:  handle.ProfileName(),
		server:   server,
		asking:   asking,
		defaults: defaults,
		features: original.Features(),
	}
	if args.Mode == config.ModeShadow {
		journals, err := shadow.NewJournals(handle.SharedInformerFactory(), server.Versions, defaults.hard || defaults.soft)
		if err != nil {
			return nil, err
		}
		made.shadow = shadow.Start(ctx, shadow.Options{
			Plugin: plugin, Handle: handle, Args: originalArgs, Asking: asking, Server: server,
			Journals: journals, ReplayDirectory: args.ReplayDirectory,
		})
	}
	return made, nil
}

// server is the one that the arguments name. The first profile that names it makes it.
func (s *shared) server(ctx context.Context, args *config.EvenkeelTopologySpreadArgs, handle fwk.Handle, owners bool) (*ask.Server, error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	key := serverKey{
		factory:   handle.SharedInformerFactory(),
		server:    args.Server,
		tokenFile: args.TokenFile,
		deadline:  args.Deadline.Duration.String(),
		mode:      args.Mode,
	}
	if args.TLS != nil {
		key.tls = *args.TLS
	}
	versions := s.versions(key.factory)
	if err := versions.Watch(key.factory, owners); err != nil {
		return nil, err
	}
	if known := s.servers[key]; known != nil {
		return known, nil
	}
	made, err := ask.NewServer(args, versions, breakerChanged(handle.EventRecorder(), args.Server))
	if err != nil {
		return nil, err
	}
	if err := settle(made, key.factory); err != nil {
		return nil, err
	}
	go made.Run(ctx)
	s.servers[key] = made
	return made, nil
}

// versions are those of the informers of a factory, whichever server is asked.
func (s *shared) versions(factory informers.SharedInformerFactory) *seen.Versions {
	for key, server := range s.servers {
		if key.factory == factory {
			return server.Versions
		}
	}
	return &seen.Versions{}
}

// settle ends the assumption of pods that the scheduler's watch shows bound, or gone.
func settle(server *ask.Server, factory informers.SharedInformerFactory) error {
	bound := func(object any) {
		if pod, ok := object.(*v1.Pod); ok && pod.Spec.NodeName != "" {
			server.Assumptions.Seen(string(pod.UID))
		}
	}
	_, err := factory.Core().V1().Pods().Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    bound,
		UpdateFunc: func(_, object any) { bound(object) },
		DeleteFunc: func(object any) {
			if tombstone, ok := object.(cache.DeletedFinalStateUnknown); ok {
				object = tombstone.Obj
			}
			if pod, ok := object.(*v1.Pod); ok {
				server.Assumptions.Seen(string(pod.UID))
			}
		},
	})
	return err
}

// breakerChanged tells operators: by a metric, and by an event beside those of leader election.
func breakerChanged(recorder events.EventRecorderLogger, server string) func(open bool) {
	lease := &v1.ObjectReference{
		APIVersion: "coordination.k8s.io/v1", Kind: "Lease", Namespace: "kube-system", Name: "kube-scheduler"}
	return func(open bool) {
		if open {
			breakerOpen.Set(1)
		} else {
			breakerOpen.Set(0)
		}
		if recorder == nil {
			return
		}
		if open {
			recorder.Eventf(lease, nil, v1.EventTypeWarning, "EvenkeelNotAsked", "Scheduling",
				"Evenkeel at %s does not answer in time. PodTopologySpread answers in its place until it does", server)
		} else {
			recorder.Eventf(lease, nil, v1.EventTypeNormal, "EvenkeelAsked", "Scheduling", "Evenkeel at %s is asked again", server)
		}
	}
}
