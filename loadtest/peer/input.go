package main

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"google.golang.org/protobuf/encoding/protowire"
)

// cluster holds the objects that the plugin sees.
type cluster struct {
	nodes       []*corev1.Node
	pods        []*corev1.Pod
	services    []*corev1.Service
	replicaSets []*appsv1.ReplicaSet
}

// question is an incoming pod and the nodes on which it is judged.
type question struct {
	Name string `json:"name"`
	// PodBytes are a Kubernetes Pod in protobuf; base64 in JSON.
	PodBytes []byte `json:"pod"`
	// Candidates are node names. If there are none, all nodes are candidates.
	Candidates []string `json:"candidates"`
	// Copies is how many such pods are placed one after another; 0 if the pod is only judged.
	Copies int `json:"copies"`

	pod *corev1.Pod
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
func (c *cluster) add(object []byte) error {
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
		return decode(body, &corev1.Node{}, &c.nodes)
	case podField:
		return decode(body, &corev1.Pod{}, &c.pods)
	case serviceField:
		return decode(body, &corev1.Service{}, &c.services)
	case replicaSetField:
		return decode(body, &appsv1.ReplicaSet{}, &c.replicaSets)
	default:
		return fmt.Errorf("field %d must be a node, pod, service or replica set", field)
	}
}

func decode[T unmarshaler](body []byte, object T, list *[]T) error {
	*list = append(*list, object)
	return object.Unmarshal(body)
}

func readCluster(file string) (*cluster, error) {
	opened, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer opened.Close()
	reader := bufio.NewReaderSize(opened, 1<<20)
	read := &cluster{}
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

func readQuestions(file string) ([]question, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var questions []question
	if err := json.Unmarshal(text, &questions); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	for i := range questions {
		questions[i].pod = &corev1.Pod{}
		if err := questions[i].pod.Unmarshal(questions[i].PodBytes); err != nil {
			return nil, fmt.Errorf("%s, %s: %w", file, questions[i].Name, err)
		}
	}
	return questions, nil
}
