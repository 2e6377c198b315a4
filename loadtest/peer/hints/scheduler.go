package main

import (
	"context"
	"maps"
	"slices"

	"evenkeel.io/loadtest/peer/profile"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/informers"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/backend/cache"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"
	"k8s.io/kubernetes/pkg/scheduler/metrics"
)

// cluster is what kube-scheduler has in its cache.
type cluster struct {
	profile   *config.KubeSchedulerProfile
	available frameworkruntime.Registry
	nodes     map[string]*corev1.Node
	bound     map[string]*corev1.Pod
}

// trial is what an attempt to place the pod finds.
type trial struct {
	scheduler framework.Framework
	accepting []string
	rejectors sets.Set[string]
}

// play plays the events of a scenario until a node accepts its pod. It records none if one does so at the beginning.
func play(ctx context.Context, recorded *scenario) error {
	metrics.Register()
	available := profile.Registry()
	standard, err := profile.Default(available)
	if err != nil {
		return err
	}
	now := &cluster{profile: standard, available: available, nodes: map[string]*corev1.Node{}, bound: map[string]*corev1.Pod{}}
	for _, node := range recorded.Nodes {
		now.nodes[node.Name] = node
	}
	for _, pod := range recorded.Bound {
		now.bound[pod.Name] = pod
	}
	before, err := now.try(ctx, recorded.Pod)
	if err != nil {
		return err
	}
	if len(before.accepting) > 0 {
		recorded.Events = nil
		return nil
	}
	for i, change := range recorded.Events {
		if change.Hinted, err = now.apply(ctx, change, recorded.Pod, before); err != nil {
			return err
		}
		if before, err = now.try(ctx, recorded.Pod); err != nil {
			return err
		}
		if change.Accepting = before.accepting; len(change.Accepting) > 0 {
			recorded.Events = recorded.Events[:i+1]
			return nil
		}
	}
	return nil
}

// try finds the nodes that accept the pod, and the plugins that reject the others.
func (c *cluster) try(ctx context.Context, pod *corev1.Pod) (*trial, error) {
	nodes := slices.Collect(maps.Values(c.nodes))
	pods := slices.DeleteFunc(slices.Collect(maps.Values(c.bound)), func(pod *corev1.Pod) bool { return c.nodes[pod.Spec.NodeName] == nil })
	snapshot := cache.NewSnapshot(pods, nodes)
	scheduler, err := frameworkruntime.NewFramework(ctx, c.available, c.profile,
		frameworkruntime.WithSnapshotSharedLister(snapshot),
		frameworkruntime.WithInformerFactory(informers.NewSharedInformerFactory(nil, 0)))
	if err != nil {
		return nil, err
	}
	found := &trial{scheduler: scheduler, rejectors: sets.New[string]()}
	all, err := snapshot.NodeInfos().List()
	if err != nil {
		return nil, err
	}
	state := framework.NewCycleState()
	result, status, _ := scheduler.RunPreFilterPlugins(ctx, state, pod)
	if status.IsRejected() {
		found.rejectors.Insert(status.Plugin())
		return found, nil
	}
	if !status.IsSuccess() {
		return nil, status.AsError()
	}
	for _, node := range all {
		if !result.AllNodes() && !result.NodeNames.Has(node.Node().Name) {
			continue
		}
		status := scheduler.RunFilterPlugins(ctx, state, pod, node)
		if status.IsSuccess() {
			found.accepting = append(found.accepting, node.Node().Name)
		} else if status.IsRejected() {
			found.rejectors.Insert(status.Plugin())
		} else {
			return nil, status.AsError()
		}
	}
	slices.Sort(found.accepting)
	return found, nil
}

// apply changes the cluster as kube-scheduler's event handlers do, and asks the hints.
func (c *cluster) apply(ctx context.Context, change *event, pod *corev1.Pod, before *trial) (bool, error) {
	if node := change.Node; node != nil {
		old := c.nodes[node.Name]
		c.nodes[node.Name] = node
		switch change.Type {
		case added:
			return before.isHinted(ctx, pod, fwk.ClusterEvent{Resource: fwk.Node, ActionType: fwk.Add}, nil, node)
		case deleted:
			delete(c.nodes, node.Name)
			return before.isHinted(ctx, pod, fwk.ClusterEvent{Resource: fwk.Node, ActionType: fwk.Delete}, node, nil)
		}
		return before.isAnyHinted(ctx, pod, framework.NodeSchedulingPropertiesChange(node, old), old, node)
	}
	old := c.bound[change.Pod.Name]
	// kube-scheduler does not watch finished pods (newPodInformer), so a pod that finishes is deleted.
	if change.Type == deleted || change.Pod.Status.Phase == corev1.PodSucceeded {
		delete(c.bound, change.Pod.Name)
		return before.isHinted(ctx, pod, framework.EventAssignedPodDelete, old, nil)
	}
	c.bound[change.Pod.Name] = change.Pod
	if change.Type == added {
		return before.isHinted(ctx, pod, framework.EventAssignedPodAdd, nil, change.Pod)
	}
	return before.isAnyHinted(ctx, pod, framework.PodSchedulingPropertiesChange(change.Pod, old), old, change.Pod)
}

func (t *trial) isAnyHinted(ctx context.Context, pod *corev1.Pod, changes []fwk.ClusterEvent, old, now any) (bool, error) {
	for _, change := range changes {
		if is, err := t.isHinted(ctx, pod, change, old, now); is || err != nil {
			return is, err
		}
	}
	return false, nil
}

// isHinted is isPodWorthRequeuing of kube-scheduler's queue, with the hints of buildQueueingHintMap.
func (t *trial) isHinted(ctx context.Context, pod *corev1.Pod, change fwk.ClusterEvent, old, now any) (bool, error) {
	if t.rejectors.Len() == 0 {
		return true, nil
	}
	for _, plugin := range t.scheduler.EnqueueExtensions() {
		if !t.rejectors.Has(plugin.Name()) {
			continue
		}
		registered, err := plugin.EventsToRegister(ctx)
		if err != nil {
			return false, err
		}
		adds, taints := false, false
		for _, each := range registered {
			isNode := each.Event.Resource == fwk.Node
			adds = adds || isNode && each.Event.ActionType&fwk.Add != 0
			taints = taints || isNode && each.Event.ActionType&fwk.UpdateNodeTaint != 0
			if !framework.MatchClusterEvents(each.Event, change) {
				continue
			}
			if each.QueueingHintFn == nil {
				return true, nil
			}
			// A hint that fails counts as one that asks for the pod to be tried again.
			if hint, err := each.QueueingHintFn(klog.FromContext(ctx), pod, old, now); err != nil || hint == fwk.Queue {
				return true, nil
			}
		}
		if adds && !taints && framework.MatchClusterEvents(fwk.ClusterEvent{Resource: fwk.Node, ActionType: fwk.UpdateNodeTaint}, change) {
			return true, nil
		}
	}
	return false, nil
}
