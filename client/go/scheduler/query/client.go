package query

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"evenkeel.io/client/go/evenkeelv1"
	"evenkeel.io/client/go/nodetable"
	"evenkeel.io/client/go/scheduler/assumption"
	"evenkeel.io/client/go/scheduler/config"
	"evenkeel.io/client/go/scheduler/resourceversion"
	"google.golang.org/grpc"
	"google.golang.org/grpc/connectivity"
	"google.golang.org/protobuf/proto"
	v1 "k8s.io/api/core/v1"
)

// How long the probe waits for a node table, which may be large.
const listTimeout = 5 * time.Second

// A closed connection is opened again after this time, or by the next query.
const reconnectDelay = 200 * time.Millisecond

// The shortest deadline of a query in shadow mode, in which no cycle waits for the answer.
const minShadowDeadline = 2 * time.Second

// Link is the connection to one Evenkeel and the pods that it assumes. Profiles with different deadlines or modes
// share it: a pod that one of them assumes counts for all.
type Link struct {
	connection *grpc.ClientConn
	state      evenkeelv1.ClusterStateClient
	// Assumptions are the pods that the scheduler counts before the watch shows them bound.
	Assumptions *assumption.Ledger
}

// NewLink creates a connection that is opened on first use. Run must be called.
func NewLink(args *config.EvenkeelTopologySpreadArgs) (*Link, error) {
	connection, err := dial(args)
	if err != nil {
		return nil, err
	}
	state := evenkeelv1.NewClusterStateClient(connection)
	return &Link{connection: connection, state: state, Assumptions: assumption.NewLedger(assumption.NewClient(connection))}, nil
}

// Run sends assumed pods to Evenkeel until the context ends, and then closes the connection.
func (l *Link) Run(ctx context.Context) {
	l.connection.Connect()
	l.Assumptions.Run(ctx)
	l.connection.Close()
}

// Watch keeps the connection open even if nothing is queried, and reports whether it is open, until the context ends.
func (l *Link) Watch(ctx context.Context, report func(open bool)) {
	for state := l.connection.GetState(); ; state = l.connection.GetState() {
		report(state == connectivity.Ready)
		if state == connectivity.Idle {
			select {
			case <-ctx.Done():
				return
			case <-time.After(reconnectDelay):
			}
			l.connection.Connect()
		}
		if !l.connection.WaitForStateChange(ctx, state) {
			return
		}
	}
}

// Client queries one Evenkeel. All profiles with the same server, deadline and mode share it.
type Client struct {
	placement evenkeelv1.PlacementClient
	state     evenkeelv1.ClusterStateClient
	deadline  time.Duration
	tables    nodetable.Tables
	// The table that was received or listed last; nil before the first.
	latestTable atomic.Pointer[nodetable.Table]
	// For the table of the last verdicts; nil before the first.
	nodeIndex atomic.Pointer[nodeIndex]
	breaker   *breaker

	// ResourceVersions are those that the scheduler's informers have seen. No answer is based on older ones.
	ResourceVersions *resourceversion.Tracker
	// Assumptions are those of the link.
	Assumptions *assumption.Ledger
	// History records what was assumed at each revision. nil unless answers are compared later.
	History *assumption.History
}

// NewClient returns a client that queries over a link. Run must be called. Changes of the breaker are reported to
// breakerChanged.
func NewClient(args *config.EvenkeelTopologySpreadArgs, link *Link, versions *resourceversion.Tracker, breakerChanged func(failure error)) *Client {
	c := &Client{
		placement:        evenkeelv1.NewPlacementClient(link.connection),
		state:            link.state,
		deadline:         args.Deadline.Duration,
		breaker:          newBreaker(breakerChanged),
		ResourceVersions: versions,
		Assumptions:      link.Assumptions,
	}
	if args.Mode == config.ModeShadow {
		// No cycle waits for the answer.
		c.deadline = max(c.deadline, minShadowDeadline)
		c.History = link.Assumptions.KeepHistory()
	}
	return c
}

