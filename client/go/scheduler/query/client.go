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

// A connection that has ended is opened again after this time, or by the next question.
const reconnectDelay = 200 * time.Millisecond

// How long a question takes at most where nothing waits for its answer.
const minShadowDeadline = 2 * time.Second

// Link is the connection to one Evenkeel, and what it is told there. Profiles that wait for it in different ways share it:
// what one of them assumes counts for all.
type Link struct {
	connection *grpc.ClientConn
	state      evenkeelv1.ClusterStateClient
	// Assumptions are the pods that the scheduler counts before the watch shows them bound.
	Assumptions *assumption.Ledger
}

// NewLink makes a connection, which is opened when it is needed. Run must be called.
func NewLink(args *config.EvenkeelTopologySpreadArgs) (*Link, error) {
	connection, err := connect(args)
	if err != nil {
		return nil, err
	}
	state := evenkeelv1.NewClusterStateClient(connection)
	return &Link{connection: connection, state: state, Assumptions: assumption.NewLedger(assumption.NewClient(connection))}, nil
}

// Run keeps Evenkeel told of what is assumed, until the context ends. Then the connection is closed.
func (l *Link) Run(ctx context.Context) {
	l.connection.Connect()
	l.Assumptions.Run(ctx)
	l.connection.Close()
}

// Watch keeps the connection open, also while nobody asks, and tells whether it is, until the context ends.
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

// Server is the Evenkeel that a scheduler asks. All profiles that name it, and wait for it in the same way, share it.
type Client struct {
	placement evenkeelv1.PlacementClient
	state     evenkeelv1.ClusterStateClient
	deadline  time.Duration
	tables    nodetable.Tables
	// The table that was taken or listed last; nil before the first.
	latestTable atomic.Pointer[nodetable.Table]
	// Of the table of the last verdicts; nil before the first.
	nodeIndex atomic.Pointer[nodeIndex]
	breaker   *breaker

	// Versions are those that the scheduler's informers have seen: no answer rests on older ones.
	ResourceVersions *resourceversion.Tracker
	// Assumptions are those of the link.
	Assumptions *assumption.Ledger
	// History says what was assumed at a revision. nil where answers are not judged later.
	History *assumption.History
}

// NewServer asks over a link. Run must be called. The breaker's changes are told.
func NewClient(args *config.EvenkeelTopologySpreadArgs, link *Link, versions *resourceversion.Tracker, breakerChanged func(failure error)) *Client {
	s := &Client{
		placement:        evenkeelv1.NewPlacementClient(link.connection),
		state:            link.state,
		deadline:         args.Deadline.Duration,
		breaker:          newBreaker(breakerChanged),
		ResourceVersions: versions,
		Assumptions:      link.Assumptions,
	}
	if args.Mode == config.ModeShadow {
		// No cycle waits for the answer.
		s.deadline = max(s.deadline, minShadowDeadline)
		s.History = link.Assumptions.KeepHistory()
	}
	return s
}

// Run probes Evenkeel while it is not asked, until the context ends.
func (s *Client) Run(ctx context.Context) { s.breaker.run(ctx, s.refreshTable) }

// prepare takes the node table in, which a question has no time for where it is large.
func (s *Client) refreshTable(ctx context.Context) error {
	listing, cancel := context.WithTimeout(ctx, listTimeout)
	defer cancel()
	_, err := s.list(listing)
	return err
}

// fresh makes a call whose answer rests on all that the scheduler itself has seen and done. What Evenkeel was not told of
// the latter is sent just before over the same connection, and mostly arrives before. Where the answer turns out to lack
// something, the call is made again. The call gives the revision of its answer.
func (s *Client) withFreshness(ctx context.Context, call func(demand *evenkeelv1.Freshness) (*evenkeelv1.Revision, error)) error {
	checkpoint, err := s.Assumptions.Flush(ctx)
	if err != nil {
		return err
	}
	answered, err := call(s.demand(checkpoint.Revision))
	if err != nil {
		return err
	}
	covers, err := s.Assumptions.Covers(ctx, checkpoint, answered)
	if covers || err != nil {
		return err
	}
	revision, err := s.Assumptions.Await(ctx)
	if err != nil {
		return err
	}
	_, err = call(s.demand(revision))
	return err
}

// demand comes after the revision was found out: a pod that is seen bound meanwhile is not told of any more, so its
// version must be demanded.
func (s *Client) demand(revision *evenkeelv1.Revision) *evenkeelv1.Freshness {
	return &evenkeelv1.Freshness{
		Revision: revision, ResourceVersions: s.ResourceVersions.Demand(), IncludeResourceVersions: s.History != nil}
}

// failed looks at a failure of a call: an instance that was started again knows nothing of what was assumed, and has
// another node table.
func (s *Client) handleFailure(ctx context.Context, err error) error {
	switch errorReason(err) {
	case evenkeelv1.ErrorReason_ERROR_REASON_OTHER_INSTANCE.String():
		s.Assumptions.InstanceLost()
	case evenkeelv1.ErrorReason_ERROR_REASON_NODE_TABLE_UNKNOWN.String():
		if _, failure := s.list(ctx); failure != nil {
			return failure
		}
	}
	return err
}

