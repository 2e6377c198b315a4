// Package cluster reads generated clusters from files.
package cluster

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"google.golang.org/protobuf/encoding/protowire"
)

// Cluster holds the objects of a cluster.
type Cluster struct {
	Nodes       []*corev1.Node
	Pods        []*corev1.Pod
	Services    []*corev1.Service
	ReplicaSets []*appsv1.ReplicaSet
}

// The field numbers of evenkeel.v1.ClusterObject.
const (
	nodeField       protowire.Number = 1
	podField        protowire.Number = 2
	serviceField    protowire.Number = 3
	replicaSetField protowire.Number = 5
)

type unmarshaler interface{ Unmarshal([]byte) error }

// add adds a ClusterObject, whose only field contains the bytes of a Kubernetes object.
func (c *Cluster) add(object []byte) error {
	field, kind, tag := protowire.ConsumeTag(object)
	if tag < 0 {
		return protowire.ParseError(tag)
	}
	if kind != protowire.BytesType {
		return fmt.Errorf("field %d must be a message, was of wire type %d", field, kind)
	}
	body, length := protowire.ConsumeBytes(object[tag:])
	if length < 0 {
		return protowire.ParseError(length)
	}
	switch field {
	case nodeField:
		return decode(body, &corev1.Node{}, &c.Nodes)
	case podField:
		return decode(body, &corev1.Pod{}, &c.Pods)
	case serviceField:
		return decode(body, &corev1.Service{}, &c.Services)
	case replicaSetField:
		return decode(body, &appsv1.ReplicaSet{}, &c.ReplicaSets)
	default:
		return fmt.Errorf("field %d must be a node, pod, service or replica set", field)
	}
}

func decode[T unmarshaler](body []byte, object T, list *[]T) error {
	*list = append(*list, object)
	return object.Unmarshal(body)
}

// Read reads a file of length-delimited evenkeel.v1.ClusterObject messages.
func Read(file string) (*Cluster, error) {
	opened, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer opened.Close()
	reader := bufio.NewReaderSize(opened, 1<<20)
	read := &Cluster{}
	for number := 1; ; number++ {
		length, err := binary.ReadUvarint(reader)
		if errors.Is(err, io.EOF) {
			return read, nil
		}
		if err != nil {
			return nil, fmt.Errorf("%s, object %d: %w", file, number, err)
		}
		object := make([]byte, length)
		if _, err := io.ReadFull(reader, object); err != nil {
			return nil, fmt.Errorf("%s, object %d: %w", file, number, err)
		}
		if err := read.add(object); err != nil {
			return nil, fmt.Errorf("%s, object %d: %w", file, number, err)
		}
	}
}
