package main

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"os"
)

const (
	hard = 1 << iota
	soft
)

// recording contains a verdict and a score of each node for each pod. The file contains the number of nodes, and the
// length and the name of each node; then the number of pods, and for each pod the length of its namespace/name, the
// namespace/name, a byte of flags, a bit for each node, lowest bit first, and a byte for each node. The bits are
// present if the pod has hard constraints, the bytes if it has soft ones. All numbers are four bytes, big-endian.
type recording struct {
	nodes map[string]int
	pods  map[string]record
}

// record is what was recorded for a pod. passed is nil if it has no hard constraints, scores is nil if it has no soft
// ones.
type record struct {
	passed []byte
	scores []byte
}

func readRecording(name string) (*recording, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	read, err := parseRecording(bufio.NewReader(file))
	if err != nil {
		return nil, fmt.Errorf("recording %s: %w", name, err)
	}
	return read, nil
}

func parseRecording(in io.Reader) (*recording, error) {
	nodeCount, err := readNumber(in)
	if err != nil {
		return nil, err
	}
	read := &recording{nodes: map[string]int{}, pods: map[string]record{}}
	for index := range nodeCount {
		name, err := readText(in)
		if err != nil {
			return nil, err
		}
		read.nodes[name] = index
	}
	podCount, err := readNumber(in)
	if err != nil {
		return nil, err
	}
	for range podCount {
		key, err := readText(in)
		if err != nil {
			return nil, err
		}
		flags, err := readBytes(in, 1)
		if err != nil {
			return nil, err
		}
		var pod record
		if flags[0]&hard != 0 {
			if pod.passed, err = readBytes(in, (nodeCount+7)/8); err != nil {
				return nil, err
			}
		}
		if flags[0]&soft != 0 {
			if pod.scores, err = readBytes(in, nodeCount); err != nil {
				return nil, err
			}
		}
		read.pods[key] = pod
	}
	return read, nil
}

func readNumber(in io.Reader) (int, error) {
	var number uint32
	err := binary.Read(in, binary.BigEndian, &number)
	return int(number), err
}

func readText(in io.Reader) (string, error) {
	length, err := readNumber(in)
	if err != nil {
		return "", err
	}
	text, err := readBytes(in, length)
	return string(text), err
}

func readBytes(in io.Reader, length int) ([]byte, error) {
	read := make([]byte, length)
	_, err := io.ReadFull(in, read)
	return read, err
}
