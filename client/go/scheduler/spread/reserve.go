package spread

import (
	"context"

	"evenkeel.io/client/go/evenkeelv1"
	"evenkeel.io/client/go/scheduler/query"
	v1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
)

// Reserve makes Evenkeel count the pod on its node, like the scheduler does from now on. It does not wait for
// Evenkeel.
func (p *Plugin) Reserve(ctx context.Context, state fwk.CycleState, pod *v1.Pod, node string) *fwk.Status {
	p.observeLastCycle()
	if state.IsPodGroupSchedulingCycle() {
		// The pods of a group are first placed hypothetically and unreserved. Those that stay are reserved again, one
		// by one.
		return nil
	}
	message, err := podMessage(state, pod)
	if err != nil {
		klog.FromContext(ctx).Error(err, "Failed to send an assumed pod to Evenkeel", "pod", klog.KObj(pod))
		return nil
	}
	p.scheduler.assume(message, node)
	return nil
}

// podMessage returns the pod of the cycle's query, or encodes it if there was none.
func podMessage(state fwk.CycleState, pod *v1.Pod) (*evenkeelv1.Pod, error) {
	if s, status := readState(state); status == nil && s.query != nil {
		return s.query.Pod, nil
	}
	return query.ToProto(pod)
}

// Unreserve reverts Reserve.
func (p *Plugin) Unreserve(_ context.Context, state fwk.CycleState, pod *v1.Pod, _ string) {
	if state.IsPodGroupSchedulingCycle() {
		return
	}
	p.scheduler.forget(string(pod.UID))
}
