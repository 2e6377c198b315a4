package nodetable

import (
	"context"
	"errors"
	"maps"
	"math"
	"reflect"
	"testing"

	"evenkeel.io/client/go/evenkeelv1"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
)

func run(first int32, names ...string) *evenkeelv1.NodeRun {
	return &evenkeelv1.NodeRun{FirstIndex: first, Names: names}
}

func requestWith(token string) *evenkeelv1.EvaluateRequest {
	return &evenkeelv1.EvaluateRequest{KnownNodeTableToken: proto.String(token)}
}

func whole(token string, runs ...*evenkeelv1.NodeRun) *evenkeelv1.EvaluateResponse {
	return &evenkeelv1.EvaluateResponse{
		NodeTableToken: token, NodeTableChange: &evenkeelv1.NodeTableChange{Whole: true, Runs: runs}}
}

func change(token string, runs ...*evenkeelv1.NodeRun) *evenkeelv1.EvaluateResponse {
	return &evenkeelv1.EvaluateResponse{
		NodeTableToken: token, NodeTableChange: &evenkeelv1.NodeTableChange{Runs: runs}}
}

func take(t *testing.T, tables *Tables, known string, response Response) *Table {
	t.Helper()
	table, err := tables.Take(requestWith(known), response)
	if err != nil {
		t.Fatal(err)
	}
	return table
}

func expect(t *testing.T, table *Table, token string, names ...string) {
	t.Helper()
	if table.Token() != token || table.Len() != len(names) {
		t.Fatalf("expected %q with %q, got %q with %q", token, names, table.token, table.names)
	}
	for index, name := range names {
		if table.Name(index) != name {
			t.Errorf("expected %q at %d, got %q", name, index, table.Name(index))
		}
		if at, ok := table.Index(name); ok != (name != "") || ok && at != index {
			t.Errorf("expected %q at %d, got %d", name, index, at)
		}
	}
	if table.Name(len(names)) != "" || table.Name(-1) != "" {
		t.Error("an index outside the table has a name")
	}
}

// fakeLister answers ListNodes with pages and records the requests. A nil page means that the page token is of
// another process.
type fakeLister struct {
	evenkeelv1.ClusterStateClient
	pages []*evenkeelv1.ListNodesResponse
	asked []*evenkeelv1.ListNodesRequest
}

func (l *fakeLister) ListNodes(_ context.Context, request *evenkeelv1.ListNodesRequest, _ ...grpc.CallOption) (*evenkeelv1.ListNodesResponse, error) {
	if len(l.pages) == 0 {
		return nil, errors.New("nothing more is listed")
	}
	l.asked = append(l.asked, proto.Clone(request).(*evenkeelv1.ListNodesRequest))
	page := l.pages[0]
	l.pages = l.pages[1:]
	if page == nil {
		refused, err := status.New(codes.InvalidArgument, "pageToken: must be a nextPageToken from this server").WithDetails(
			&errdetails.ErrorInfo{Domain: "evenkeel.io", Reason: evenkeelv1.ErrorReason_ERROR_REASON_INVALID_FIELD.String()},
			&errdetails.BadRequest{FieldViolations: []*errdetails.BadRequest_FieldViolation{{Field: "pageToken"}}})
		if err != nil {
			return nil, err
		}
		return nil, refused.Err()
	}
	return page, nil
}

func TestTake_appliesChangesToTheNamedTable(t *testing.T) {
	var tables Tables
	if *tables.Known() != "" {
		t.Fatal("a table is known before there is one")
	}
	first := take(t, &tables, "", whole("t1", run(0, "a", "b", "c")))
	second := take(t, &tables, *tables.Known(), change("t2", run(1, "B"), run(4, "e", "f")))
	expect(t, second, "t2", "a", "B", "c", "", "e", "f")
	expect(t, take(t, &tables, "t2", change("t3", run(0, ""), run(3, "d", "", ""))), "t3", "", "B", "c", "d")
	expect(t, first, "t1", "a", "b", "c")
	if *tables.Known() != "t3" {
		t.Errorf("expected t3 to be known, got %s", *tables.Known())
	}
	if same := take(t, &tables, "t2", &evenkeelv1.EvaluateResponse{NodeTableToken: "t2"}); same != second {
		t.Error("a known table was created again")
	}
}