// table is the one that an answer refers to. Where the answer does not bring it, it is listed: then the answer's indexes
// can still be those of an older table, and the question must be asked again.
func (s *Client) table(ctx context.Context, request nodetable.Request, response nodetable.Response) (*nodetable.Table, error) {
	table, err := s.tables.Take(request, response)
	if errors.Is(err, nodetable.ErrNotCarried) {
		if table, err = s.list(ctx); err == nil && table.Token() != response.GetNodeTableToken() {
			err = nodetable.ErrNotCarried
		}
	}
	if err == nil {
		s.latestTable.Store(table)
	}
	return table, err
}

func (s *Client) list(ctx context.Context) (*nodetable.Table, error) {
	table, err := s.tables.List(ctx, s.state)
	if err == nil {
		s.latestTable.Store(table)
	}
	return table, err
}

func options(candidates *evenkeelv1.Candidates, defaults *evenkeelv1.DefaultConstraints) *evenkeelv1.QueryOptions {
	// The best nodes are not looked at.
	return &evenkeelv1.QueryOptions{
		Candidates: candidates, Form: evenkeelv1.AnswerForm_ANSWER_FORM_PACKED, Defaults: defaults, MaxBest: 1}
}

var allNodes = &evenkeelv1.Candidates{Which: &evenkeelv1.Candidates_All{All: &evenkeelv1.AllNodes{}}}

func (s *Client) filter(ctx context.Context, pod *evenkeelv1.Pod, defaults *evenkeelv1.DefaultConstraints, timeout time.Duration) (*Verdicts, error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	request := &evenkeelv1.FilterRequest{
		Pods: []*evenkeelv1.Pod{pod}, Options: options(allNodes, defaults), KnownNodeTableToken: s.tables.Known()}
	var response *evenkeelv1.FilterResponse
	err := s.withFreshness(ctx, func(demand *evenkeelv1.Freshness) (_ *evenkeelv1.Revision, err error) {
		request.Freshness = demand
		response, err = s.placement.Filter(ctx, request)
		return response.GetRevision(), err
	})
	if err != nil {
		return nil, s.handleFailure(ctx, err)
	}
	packed, err := packedAnswer(response)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(validateCount(pod, v1.DoNotSchedule, packed.HardConstraintCount), validatePassed(packed)); err != nil {
		return nil, err
	}
	table, err := s.table(ctx, request, response)
	if err != nil {
		return nil, err
	}
	return &Verdicts{StateVersion: StateVersion{Revision: response.Revision, ResourceVersions: response.ResourceVersions}, index: s.nodeIndexFor(table), packed: packed}, nil
}

// placesIn are kept as long as the table stays the same.
func (s *Client) nodeIndexFor(table *nodetable.Table) *nodeIndex {
	places := s.nodeIndex.Load()
	if places == nil || places.table != table {
		places = newNodeIndex(table)
		s.nodeIndex.Store(places)
	}
	places.mergeMisses()
	return places
}

func (s *Client) score(ctx context.Context, pod *evenkeelv1.Pod, defaults *evenkeelv1.DefaultConstraints, names []string, timeout time.Duration) (*Scores, error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	bits, err := s.nodeBits(ctx, names)
	if err != nil {
		return nil, err
	}
	request := &evenkeelv1.ScoreRequest{
		Pods:                []*evenkeelv1.Pod{pod},
		Options:             options(&evenkeelv1.Candidates{Which: &evenkeelv1.Candidates_Bits{Bits: bits}}, defaults),
		KnownNodeTableToken: proto.String(bits.NodeTableToken),
	}
	var response *evenkeelv1.ScoreResponse
	err = s.withFreshness(ctx, func(demand *evenkeelv1.Freshness) (_ *evenkeelv1.Revision, err error) {
		request.Freshness = demand
		response, err = s.placement.Score(ctx, request)
		return response.GetRevision(), err
	})
	if err != nil {
		return nil, s.handleFailure(ctx, err)
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
	table, err := s.table(ctx, request, response)
	if err != nil {
		return nil, err
	}
	scores := &Scores{StateVersion: StateVersion{Revision: response.Revision, ResourceVersions: response.ResourceVersions}, table: table, packed: packed}
	if err := scores.validate(bits, names); err != nil {
		return nil, err
	}
	return scores, nil
}

// bits makes candidates of names, by the table that is known or, where it lacks one of them, by the newest.
func (s *Client) nodeBits(ctx context.Context, names []string) (*evenkeelv1.NodeBits, error) {
	if table := s.latestTable.Load(); table != nil {
		if bits, unknown := table.Bits(names...); len(unknown) == 0 {
			return bits, nil
		}
	}
	table, err := s.list(ctx)
	if err != nil {
		return nil, err
	}
	bits, unknown := table.Bits(names...)
	if len(unknown) > 0 {
		return nil, unknownNodes(unknown)
	}
	return bits, nil
}

// IsOpen says whether the breaker is open, so that Evenkeel is not asked.
func (s *Client) IsBreakerOpen() bool { return s.breaker.isOpen() }
