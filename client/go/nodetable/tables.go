package nodetable

import (
	"context"
	"errors"
	"slices"
	"sync"

	"evenkeel.io/client/go/evenkeelv1"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/status"
)

// ErrNotCarried means that an answer does not contain the table that it refers to: too much has changed, the request
// named no table, or the named table is no longer kept. Use List to get the table.
var ErrNotCarried = errors.New("the answer does not contain its node table; list the nodes")

// How many tables are kept for answers to requests that were in flight while nodes were added or removed.
const maxTables = 4

// How often a listing starts, at most, if a server does not know the page token.
const maxListAttempts = 5

// Tables keeps the last few node tables of a server. The zero value is ready to use. Safe for concurrent use.
type Tables struct {
	mutex sync.Mutex
	// tables has the table of the latest answer first.
	tables []*Table
}

// Request is a FilterRequest, ScoreRequest or EvaluateRequest.
type Request interface {
	GetKnownNodeTableToken() string
}

// Response is a FilterResponse, ScoreResponse or EvaluateResponse.
type Response interface {
	GetNodeTableToken() string
	GetNodeTableChange() *evenkeelv1.NodeTableChange
}

// Known returns the token of the latest table, for a request. If there is none yet, it is "", and the answer contains
// the whole table.
func (t *Tables) Known() *string {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	token := t.latest().token
	return &token
}

// Take returns the table that the indexes of a response refer to, and keeps it. Responses may be taken in any order.
// It returns ErrNotCarried if the table is neither known nor contained in the response. It returns another error, and
// keeps nothing, if a faulty server names an index that is negative or at least 1<<26.
func (t *Tables) Take(request Request, response Response) (*Table, error) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	change := response.GetNodeTableChange()
	if known := t.find(response.GetNodeTableToken()); known != nil {
		if change != nil {
			t.add(known)
		}
		return known, nil
	}
	if change == nil {
		return nil, ErrNotCarried
	}
	base := &Table{}
	if !change.Whole {
		if base = t.find(request.GetKnownNodeTableToken()); base == nil {
			return nil, ErrNotCarried
		}
	}
	table, err := base.apply(change.Whole, change.Runs, response.GetNodeTableToken())
	if err != nil {
		return nil, err
	}
	return t.add(table), nil
}

// List requests what has changed since the latest table, page by page, and keeps the resulting table. It starts again
// if the server was restarted between two pages. It fails if a call fails, or if a page is faulty.
func (t *Tables) List(ctx context.Context, state evenkeelv1.ClusterStateClient) (*Table, error) {
	t.mutex.Lock()
	latest := t.latest()
	t.mutex.Unlock()
	table, err := list(ctx, state, latest)
	for attempt := 1; attempt < maxListAttempts && isPageTokenUnknown(err); attempt++ {
		table, err = list(ctx, state, latest)
	}
	if err != nil {
		return nil, err
	}
	t.mutex.Lock()
	defer t.mutex.Unlock()
	if known := t.find(table.token); known != nil {
		table = known
	}
	return t.add(table), nil
}

func list(ctx context.Context, state evenkeelv1.ClusterStateClient, latest *Table) (*Table, error) {
	table := latest
	request := &evenkeelv1.ListNodesRequest{KnownNodeTableToken: latest.token}
	for {
		page, err := state.ListNodes(ctx, request)
		if err != nil {
			return nil, err
		}
		if table, err = table.apply(page.Whole, page.Runs, page.NodeTableToken); err != nil {
			return nil, err
		}
		if page.NextPageToken == "" {
			return table, nil
		}
		request.PageToken = page.NextPageToken
	}
}

// isPageTokenUnknown returns true if a page was rejected because its token is that of another process.
func isPageTokenUnknown(err error) bool {
	for _, detail := range status.Convert(err).Details() {
		if request, ok := detail.(*errdetails.BadRequest); ok {
			return slices.ContainsFunc(request.FieldViolations, func(violation *errdetails.BadRequest_FieldViolation) bool {
				return violation.Field == "pageToken"
			})
		}
	}
	return false
}

// latest is an empty table if there is none. The mutex must be held.
func (t *Tables) latest() *Table {
	if len(t.tables) == 0 {
		return &Table{}
	}
	return t.tables[0]
}

func (t *Tables) find(token string) *Table {
	for _, table := range t.tables {
		if table.token == token {
			return table
		}
	}
	return nil
}

// add makes a table the latest one, whether or not it was kept before.
func (t *Tables) add(table *Table) *Table {
	others := slices.DeleteFunc(slices.Clone(t.tables), func(other *Table) bool { return other == table })
	t.tables = append([]*Table{table}, others...)
	if len(t.tables) > maxTables {
		t.tables = t.tables[:maxTables]
	}
	return table
}