func TestTake_acceptsAnswersInAnyOrder(t *testing.T) {
	var tables Tables
	take(t, &tables, "", whole("t1", run(0, "a", "b", "c")))
	// Both were requested when t1 was known; the later answer arrives first.
	expect(t, take(t, &tables, "t1", change("t3", run(0, "A"), run(2, "C"))), "t3", "A", "b", "C")
	expect(t, take(t, &tables, "t1", change("t2", run(0, "A"))), "t2", "A", "b", "c")
	// Otherwise every answer would contain the same change again, as long as no node is added or removed.
	take(t, &tables, "t2", change("t3", run(2, "C")))
	if *tables.Known() != "t3" {
		t.Errorf("expected t3 of the latest answer to be known, got %s", *tables.Known())
	}
	expect(t, take(t, &tables, "t3", change("t4", run(1, "B"))), "t4", "A", "B", "C")
}

func TestTake_acceptsTheTableOfAnotherProcess(t *testing.T) {
	var tables Tables
	take(t, &tables, "", whole("t1", run(0, "a", "b", "c")))
	expect(t, take(t, &tables, "t1", whole("u1", run(1, "x"))), "u1", "", "x")
}

func TestTake_reportsThatTheTableMustBeListed(t *testing.T) {
	var tables Tables
	tooLarge := &evenkeelv1.EvaluateResponse{NodeTableToken: "t1"}
	if _, err := tables.Take(requestWith(""), tooLarge); !errors.Is(err, ErrNotCarried) {
		t.Fatalf("expected ErrNotCarried, got %v", err)
	}
	if _, err := tables.Take(requestWith("t0"), change("t1", run(0, "a"))); !errors.Is(err, ErrNotCarried) {
		t.Fatalf("expected ErrNotCarried, got %v", err)
	}
	server := &fakeLister{pages: []*evenkeelv1.ListNodesResponse{
		{Whole: true, Runs: []*evenkeelv1.NodeRun{run(0, "a", "b")}, NextPageToken: "2"},
		{Runs: []*evenkeelv1.NodeRun{run(0, "A"), run(2, "c")}, NodeTableToken: "t1"},
	}}
	listed, err := tables.List(context.Background(), server)
	if err != nil {
		t.Fatal(err)
	}
	expect(t, listed, "t1", "A", "b", "c")
	if server.asked[1].PageToken != "2" || server.asked[1].KnownNodeTableToken != "" {
		t.Errorf("the second page was requested with %v", server.asked[1])
	}
	if table := take(t, &tables, "", tooLarge); table != listed {
		t.Error("the table that was listed is not kept")
	}
}

// faultyRuns have indexes that no server assigns.
var faultyRuns = map[string]*evenkeelv1.NodeRun{
	"a negative index":         run(-1, "x"),
	"the most negative index":  run(math.MinInt32, "x"),
	"the greatest index":       run(math.MaxInt32, "x"),
	"no name at such an index": run(math.MaxInt32),
	"an index too many":        run(indexLimit-1, "x", "y"),
}

func TestTake_fails_ifIndexesAreInvalid(t *testing.T) {
	for name, run := range faultyRuns {
		for _, response := range []*evenkeelv1.EvaluateResponse{whole("t2", run), change("t2", run)} {
			var tables Tables
			first := take(t, &tables, "", whole("t1", &evenkeelv1.NodeRun{Names: []string{"a", "b"}}))
			if table, err := tables.Take(requestWith("t1"), response); err == nil || errors.Is(err, ErrNotCarried) {
				t.Errorf("%s: got %v and %v", name, table, err)
			}
			expect(t, first, "t1", "a", "b")
			if *tables.Known() != "t1" {
				t.Errorf("%s: %s is known", name, *tables.Known())
			}
		}
	}
}

func TestList_fails_ifIndexesAreInvalid(t *testing.T) {
	for name, run := range faultyRuns {
		var tables Tables
		server := &fakeLister{pages: []*evenkeelv1.ListNodesResponse{
			{Whole: true, Runs: []*evenkeelv1.NodeRun{run}, NodeTableToken: "t1"}}}
		if table, err := tables.List(context.Background(), server); err == nil {
			t.Errorf("%s: got %v", name, table)
		}
		if *tables.Known() != "" {
			t.Errorf("%s: %s is known", name, *tables.Known())
		}
	}
}

