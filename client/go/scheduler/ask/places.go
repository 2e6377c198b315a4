package ask

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
type places struct {
	table  *nodetable.Table
	found  atomic.Pointer[map[*v1.Node]int]
	mutex  sync.Mutex
	missed map[*v1.Node]int
}

func newPlaces(table *nodetable.Table) *places {
	p := &places{table: table, missed: map[*v1.Node]int{}}
	p.found.Store(&map[*v1.Node]int{})
	return p
}

// of is the index of a node, and whether the table has it.
func (p *places) of(node *v1.Node) (int, bool) {
	if index, known := (*p.found.Load())[node]; known {
		return index, true
	}
	index, known := p.table.Index(node.Name)
	if known {
		p.mutex.Lock()
		p.missed[node] = index
		p.mutex.Unlock()
	}
	return index, known
}

// settle lets objects that were looked up by name be found by their address from now on.
func (p *places) settle() {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if len(p.missed) == 0 {
		return
	}
	next := p.missed
	if before := *p.found.Load(); len(before)+len(next) <= p.table.Len()+p.table.Len()/4 {
		next = maps.Clone(before)
		maps.Copy(next, p.missed)
	}
	p.missed = map[*v1.Node]int{}
	p.found.Store(&next)
}
