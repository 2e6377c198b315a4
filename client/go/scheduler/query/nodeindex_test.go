package query

import (
	"fmt"
	"math/rand"
	"sync"
	"testing"

	"evenkeel.io/client/go/evenkeelv1"
	"evenkeel.io/client/go/nodetable"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func tableOf(t *testing.T, names ...string) *nodetable.Table {
	t.Helper()
	var tables nodetable.Tables
	table, err := tables.Take(&evenkeelv1.FilterRequest{}, &evenkeelv1.FilterResponse{
		NodeTableToken:  "t",
		NodeTableChange: &evenkeelv1.NodeTableChange{Whole: true, Runs: []*evenkeelv1.NodeRun{{Names: names}}}})
	if err != nil {
		t.Fatal(err)
	}
	return table
}

func object(name string) *v1.Node { return &v1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}} }

// Nodes are replaced by newer objects while several goroutines look up some of them.
func TestNodeIndex_agreesWithTheTable_whenObjectsAreReplaced(t *testing.T) {
	names := make([]string, 40)
	for i := range names {
		names[i] = fmt.Sprint("node-", i)
	}
	table := tableOf(t, names[:30]...)
	p := newNodeIndex(table)
	nodes := make([]*v1.Node, len(names))
	for i, name := range names {
		nodes[i] = object(name)
	}
	random := rand.New(rand.NewSource(1))
	for range 500 {
		nodes[random.Intn(len(nodes))] = object(names[random.Intn(len(names))])
		var looking sync.WaitGroup
		for range 3 {
			looking.Go(func() {
				for _, node := range nodes {
					index, known := p.lookup(node)
					expected, there := table.Index(node.Name)
					if known != there || known && index != expected {
						t.Errorf("%s is at %d (%v), expected %d (%v)", node.Name, index, known, expected, there)
					}
				}
			})
		}
		looking.Wait()
		p.mergeMisses()
		if kept := len(*p.byPointer.Load()); kept > 30+30/4 {
			t.Fatalf("%d objects are kept for a table of 30", kept)
		}
	}
}

func TestNodeIndex_findsByPointer_afterALookup(t *testing.T) {
	p := newNodeIndex(tableOf(t, "a", "b"))
	a := object("a")
	p.lookup(a)
	p.mergeMisses()
	if index, known := (*p.byPointer.Load())[a]; !known || index != 0 || len(p.misses) > 0 {
		t.Errorf("found %v, missed %v", *p.byPointer.Load(), p.misses)
	}
}
