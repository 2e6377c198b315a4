package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"evenkeel.io/loadtest/peer/profile"
	corev1 "k8s.io/api/core/v1"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/informers"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/backend/cache"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/defaultpreemption"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/feature"
	"k8s.io/kubernetes/pkg/scheduler/framework/preemption"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"
	"k8s.io/kubernetes/pkg/scheduler/metrics"
)

// noPods is a nominator without pods.
type noPods struct{ fwk.PodNominator }

func (noPods) NominatedPodsForNode(string) []fwk.PodInfo { return nil }

// preempt records what DefaultPreemption would do for the pod of a scenario. The dry run is
// repeated, and the time of each is returned.
func preempt(ctx context.Context, recorded *scenario, runs int) ([]time.Duration, error) {
	metrics.Register()
	available := profile.Registry()
	standard, err := profile.Default(available)
	if err != nil {
		return nil, err
	}
	// kube-scheduler does not watch finished pods (newPodInformer).
	bound := slices.DeleteFunc(slices.Clone(recorded.Bound), func(pod *corev1.Pod) bool {
		return pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed
	})
	snapshot := cache.NewSnapshot(bound, recorded.Nodes)
	scheduler, err := frameworkruntime.NewFramework(ctx, available, standard,
		frameworkruntime.WithSnapshotSharedLister(snapshot),
		frameworkruntime.WithInformerFactory(informers.NewSharedInformerFactory(nil, 0)),
		frameworkruntime.WithPodNominator(noPods{}))
	if err != nil {
		return nil, err
	}
	gates := feature.NewSchedulerFeaturesFromGates(utilfeature.DefaultFeatureGate)
	args := &config.DefaultPreemptionArgs{MinCandidateNodesPercentage: 100, MinCandidateNodesAbsolute: 1}
	plugin, err := defaultpreemption.New(ctx, args, scheduler, gates)
	if err != nil {
		return nil, err
	}
	all, err := snapshot.NodeInfos().List()
	if err != nil {
		return nil, err
	}
	state := framework.NewCycleState()
	verdicts, isAccepted, err := filter(ctx, scheduler, state, recorded.Pod, all)
	if err != nil {
		return nil, err
	}
	if isAccepted {
		recorded.Outcome = accepted
		return nil, nil
	}
	nominated := verdicts.Get(recorded.Pod.Status.NominatedNodeName)
	if eligible, why := plugin.PodEligibleToPreemptOthers(ctx, recorded.Pod, nominated); !eligible {
		recorded.Outcome, recorded.Message = "ineligible", why
		return nil, nil
	}
	resolvable, err := verdicts.NodesForStatusCode(snapshot.NodeInfos(), fwk.Unschedulable)
	if err != nil {
		return nil, err
	}
	var candidates []preemption.Candidate
	var statuses *framework.NodeToStatus
	times := make([]time.Duration, runs)
	for i := range times {
		start := time.Now()
		candidates, statuses, err = plugin.Evaluator.DryRunPreemption(
			ctx, state, recorded.Pod, resolvable, recorded.Budgets, 0, int32(len(resolvable)))
		times[i] = time.Since(start)
		if err != nil {
			return nil, err
		}
	}
	recorded.Outcome = "helpful"
	if len(candidates) == 0 {
		statuses.SetAbsentNodesStatus(fwk.NewStatus(fwk.UnschedulableAndUnresolvable, "Preemption is not helpful for scheduling"))
		recorded.Outcome = "unhelpful"
		recorded.Message = (&framework.FitError{
			Pod: recorded.Pod, NumAllNodes: len(all), Diagnosis: framework.Diagnosis{NodeToStatus: statuses},
		}).Error()
	}
	for len(candidates) > 0 {
		best := plugin.Evaluator.SelectCandidate(ctx, candidates)
		recorded.Candidates = append(recorded.Candidates, described(best))
		candidates = slices.DeleteFunc(candidates, func(each preemption.Candidate) bool { return each.Name() == best.Name() })
	}
	return times, nil
}

func described(found preemption.Candidate) candidate {
	described := candidate{Node: found.Name(), Violations: found.Victims().NumPDBViolations}
	for _, victim := range found.Victims().Pods {
		described.Victims = append(described.Victims, victim.Name)
	}
	return described
}

// filter has the verdict on each node, and whether one of them accepts the pod.
func filter(
	ctx context.Context, scheduler framework.Framework, state fwk.CycleState, pod *corev1.Pod, nodes []fwk.NodeInfo,
) (*framework.NodeToStatus, bool, error) {
	verdicts := framework.NewDefaultNodeToStatus()
	result, status, _ := scheduler.RunPreFilterPlugins(ctx, state, pod)
	if !status.IsSuccess() {
		return nil, false, fmt.Errorf("%s is rejected before the nodes: %w", pod.Name, status.AsError())
	}
	for _, node := range nodes {
		if !result.AllNodes() && !result.NodeNames.Has(node.Node().Name) {
			continue
		}
		status := scheduler.RunFilterPlugins(ctx, state, pod, node)
		if status.IsSuccess() {
			return nil, true, nil
		}
		if !status.IsRejected() {
			return nil, false, status.AsError()
		}
		verdicts.Set(node.Node().Name, status)
	}
	return verdicts, false, nil
}