// Run probes Evenkeel while the breaker is open, until the context ends.
func (c *Client) Run(ctx context.Context) { c.breaker.run(ctx, c.refreshTable) }

// refreshTable lists the node table. A query has no time to list a large one.
func (c *Client) refreshTable(ctx context.Context) error {
	listing, cancel := context.WithTimeout(ctx, listTimeout)
	defer cancel()
	_, err := c.list(listing)
	return err
}

// withFreshness makes a call whose answer includes all that the scheduler itself has seen and done. Pending assumed
// pods are sent just before over the same connection and mostly arrive first. If the answer turns out to lack
// something, the call is repeated. The call returns the revision of its answer.
func (c *Client) withFreshness(ctx context.Context, pod *evenkeelv1.Pod, call func(demand *evenkeelv1.Freshness) (*evenkeelv1.Revision, error)) error {
	checkpoint, err := c.Assumptions.Flush(ctx)
	if err != nil {
		return err
	}
	answered, err := call(c.demand(pod, checkpoint.Revision))
	if err != nil {
		return err
	}
	covers, err := c.Assumptions.Covers(ctx, checkpoint, answered)
	if covers || err != nil {
		return err
	}
	revision, err := c.Assumptions.Await(ctx)
	if err != nil {
		return err
	}
	_, err = call(c.demand(pod, revision))
	return err
}

// demand must be called after the revision is known: a pod that is seen bound in the meantime is no longer sent to
// Evenkeel, so its resource version must be demanded.
func (c *Client) demand(pod *evenkeelv1.Pod, revision *evenkeelv1.Revision) *evenkeelv1.Freshness {
	owners := len(pod.GetSpec().GetTopologySpreadConstraints()) == 0
	return &evenkeelv1.Freshness{
		Revision: revision, ResourceVersions: c.ResourceVersions.Demand(owners), IncludeResourceVersions: c.History != nil}
}

// handleFailure handles the failure of a call: a restarted instance has no assumed pods and another node table.
func (c *Client) handleFailure(ctx context.Context, err error) error {
	switch errorReason(err) {
	case evenkeelv1.ErrorReason_ERROR_REASON_OTHER_INSTANCE.String():
		c.Assumptions.InstanceLost()
	case evenkeelv1.ErrorReason_ERROR_REASON_NODE_TABLE_UNKNOWN.String():
		if _, failure := c.list(ctx); failure != nil {
			return failure
		}
	}
	return err
}

// table returns the table that an answer refers to. If the answer does not contain it, the table is listed. If the
// listed table is another one, the query must be repeated.
func (c *Client) table(ctx context.Context, request nodetable.Request, response nodetable.Response) (*nodetable.Table, error) {
	table, err := c.tables.Take(request, response)
	if errors.Is(err, nodetable.ErrNotCarried) {
		if table, err = c.list(ctx); err == nil && table.Token() != response.GetNodeTableToken() {
			err = nodetable.ErrNotCarried
		}
	}
	if err == nil {
		c.latestTable.Store(table)
	}
	return table, err
}

func (c *Client) list(ctx context.Context) (*nodetable.Table, error) {
	table, err := c.tables.List(ctx, c.state)
	if err == nil {
		c.latestTable.Store(table)
	}
	return table, err
}

func options(candidates *evenkeelv1.Candidates, defaults *evenkeelv1.DefaultConstraints) *evenkeelv1.QueryOptions {
	// The best nodes are not used.
	return &evenkeelv1.QueryOptions{
		Candidates: candidates, Form: evenkeelv1.AnswerForm_ANSWER_FORM_PACKED, Defaults: defaults, MaxBest: 1}
}

var allNodes = &evenkeelv1.Candidates{Which: &evenkeelv1.Candidates_All{All: &evenkeelv1.AllNodes{}}}

