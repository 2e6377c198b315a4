package skew

import (
	"context"
	"errors"
	"slices"
	"testing"

	"evenkeel.io/client/go/evenkeelv1"
	"google.golang.org/grpc"
)

// pages answers with one workload a page, named as its token, and fails after the last one.
type pages struct {
	evenkeelv1.PlacementClient
	names  []string
	tokens []string
	err    error
}

func (p *pages) ListSpread(_ context.Context, request *evenkeelv1.ListSpreadRequest, _ ...grpc.CallOption) (*evenkeelv1.ListSpreadResponse, error) {
	p.tokens = append(p.tokens, request.PageToken)
	at := len(p.tokens) - 1
	if at == len(p.names) {
		return nil, p.err
	}
	page := &evenkeelv1.ListSpreadResponse{Workloads: []*evenkeelv1.WorkloadSpread{
		{Workload: &evenkeelv1.WorkloadReference{Name: p.names[at]}},
	}}
	if at+1 < len(p.names) || p.err != nil {
		page.NextPageToken = p.names[at]
	}
	return page, nil
}

func TestWorkloads_listsAllPages_andLeavesTheRequestAsItIs(t *testing.T) {
	server := &pages{names: []string{"a", "b", "c"}}
	request := &evenkeelv1.ListSpreadRequest{PageSize: 1}
	var names []string
	for workload, err := range Workloads(context.Background(), server, request) {
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, workload.Workload.Name)
	}
	if !slices.Equal(names, server.names) || !slices.Equal(server.tokens, []string{"", "a", "b"}) || request.PageToken != "" {
		t.Fatalf("listed %v with tokens %v; the request has token %q", names, server.tokens, request.PageToken)
	}
}

func TestWorkloads_asksForNoMorePages_thanTheCallerReads(t *testing.T) {
	server := &pages{names: []string{"a", "b", "c"}}
	for range Workloads(context.Background(), server, &evenkeelv1.ListSpreadRequest{}) {
		break
	}
	if len(server.tokens) != 1 {
		t.Fatalf("asked for %d pages", len(server.tokens))
	}
}

func TestWorkloads_endsWithTheError(t *testing.T) {
	server := &pages{names: []string{"a"}, err: errors.New("unavailable")}
	var names []string
	var last error
	for workload, err := range Workloads(context.Background(), server, &evenkeelv1.ListSpreadRequest{}) {
		if last = err; err == nil {
			names = append(names, workload.Workload.Name)
		}
	}
	if !slices.Equal(names, []string{"a"}) || !errors.Is(last, server.err) {
		t.Fatalf("listed %v, and then %v", names, last)
	}
}