func TestList_requestsChanges_unlessAPageHasTheWholeTable(t *testing.T) {
	var tables Tables
	take(t, &tables, "", whole("t1", run(0, "a", "b")))
	server := &fakeLister{pages: []*evenkeelv1.ListNodesResponse{
		{Runs: []*evenkeelv1.NodeRun{run(1, "B")}, NodeTableToken: "t2"},
		{Runs: []*evenkeelv1.NodeRun{run(0, "lost")}, NextPageToken: "2"},
		{Whole: true, Runs: []*evenkeelv1.NodeRun{run(1, "x")}, NextPageToken: "3"},
		{Runs: []*evenkeelv1.NodeRun{run(2, "y")}, NodeTableToken: "t3"},
	}}
	changed, err := tables.List(context.Background(), server)
	if err != nil {
		t.Fatal(err)
	}
	expect(t, changed, "t2", "a", "B")
	anew, err := tables.List(context.Background(), server)
	if err != nil {
		t.Fatal(err)
	}
	expect(t, anew, "t3", "", "x", "y")
	if server.asked[0].KnownNodeTableToken != "t1" || server.asked[3].KnownNodeTableToken != "t2" {
		t.Errorf("the wrong tables were named: %v", server.asked)
	}
	if _, err := tables.List(context.Background(), server); err == nil {
		t.Error("a failed call was not reported")
	}
	if *tables.Known() != "t3" {
		t.Errorf("expected t3 to be known, got %s", *tables.Known())
	}
}

func TestList_startsAgain_ifTheServerRestarts(t *testing.T) {
	var tables Tables
	take(t, &tables, "", whole("t1", run(0, "a", "b")))
	server := &fakeLister{pages: []*evenkeelv1.ListNodesResponse{
		{Runs: []*evenkeelv1.NodeRun{run(0, "lost")}, NextPageToken: "2"},
		nil,
		{Whole: true, Runs: []*evenkeelv1.NodeRun{run(1, "x")}, NodeTableToken: "u1"},
	}}
	listed, err := tables.List(context.Background(), server)
	if err != nil {
		t.Fatal(err)
	}
	expect(t, listed, "u1", "", "x")
	if last := server.asked[2]; last.PageToken != "" || last.KnownNodeTableToken != "t1" {
		t.Errorf("the listing started again with %v", last)
	}
}

func TestList_fails_ifNoServerKnowsItsPageTokens(t *testing.T) {
	var tables Tables
	server := &fakeLister{}
	for range maxListAttempts + 1 {
		server.pages = append(server.pages, &evenkeelv1.ListNodesResponse{Whole: true, NextPageToken: "2"}, nil)
	}
	if _, err := tables.List(context.Background(), server); status.Code(err) != codes.InvalidArgument {
		t.Errorf("got %v", err)
	}
	if len(server.asked) != 2*maxListAttempts {
		t.Errorf("%d pages were requested", len(server.asked))
	}
}

func TestTables_keepsTheLastFew(t *testing.T) {
	var tables Tables
	take(t, &tables, "", whole("t1", run(0, "a")))
	for _, token := range []string{"t2", "t3", "t4", "t5"} {
		take(t, &tables, *tables.Known(), change(token, run(0, token)))
	}
	expect(t, take(t, &tables, "t2", change("t6", run(1, "b"))), "t6", "t2", "b")
	if _, err := tables.Take(requestWith("t1"), change("t7", run(0, "x"))); !errors.Is(err, ErrNotCarried) {
		t.Fatalf("expected ErrNotCarried, got %v", err)
	}
}

func TestBits_areTheNodesByIndex_andReadAsTheirNames(t *testing.T) {
	var tables Tables
	table := take(t, &tables, "", whole("t1", run(0, "a", "b"), run(17, "r")))
	bits, unknown := table.Bits("r", "x", "b", "b")
	if bits.NodeTableToken != "t1" || !reflect.DeepEqual(bits.Bits, []byte{2, 0, 2}) {
		t.Errorf("got %v", bits)
	}
	if !reflect.DeepEqual(unknown, []string{"x"}) {
		t.Errorf("got %v", unknown)
	}
	if nodes := maps.Collect(table.Nodes(bits.Bits)); !reflect.DeepEqual(nodes, map[int]string{1: "b", 17: "r"}) {
		t.Errorf("got %v", nodes)
	}
	for index := range table.Nodes([]byte{0xff}) {
		if index == 1 {
			break
		}
	}
}
