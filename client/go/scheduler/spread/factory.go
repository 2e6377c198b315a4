package spread

import (
	"context"
	"fmt"

	"evenkeel.io/client/go/scheduler/audit"
	"evenkeel.io/client/go/scheduler/config"
	"evenkeel.io/client/go/scheduler/original"
	"evenkeel.io/client/go/scheduler/query"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/events"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"
)

// NewFactory returns a factory of plugins for the profiles of one scheduler. They share the connection to Evenkeel,
// because they share the snapshot that is sent over it.
func NewFactory() frameworkruntime.PluginFactory {
	shared := &scheduler{servers: map[string]sharedServer{}}
	return func(ctx context.Context, args runtime.Object, handle fwk.Handle) (fwk.Plugin, error) {
		given, ok := args.(*config.EvenkeelTopologySpreadArgs)
		if !ok {
			return nil, fmt.Errorf("want args to be of type EvenkeelTopologySpreadArgs, got %T", args)
		}
		if err := config.Validate(given); err != nil {
			return nil, err
		}
		return newPlugin(ctx, shared, given, handle)
	}
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
	defaults, err := query.DefaultConstraints(originalArgs)
	if err != nil {
		return nil, err
	}
	server, err := scheduler.server(ctx, args, handle)
	if err != nil {
		return nil, err
	}
	auditor, err := audit.New(handle.ProfileName(), originalArgs, server, args.ReplayDirectory)
	if err != nil {
		return nil, err
	}
	created := &Plugin{
		original:           plugin,
		handle:             handle,
		profile:            handle.ProfileName(),
		scheduler:          scheduler,
		server:             server,
		defaults:           defaults,
		defaultConstraints: defaultConstraints(originalArgs),
		features:           original.Features(),
		auditor:            auditor,
		shadow:             args.Mode == config.ModeShadow,
		minNodes:           int(*args.MinNodes),
		minWait:            max(args.MinWait.Duration, minTimeout),
		auditEvery:         int(*args.AuditEvery),
	}
	if created.defaultConstraints.hard+created.defaultConstraints.soft > 0 {
		created.owners = newOwners(handle.SharedInformerFactory())
	}
	return created, nil
}

// maxNoteLength keeps the note of an event below the limit of the API.
const maxNoteLength = 500

// failureChanged reports by a log line, a metric, and an event on a lease when Evenkeel fails and when it answers
// again.
func failureChanged(logger klog.Logger, recorder events.EventRecorderLogger, server string) func(failure error) {
	// The stock scheduler's lease, because a plugin does not know the name of the actual lease.
	lease := &v1.ObjectReference{
		APIVersion: "coordination.k8s.io/v1", Kind: "Lease", Namespace: "kube-system", Name: "kube-scheduler"}
	// Events that differ only in their note are counted as repetitions of the first one, whose note stays.
	record := func(typ, reason, action, note string) {
		if recorder != nil {
			recorder.Eventf(lease, nil, typ, reason, action, "%s", note)
		}
	}
	failing.WithLabelValues(server).Set(0)
	return func(failure error) {
		if failure == nil {
			failing.WithLabelValues(server).Set(0)
			logger.Info("Evenkeel answers again; using its answers", "server", server)
			record(v1.EventTypeNormal, "EvenkeelAsked", "Scheduling", fmt.Sprintf("Evenkeel at %s answers again", server))
			return
		}
		failing.WithLabelValues(server).Set(1)
		logger.Error(failure, "Evenkeel does not answer; PodTopologySpread answers instead until it does", "server", server)
		cause := []rune(failure.Error())
		record(v1.EventTypeWarning, "EvenkeelNotAsked", string(query.ReasonOf(failure)), fmt.Sprintf(
			"Evenkeel at %s does not answer; PodTopologySpread answers instead until it does: %s",
			server, string(cause[:min(len(cause), maxNoteLength)])))
	}
}
