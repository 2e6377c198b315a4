package main

import (
	"encoding/json"
	"fmt"
	"os"

	corev1 "k8s.io/api/core/v1"
)

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
