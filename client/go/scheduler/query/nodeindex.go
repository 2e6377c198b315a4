package query

import (
	"maps"
	"sync"
	"sync/atomic"

	"evenkeel.io/client/go/nodetable"
	v1 "k8s.io/api/core/v1"
)

// nodeIndex finds the index of a node by the pointer to its object. A scheduler looks up thousands of nodes for each
// pod, and pointers are found much faster than names. The name of an object never changes, and an object that is kept
// here is not freed, so a pointer always means the same node.
//
//	byPointer   objects and their indexes; replaced, never modified
//	misses      objects that were looked up by name since then
//
// Stale objects are dropped once they make up a quarter of the table. Safe for concurrent use.
type nodeIndex struct {
	table     *nodetable.Table
	byPointer atomic.Pointer[map[*v1.Node]int]
	mutex     sync.Mutex
	misses    map[*v1.Node]int
}

func newNodeIndex(table *nodetable.Table) *nodeIndex {
	p := &nodeIndex{table: table, misses: map[*v1.Node]int{}}
	p.byPointer.Store(&map[*v1.Node]int{})
	return p
}

// lookup returns the index of a node, and whether the table has it.
func (p *nodeIndex) lookup(node *v1.Node) (int, bool) {
	if index, known := (*p.byPointer.Load())[node]; known {
		return index, true
	}
	index, known := p.table.Index(node.Name)
	if known {
		p.mutex.Lock()
		p.misses[node] = index
		p.mutex.Unlock()
	}
	return index, known
}

// mergeMisses makes objects that were looked up by name available by pointer.
func (p *nodeIndex) mergeMisses() {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if len(p.misses) == 0 {
		return
	}
	next := p.misses
	if before := *p.byPointer.Load(); len(before)+len(next) <= p.table.Len()+p.table.Len()/4 {
		next = maps.Clone(before)
		maps.Copy(next, p.misses)
	}
	p.misses = map[*v1.Node]int{}
	p.byPointer.Store(&next)
}
