package incremental

import (
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/utils/lru"
)

const (
	// maxSelectors bounds the index to 60 MB at 5,000 nodes.
	maxSelectors = 1000
	maxKeys      = 50
	// noDomain is the id of the domain of nodes without the topology key.
	noDomain = -1
	// emptyDomain is the id of the domain whose label value is empty.
	emptyDomain = 0
)

// index keeps what was read from the nodes of the scheduler's snapshot. A generation belongs to one state of one node,
// so whatever was read at the same generation is still right.
//
// It changes only in PreFilter and PreScore, which the scheduler does not call concurrently.
type index struct {
	nodes       []fwk.NodeInfo
	generations []int64
	layout      *layout

	// *column by podsKey, and *domains by topology key.
	pods, domains *lru.Cache
}

// layout is an order of nodes.
type layout struct {
	positions map[string]int
}

// podsKey identifies a set of pods. An empty selector and one that matches nothing look the same here, but neither
// counts any pods.
type podsKey struct{ namespace, selector string }

func newIndex() *index {
	return &index{layout: &layout{}, pods: lru.New(maxSelectors), domains: lru.New(maxKeys)}
}

// update reads the generations of a snapshot.
func (x *index) update(nodes []fwk.NodeInfo) {
	x.nodes = nodes
	moved := len(nodes) != len(x.generations)
	if moved {
		x.generations = make([]int64, len(nodes))
	}
	for i, node := range nodes {
		generation := node.GetGeneration()
		if generation == x.generations[i] {
			continue
		}
		x.generations[i] = generation
		position, known := x.layout.positions[node.Node().Name]
		moved = moved || !known || position != i
	}
	if !moved {
		return
	}
	x.layout = &layout{positions: make(map[string]int, len(nodes))}
	for i, node := range nodes {
		x.layout.positions[node.Node().Name] = i
	}
}

// column has a number for each node, by its position in a layout, and the generation at which it was read.
type column struct {
	layout      *layout
	generations []int64
	values      []int32
}

// update reads the nodes that have changed since the last time.
func (c *column) update(x *index, read func(fwk.NodeInfo) int32) {
	if c.layout != x.layout {
		c.arrange(x.layout)
	}
	for i, generation := range x.generations {
		if c.generations[i] != generation {
			c.values[i] = read(x.nodes[i])
			c.generations[i] = generation
		}
	}
}

// arrange moves what was read to the positions of another layout. New nodes get generation 0, which no node really has.
func (c *column) arrange(to *layout) {
	moved := column{layout: to, generations: make([]int64, len(to.positions)), values: make([]int32, len(to.positions))}
	if c.layout != nil {
		for name, position := range to.positions {
			if old, known := c.layout.positions[name]; known {
				moved.generations[position], moved.values[position] = c.generations[old], c.values[old]
			}
		}
	}
	*c = moved
}

// podsOf returns how many pods match on each node.
func (x *index) podsOf(namespace string, selector labels.Selector) *column {
	key := podsKey{namespace, selector.String()}
	pods := &column{}
	if known, ok := x.pods.Get(key); ok {
		pods = known.(*column)
	} else {
		x.pods.Add(key, pods)
	}
	pods.update(x, func(node fwk.NodeInfo) int32 { return countPods(node, namespace, selector) })
	return pods
}

func countPods(node fwk.NodeInfo, namespace string, selector labels.Selector) int32 {
	if selector.Empty() {
		return 0
	}
	count := int32(0)
	for _, info := range node.GetPods() {
		pod := info.GetPod()
		if pod.DeletionTimestamp == nil && pod.Namespace == namespace && selector.Matches(labels.Set(pod.Labels)) {
			count++
		}
	}
	return count
}

// domains are those of a topology key. The values of the column are the ids of the nodes' domains.
type domains struct {
	column
	// The key is the value of the label. Values that no node has anymore stay for a while.
	ids map[string]int32
}

func newDomains() *domains { return &domains{ids: map[string]int32{"": emptyDomain}} }

// domainsOf returns the domains of a topology key.
func (x *index) domainsOf(key string) *domains {
	found := newDomains()
	if known, ok := x.domains.Get(key); ok && len(known.(*domains).ids) <= 2*len(x.nodes)+100 {
		found = known.(*domains)
	} else {
		x.domains.Add(key, found)
	}
	found.update(x, func(node fwk.NodeInfo) int32 { return found.add(node.Node(), key) })
	return found
}

func (d *domains) add(node *v1.Node, key string) int32 {
	value, found := node.Labels[key]
	if !found {
		return noDomain
	}
	id, found := d.ids[value]
	if !found {
		id = int32(len(d.ids))
		d.ids[value] = id
	}
	return id
}
