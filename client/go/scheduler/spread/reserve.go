package spread

import (
	"context"

	"evenkeel.io/client/go/evenkeelv1"
	"evenkeel.io/client/go/scheduler/query"
	v1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
)

// Reserve lets Evenkeel count the pod on its node, as the scheduler does from now on. Nothing waits for it here.
func (p *Plugin) Reserve(ctx context.Context, state fwk.CycleState, pod *v1.Pod, node string) *fwk.Status {
	p.observeLastCycle()
	if state.IsPodGroupSchedulingCycle() {
		// The pods of a group are placed in thought first, and taken back. Those that stay are reserved again, each by itself.
		return nil
	}
	message, err := podMessage(state, pod)
	if err != nil {
		klog.FromContext(ctx).Error(err, "Evenkeel is not told of an assumed pod", "pod", klog.KObj(pod))
		return nil
	}
	p.scheduler.assume(message, node)
	return nil
}

// writtenOf is the pod as the cycle's question has named it, or writes it where none was put.
func podMessage(state fwk.CycleState, pod *v1.Pod) (*evenkeelv1.Pod, error) {
	if s, status := readState(state); status == nil && s.query != nil {
		return s.query.Pod, nil
	}
	return query.ToProto(pod)
}

// Unreserve takes that back.
func (p *Plugin) Unreserve(_ context.Context, state fwk.CycleState, pod *v1.Pod, _ string) {
	if state.IsPodGroupSchedulingCycle() {
		return
	}
	p.scheduler.forget(string(pod.UID))
}
