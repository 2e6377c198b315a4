// Package nodetable maps the indexes of packed answers to nodes.
//
// A packed query names the table that its caller knows, and the answer contains what has changed since:
//
//	request.KnownNodeTableToken = tables.Known()
//	response, err := placement.Evaluate(ctx, request)
//	if err != nil { … }
//	table, err := tables.Take(request, response)
//	if errors.Is(err, nodetable.ErrNotCarried) {
//		table, err = tables.List(ctx, clusterState) // the change was too large for an answer
//	}
//
// A table from List may be newer than the answer: compare Table.Token with the token of the answer, and repeat the
// query if they differ. The next answer then contains the few changes since.
package nodetable

import (
	"fmt"
	"iter"
	"math/bits"
	"sync"

	"evenkeel.io/client/go/evenkeelv1"
)

// A server assigns only indexes below this limit. The number of nodes cannot serve as the limit, because few nodes
// may be left of many.
const indexLimit = 1 << 26

// Table has the names of the nodes by index. It is identified by a token. It is immutable and safe for concurrent
// use.
type Table struct {
	token string
	// names has "" for unused indexes, and does not end with one.
	names []string

	indexOnce sync.Once
	index     map[string]int
}

// Token identifies this table: no other table of any server has the same token.
func (t *Table) Token() string { return t.token }

// Len is one more than the largest index in use.
func (t *Table) Len() int { return len(t.names) }

// Name returns the name of the node with that index, or "" if there is none.
func (t *Table) Name(index int) string {
	if index < 0 || index >= len(t.names) {
		return ""
	}
	return t.names[index]
}

// Index returns the index of the node, and whether the table has it.
func (t *Table) Index(name string) (int, bool) {
	t.indexOnce.Do(func() {
		t.index = make(map[string]int, len(t.names))
		for index, known := range t.names {
			if known != "" {
				t.index[known] = index
			}
		}
	})
	index, ok := t.index[name]
	return index, ok
}

// Bits encodes these nodes as candidates, and returns the names that the table does not have.
func (t *Table) Bits(names ...string) (*evenkeelv1.NodeBits, []string) {
	var set []byte
	var unknown []string
	for _, name := range names {
		index, ok := t.Index(name)
		if !ok {
			unknown = append(unknown, name)
			continue
		}
		for len(set) <= index/8 {
			set = append(set, 0)
		}
		set[index/8] |= 1 << (index % 8)
	}
	return &evenkeelv1.NodeBits{NodeTableToken: t.token, Bits: set}, unknown
}

// Nodes iterates over the nodes of a bit set, such as PackedAnswer.Passed, by index and name.
func (t *Table) Nodes(set []byte) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		for at, eight := range set {
			for ; eight != 0; eight &= eight - 1 {
				index := at*8 + bits.TrailingZeros8(eight)
				if !yield(index, t.Name(index)) {
					return
				}
			}
		}
	}
}

// apply returns this table with the runs applied, or a table of the runs alone if whole is set. It fails if a run has
// indexes that no server assigns.
func (t *Table) apply(whole bool, runs []*evenkeelv1.NodeRun, token string) (*Table, error) {
	var names []string
	if !whole {
		names = append(names, t.names...)
	}
	for _, run := range runs {
		if run.FirstIndex < 0 || run.FirstIndex > indexLimit || len(run.Names) > indexLimit-int(run.FirstIndex) {
			return nil, fmt.Errorf("faulty answer from the server: it names %d nodes from index %d", len(run.Names), run.FirstIndex)
		}
		end := int(run.FirstIndex) + len(run.Names)
		if end > len(names) {
			names = append(names, make([]string, end-len(names))...)
		}
		copy(names[run.FirstIndex:], run.Names)
	}
	for len(names) > 0 && names[len(names)-1] == "" {
		names = names[:len(names)-1]
	}
	return &Table{token: token, names: names}, nil
}
