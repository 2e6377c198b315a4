// Package audit compares Evenkeel's answers with those that PodTopologySpread gives for the same snapshot.
package audit

import (
	"cmp"
	"slices"
	"strconv"
	"sync"

	"evenkeel.io/client/go/evenkeelv1"
	"evenkeel.io/client/go/scheduler/query"
	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
)

// Comparison collects the original's answers in a scheduling cycle. Safe for concurrent use, like Filter.
type Comparison struct {
	mutex sync.Mutex
	codes map[*v1.Node]fwk.Code
	// Scores are the original's final scores; nil if there are none.
	Scores fwk.NodeScoreList
}

// Verdict adds the original's verdict on a node.
func (c *Comparison) Verdict(node *v1.Node, status *fwk.Status) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.codes == nil {
		c.codes = map[*v1.Node]fwk.Code{}
	}
	c.codes[node] = status.Code()
}

// Difference is a node for which the two answers differ.
type Difference struct {
	Node     string `json:"node"`
	Evenkeel string `json:"evenkeel"`
	Original string `json:"original"`
}

// verdicts compares the verdicts on the nodes that Filter was called for.
func (c *Comparison) verdicts(evenkeel *query.Verdicts) []Difference {
	var found []Difference
	for node, code := range c.codes {
		if own := codeOf(evenkeel.For(node.Name)); own != code {
			found = append(found, Difference{Node: node.Name, Evenkeel: own.String(), Original: code.String()})
		}
	}
	slices.SortFunc(found, func(a, b Difference) int { return cmp.Compare(a.Node, b.Node) })
	return found
}

func codeOf(code evenkeelv1.NodeCode) fwk.Code {
	switch code {
	case evenkeelv1.NodeCode_NODE_CODE_SUCCESS:
		return fwk.Success
	case evenkeelv1.NodeCode_NODE_CODE_UNSCHEDULABLE_AND_UNRESOLVABLE:
		return fwk.UnschedulableAndUnresolvable
	}
	return fwk.Unschedulable
}

// scored compares the scores of all nodes that were scored.
func (c *Comparison) scored(evenkeel *query.Scores) []Difference {
	var found []Difference
	for _, score := range c.Scores {
		if own, _ := evenkeel.For(score.Name); own != score.Score {
			found = append(found, Difference{Node: score.Name,
				Evenkeel: strconv.FormatInt(own, 10), Original: strconv.FormatInt(score.Score, 10)})
		}
	}
	return found
}