func (c *Client) filter(ctx context.Context, pod *evenkeelv1.Pod, defaults *evenkeelv1.DefaultConstraints, timeout time.Duration) (*Verdicts, error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	request := &evenkeelv1.FilterRequest{
		Pods: []*evenkeelv1.Pod{pod}, Options: options(allNodes, defaults), KnownNodeTableToken: c.tables.Known()}
	var response *evenkeelv1.FilterResponse
	err := c.withFreshness(ctx, pod, func(demand *evenkeelv1.Freshness) (_ *evenkeelv1.Revision, err error) {
		request.Freshness = demand
		response, err = c.placement.Filter(ctx, request)
		return response.GetRevision(), err
	})
	if err != nil {
		return nil, c.handleFailure(ctx, err)
	}
	packed, err := packedAnswer(response)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(validateCount(pod, v1.DoNotSchedule, packed.HardConstraintCount), validatePassed(packed)); err != nil {
		return nil, err
	}
	table, err := c.table(ctx, request, response)
	if err != nil {
		return nil, err
	}
	return &Verdicts{StateVersion: StateVersion{Revision: response.Revision, ResourceVersions: response.ResourceVersions}, index: c.nodeIndexFor(table), packed: packed}, nil
}

// nodeIndexFor returns the index of a table, and keeps it as long as the table stays the same.
func (c *Client) nodeIndexFor(table *nodetable.Table) *nodeIndex {
	places := c.nodeIndex.Load()
	if places == nil || places.table != table {
		places = newNodeIndex(table)
		c.nodeIndex.Store(places)
	}
	places.mergeMisses()
	return places
}

func (c *Client) score(ctx context.Context, pod *evenkeelv1.Pod, defaults *evenkeelv1.DefaultConstraints, names []string, timeout time.Duration) (*Scores, error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	bits, err := c.nodeBits(ctx, names)
	if err != nil {
		return nil, err
	}
	request := &evenkeelv1.ScoreRequest{
		Pods:                []*evenkeelv1.Pod{pod},
		Options:             options(&evenkeelv1.Candidates{Which: &evenkeelv1.Candidates_Bits{Bits: bits}}, defaults),
		KnownNodeTableToken: proto.String(bits.NodeTableToken),
	}
	var response *evenkeelv1.ScoreResponse
	err = c.withFreshness(ctx, pod, func(demand *evenkeelv1.Freshness) (_ *evenkeelv1.Revision, err error) {
		request.Freshness = demand
		response, err = c.placement.Score(ctx, request)
		return response.GetRevision(), err
	})
	if err != nil {
		return nil, c.handleFailure(ctx, err)
	}
	packed, err := packedAnswer(response)
	if err != nil {
		return nil, err
	}
	if err := validateCount(pod, v1.ScheduleAnyway, packed.SoftConstraintCount); err != nil {
		return nil, err
	}
	if len(response.UnknownCandidates) > 0 {
		return nil, unknownNodes(response.UnknownCandidates)
	}
	table, err := c.table(ctx, request, response)
	if err != nil {
		return nil, err
	}
	scores := &Scores{StateVersion: StateVersion{Revision: response.Revision, ResourceVersions: response.ResourceVersions}, table: table, packed: packed}
	if err := scores.validate(bits, names); err != nil {
		return nil, err
	}
	return scores, nil
}

// nodeBits encodes names by the latest known table or, if that lacks one of them, by the newest one.
func (c *Client) nodeBits(ctx context.Context, names []string) (*evenkeelv1.NodeBits, error) {
	if table := c.latestTable.Load(); table != nil {
		if bits, unknown := table.Bits(names...); len(unknown) == 0 {
			return bits, nil
		}
	}
	table, err := c.list(ctx)
	if err != nil {
		return nil, err
	}
	bits, unknown := table.Bits(names...)
	if len(unknown) > 0 {
		return nil, unknownNodes(unknown)
	}
	return bits, nil
}

// IsBreakerOpen returns true while the breaker is open, so that Evenkeel is not queried.
func (c *Client) IsBreakerOpen() bool { return c.breaker.isOpen() }
