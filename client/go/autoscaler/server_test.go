package autoscaler

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"testing"

	"evenkeel.io/client/go/evenkeelv1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// connect returns a connection to the server that EVENKEEL_TARGET names, which the tests feed.
func connect(t *testing.T) *grpc.ClientConn {
	t.Helper()
	target := os.Getenv("EVENKEEL_TARGET")
	if target == "" {
		t.Skip("NOT RUN WITH A REAL SERVER: EVENKEEL_TARGET names no server")
	}
	connection, err := grpc.NewClient(target, grpc.WithTransportCredentials(insecure.NewCredentials()))
	must(t, err)
	t.Cleanup(func() { _ = connection.Close() })
	return connection
}

// begin feeds the server with a cluster, and returns an empty snapshot.
func begin(t *testing.T, nodes []*corev1.Node, pods ...*corev1.Pod) *Snapshot {
	t.Helper()
	connection := connect(t)
	feed(t, connection, nodes, pods)
	snapshot := New(context.Background(), connection, Options{})
	t.Cleanup(func() { _ = snapshot.Close() })
	return snapshot
}

// of returns a snapshot of a cluster that the server does not have.
func of(t *testing.T, nodes []*corev1.Node, pods ...*corev1.Pod) *Snapshot {
	t.Helper()
	snapshot := begin(t, nil)
	must(t, snapshot.SetClusterState(nodes, pods))
	return snapshot
}

// feed replaces the live cluster.
func feed(t *testing.T, connection *grpc.ClientConn, nodes []*corev1.Node, pods []*corev1.Pod) {
	t.Helper()
	stream, err := evenkeelv1.NewClusterStateClient(connection).Sync(context.Background())
	must(t, err)
	objects := &evenkeelv1.Objects{}
	for _, node := range nodes {
		message := &evenkeelv1.Node{}
		must(t, convert(node, message))
		objects.Objects = append(objects.Objects, &evenkeelv1.ClusterObject{Object: &evenkeelv1.ClusterObject_Node{Node: message}})
	}
	for _, pod := range pods {
		message := &evenkeelv1.Pod{}
		must(t, convert(pod, message))
		objects.Objects = append(objects.Objects, &evenkeelv1.ClusterObject{Object: &evenkeelv1.ClusterObject_Pod{Pod: message}})
	}
	for _, request := range []*evenkeelv1.SyncRequest{
		{Step: &evenkeelv1.SyncRequest_BeginSnapshot{BeginSnapshot: &evenkeelv1.BeginSnapshot{Feeder: "autoscaler-test", Takeover: true}}},
		{Step: &evenkeelv1.SyncRequest_Objects{Objects: objects}},
		{Step: &evenkeelv1.SyncRequest_EndSnapshot{EndSnapshot: &evenkeelv1.EndSnapshot{}}},
	} {
		must(t, stream.Send(request))
		response, err := stream.Recv()
		must(t, err)
		if len(response.Refusals) > 0 {
			t.Fatal(response.Refusals[0])
		}
	}
	must(t, stream.CloseSend())
	_, _ = stream.Recv()
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func expectError(t *testing.T, err, expected error) {
	t.Helper()
	if !errors.Is(err, expected) {
		t.Fatalf("expected %q, got %v", expected, err)
	}
}

// expectType requires the type of an error, or that there is none if the type is negative.
func expectType(t *testing.T, err SchedulingError, expected SchedulingErrorType) {
	t.Helper()
	if err == nil || err.Type() != expected {
		t.Fatalf("expected the type %d, got %v", expected, err)
	}
}

func expect[T comparable](t *testing.T, got, expected T) {
	t.Helper()
	if got != expected {
		t.Fatalf("expected %v, got %v", expected, got)
	}
}

// node has room for four pods of one CPU.
func node(name, zone string) *corev1.Node {
	return &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{
			Name: name, UID: types.UID("uid-" + name),
			Labels: map[string]string{corev1.LabelTopologyZone: zone, corev1.LabelHostname: name},
		},
		Status: corev1.NodeStatus{Allocatable: corev1.ResourceList{
			corev1.ResourceCPU: resource.MustParse("4"), corev1.ResourcePods: resource.MustParse("110")}},
	}
}

func zones(names ...string) []*corev1.Node {
	var nodes []*corev1.Node
	for _, name := range names {
		nodes = append(nodes, node("node-"+name, name))
	}
	return nodes
}

// web is a pod that asks for one CPU, of a workload with maxSkew 1 over zones.
func web(name, on string) *corev1.Pod {
	pod := plain(name, on)
	pod.Spec.TopologySpreadConstraints = []corev1.TopologySpreadConstraint{{
		MaxSkew: 1, TopologyKey: corev1.LabelTopologyZone, WhenUnsatisfiable: corev1.DoNotSchedule,
		LabelSelector: &metav1.LabelSelector{MatchLabels: pod.Labels},
	}}
	return pod
}

// plain has no constraints.
func plain(name, on string) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: "shop", Name: name, UID: types.UID("uid-" + name), Labels: map[string]string{"app": "web"},
			Annotations: map[string]string{"a": "b"},
		},
		Spec: corev1.PodSpec{NodeName: on, Containers: []corev1.Container{{
			Name:      "web",
			Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("1")}},
		}}},
	}
}

func webs(count int) []*corev1.Pod {
	var pods []*corev1.Pod
	for i := range count {
		pods = append(pods, web(fmt.Sprintf("web-%d", i), ""))
	}
	return pods
}

// podsOn returns how many pods each node has, by what the snapshot keeps and by what the server has.
func podsOn(t *testing.T, snapshot *Snapshot) string {
	t.Helper()
	infos, err := snapshot.ListNodeInfos()
	must(t, err)
	text := ""
	for _, info := range infos {
		text += fmt.Sprintf("%s:%d ", info.Node().Name, len(info.Pods()))
	}
	expect(t, counted(t, snapshot), text)
	return text
}

// counted returns how many pods the server counts on each node.
func counted(t *testing.T, snapshot *Snapshot) string {
	t.Helper()
	must(t, snapshot.ready())
	names, err := snapshot.session.nodeNames()
	must(t, err)
	// A hard constraint on hostnames without a selector that excludes pods shows the pods of each node.
	pod := &evenkeelv1.Pod{Metadata: &evenkeelv1.ObjectMeta{Namespace: "shop"}, Spec: &evenkeelv1.PodSpec{
		TopologySpreadConstraints: []*evenkeelv1.TopologySpreadConstraint{{
			MaxSkew: 1, TopologyKey: corev1.LabelHostname, WhenUnsatisfiable: "DoNotSchedule",
			LabelSelector: &evenkeelv1.LabelSelector{MatchLabels: map[string]string{"app": "web"}},
		}}}}
	explained, err := snapshot.session.placement.Explain(context.Background(), &evenkeelv1.ExplainRequest{
		Subject: &evenkeelv1.ExplainRequest_Pod{Pod: pod}, Session: snapshot.session.id,
		Candidates: &evenkeelv1.Candidates{Which: &evenkeelv1.Candidates_All{All: &evenkeelv1.AllNodes{}}},
	})
	must(t, err)
	counts := map[string]int64{}
	if len(explained.Constraints) > 0 {
		for _, domain := range explained.Constraints[0].Domains {
			counts[domain.Value] = domain.MatchingPodCount
		}
	}
	text := ""
	slices.Sort(names)
	for _, name := range names {
		text += fmt.Sprintf("%s:%d ", name, counts[name])
	}
	return text
}
