package spread

import (
	"context"

	"evenkeel.io/client/go/evenkeelv1"
	"evenkeel.io/client/go/scheduler/ask"
	v1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
)

// Reserve lets Evenkeel count the pod on its node, as the scheduler does from now on. Nothing waits for it here.
func (p *Plugin) Reserve(ctx context.Context, state fwk.CycleState, pod *v1.Pod, node string) *fwk.Status {
	p.ended()
	if state.IsPodGroupSchedulingCycle() {
		// The pods of a group are placed in thought first, and taken back. Those that stay are reserved again, each by itself.
		return nil
	}
	written, err := writtenOf(state, pod)
	if err != nil {
		klog.FromContext(ctx).Error(err, "Evenkeel is not told of an assumed pod", "pod", klog.KObj(pod))
		return nil
	}
	p.scheduler.assume(written, node)
	return nil
}

// writtenOf is the pod as the cycle's question has named it, or writes it where none was put.
func writtenOf(state fwk.CycleState, pod *v1.Pod) (*evenkeelv1.Pod, error) {
	if s, status := read(state); status == nil && s.question != nil {
		return s.question.Pod, nil
	}
	return ask.Pod(pod)
}

// Unreserve takes that back.
func (p *Plugin) Unreserve(_ context.Context, state fwk.CycleState, pod *v1.Pod, _ string) {
	if state.IsPodGroupSchedulingCycle() {
		return
	}
	p.scheduler.forget(string(pod.UID))
}
