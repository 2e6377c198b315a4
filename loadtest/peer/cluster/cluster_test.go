package cluster

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"google.golang.org/protobuf/encoding/protowire"
)

func TestObjectIsReadByItsField(t *testing.T) {
	body, err := (&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "a", Labels: map[string]string{corev1.LabelTopologyZone: "z"}}}).Marshal()
	if err != nil {
		t.Fatal(err)
	}
	object := protowire.AppendBytes(protowire.AppendTag(nil, nodeField, protowire.BytesType), body)
	read := &Cluster{}
	if err := read.add(object); err != nil {
		t.Fatal(err)
	}
	if len(read.Nodes) != 1 || read.Nodes[0].Name != "a" || read.Nodes[0].Labels[corev1.LabelTopologyZone] != "z" {
		t.Errorf("got %v", read.Nodes)
	}
	if err := read.add(protowire.AppendBytes(protowire.AppendTag(nil, 6, protowire.BytesType), body)); err == nil {
		t.Error("want an error for a field that is not read")
	}
}
