package query

import (
	"maps"
	"sync"
	"sync/atomic"

	"evenkeel.io/client/go/nodetable"
	v1 "k8s.io/api/core/v1"
)

// places finds nodes in a table by their objects: a scheduler looks thousands of them up for each pod, and addresses are
// found much faster than names. Nobody changes the name of an object, and an object that is kept here is not freed, so its
// address always stands for the same node.
//
//	found   objects and their indexes; never changed, but replaced
//	missed  objects that were looked up by name since
//
// Objects that the scheduler has replaced by newer ones go once they are a quarter of the table. Safe for concurrent use.
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

// of is the index of a node, and whether the table has it.
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

// settle lets objects that were looked up by name be found by their address from now on.
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
