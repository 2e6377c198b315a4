// Package monitoring checks the alerts and the dashboard of server/deploy against the metrics of a server:
//
//	go test . -page=FILE
//
// FILE is what the server answers at /metrics once its methods have been called.
package monitoring

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"log/slog"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/rulefmt"
	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/prometheus/prometheus/storage"
	"github.com/prometheus/prometheus/util/annotations"
	"go.yaml.in/yaml/v3"
)

const (
	rulesFile     = "../../deploy/prometheus.yaml"
	dashboardFile = "../../deploy/grafana-dashboard.json"
	runbookFile   = "../../docs/operate/alerts.md"
	maxPanels     = 15
)

var (
	page    = flag.String("page", "", "what a server answers at /metrics")
	heading = regexp.MustCompile(`(?m)^## (Evenkeel\w+)$`)
	promQL  = parser.NewParser(parser.Options{})

	// What Grafana replaces in expressions.
	grafana = strings.NewReplacer("$__rate_interval", "5m", "$job", ".*", "$instance", ".*")
)

// rules are the alerts of the PrometheusRule. It is an error if Prometheus would not load them.
func rules(t *testing.T) []rulefmt.Rule {
	t.Helper()
	documents := yaml.NewDecoder(bytes.NewReader(read(t, rulesFile)))
	for {
		var object struct {
			Kind string
			Spec yaml.Node
		}
		if err := documents.Decode(&object); errors.Is(err, io.EOF) {
			t.Fatal("there is no PrometheusRule")
		} else if err != nil {
			t.Fatal(err)
		}
		if object.Kind != "PrometheusRule" {
			continue
		}
		text, err := yaml.Marshal(&object.Spec)
		if err != nil {
			t.Fatal(err)
		}
		groups, failures := rulefmt.Parse(text, false, model.UTF8Validation, promQL, slog.Default())
		if len(failures) > 0 {
			t.Fatal(errors.Join(failures...))
		}
		var all []rulefmt.Rule
		for _, group := range groups.Groups {
			all = append(all, group.Rules...)
		}
		return all
	}
}

type panel struct {
	ID                 int
	Title, Description string
	Datasource         struct{ UID string }
	Targets            []struct{ Expr string }
}

func panels(t *testing.T) []panel {
	t.Helper()
	var dashboard struct{ Panels []panel }
	if err := json.Unmarshal(read(t, dashboardFile), &dashboard); err != nil {
		t.Fatal(err)
	}
	return dashboard.Panels
}

func read(t *testing.T, file string) []byte {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// scraped has the labels of each series of the page, as Prometheus stores them.
func scraped(t *testing.T) []labels.Labels {
	t.Helper()
	if *page == "" {
		t.Fatal("-page is missing")
	}
	var all []labels.Labels
	lines := bufio.NewScanner(bytes.NewReader(read(t, *page)))
	for lines.Scan() {
		line := lines.Text()
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		series, err := promQL.ParseMetric(line[:strings.LastIndexByte(line, ' ')])
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		target := labels.NewBuilder(series).Set("job", "evenkeel").Set("instance", "a:9464")
		all = append(all, target.Labels())
	}
	return all
}

// assertServed checks that each selector of an expression matches a series of a server.
func assertServed(t *testing.T, expression string, served []labels.Labels) {
	t.Helper()
	parsed, err := promQL.ParseExpr(expression)
	if err != nil {
		t.Errorf("%s: %v", expression, err)
		return
	}
	selectors := parser.ExtractSelectors(parsed)
	if len(selectors) == 0 {
		t.Errorf("%s: there is no metric", expression)
	}
	for _, selector := range selectors {
		if !slices.ContainsFunc(served, func(series labels.Labels) bool { return matches(series, selector) }) {
			t.Errorf("no series of a server has %v, in %s", selector, expression)
		}
	}
}

func matches(series labels.Labels, selector []*labels.Matcher) bool {
	return !slices.ContainsFunc(selector, func(each *labels.Matcher) bool { return !each.Matches(series.Get(each.Name)) })
}

func TestAlertsReadMetricsThatAServerHas(t *testing.T) {
	served := scraped(t)
	for _, rule := range rules(t) {
		assertServed(t, rule.Expr, served)
	}
}

func TestPanelsReadMetricsThatAServerHas(t *testing.T) {
	served := scraped(t)
	all := panels(t)
	if len(all) == 0 || len(all) > maxPanels {
		t.Errorf("there are %d panels", len(all))
	}
	var ids []int
	for _, each := range all {
		if each.Title == "" || each.Description == "" || len(each.Targets) == 0 || slices.Contains(ids, each.ID) {
			t.Errorf("panel %d (%s) needs its own id, a title, a description and a target", each.ID, each.Title)
		}
		if each.Datasource.UID != "${datasource}" {
			t.Errorf("%s: the data source is %q", each.Title, each.Datasource.UID)
		}
		ids = append(ids, each.ID)
		for _, target := range each.Targets {
			assertServed(t, grafana.Replace(target.Expr), served)
		}
	}
}

func TestEachAlertHasARunbook(t *testing.T) {
	var documented, alerts []string
	for _, found := range heading.FindAllStringSubmatch(string(read(t, runbookFile)), -1) {
		documented = append(documented, found[1])
	}
	for _, rule := range rules(t) {
		alerts = append(alerts, rule.Alert)
		if want := "server/docs/operate/alerts.md#" + strings.ToLower(rule.Alert); rule.Annotations["runbook"] != want {
			t.Errorf("the runbook of %s is not %s", rule.Alert, want)
		}
		if rule.Annotations["summary"] == "" || rule.Annotations["description"] == "" || rule.Labels["severity"] == "" {
			t.Errorf("%s needs a summary, a description and a severity", rule.Alert)
		}
	}
	if !slices.Equal(alerts, documented) {
		t.Errorf("the alerts are %v, those of the runbook %v", alerts, documented)
	}
}

// cases has, for each alert, series in Prometheus' notation with a value for each minute. They lack the labels job and
// instance unless they matter.
var cases = map[string][]struct {
	name   string
	series string
	fires  bool
}{
	"EvenkeelNotReady": {
		{"a kind has no state", `
			evenkeel_feed_ready{kind="pod"} 0x60
			evenkeel_feed_ready{kind="node"} 1x60`, true},
		{"disruption budgets are not fed", `
			evenkeel_feed_ready{kind="pod"} 1x60
			evenkeel_feed_ready{kind="poddisruptionbudget"} 0x60`, false},
		{"it was ready 4 minutes ago", `evenkeel_feed_ready{kind="pod"} 1x56 0x3`, false},
	},
	"EvenkeelFeedDisconnected": {
		{"the last state is served", `
			evenkeel_feed_connected{kind="pod"} 0x60
			evenkeel_feed_ready{kind="pod"} 1x60`, true},
		{"the kind was never fed", `
			evenkeel_feed_connected{kind="pod"} 0x60
			evenkeel_feed_ready{kind="pod"} 0x60`, false},
	},
	"EvenkeelFeedStale": {
		{"a connected feed is silent", `
			evenkeel_feed_age_seconds{kind="pod"} 0+60x60
			evenkeel_feed_connected{kind="pod"} 1x60`, true},
		{"bookmarks arrive", `
			evenkeel_feed_age_seconds{kind="pod"} 60x60
			evenkeel_feed_connected{kind="pod"} 1x60`, false},
		{"it is disconnected", `
			evenkeel_feed_age_seconds{kind="pod"} 0+60x60
			evenkeel_feed_connected{kind="pod"} 0x60`, false},
	},
	"EvenkeelObjectsRejected": {
		{"an object was rejected", `evenkeel_feed_changes_total{kind="pod",outcome="refused"} 3x55 4x4`, true},
		{"none in an hour", `evenkeel_feed_changes_total{kind="pod",outcome="refused"} 3x60`, false},
		{"objects were applied", `evenkeel_feed_changes_total{kind="pod",outcome="applied"} 0+5x60`, false},
	},
	"EvenkeelReplicasDisagree": {
		{"one pod is missing", `
			evenkeel_pods{job="e",instance="a"} 57x60
			evenkeel_pods{job="e",instance="b"} 56x60`, true},
		{"one node is missing", `
			evenkeel_nodes{job="e",instance="a"} 19x60
			evenkeel_nodes{job="e",instance="b"} 18x60`, true},
		{"one replica is 3 minutes behind while the cluster grows", `
			evenkeel_pods{job="e",instance="a"} 300+100x60
			evenkeel_pods{job="e",instance="b"} 0+100x60`, false},
		{"one replica no longer receives pods", `
			evenkeel_pods{job="e",instance="a"} 0+100x60
			evenkeel_pods{job="e",instance="b"} 0+100x30 3000x30`, true},
		{"replicas of two clusters", `
			evenkeel_pods{job="e",instance="a"} 57x60
			evenkeel_pods{job="f",instance="b"} 56x60`, false},
	},
	"EvenkeelCallsRefused": {
		{"one in twenty", `
			evenkeel_server_refusals_total{why="busy"} 0+6x60
			grpc_server_requests_received_messages_total{service="evenkeel.v1.Placement",method="Filter"} 0+120x60`, true},
		{"all connections", `
			evenkeel_server_refusals_total{why="connections"} 0+6x60
			grpc_server_requests_received_messages_total{service="evenkeel.v1.Placement",method="Filter"} 5x60`, true},
		{"one in a thousand", `
			evenkeel_server_refusals_total{why="busy"} 0+6x60
			grpc_server_requests_received_messages_total{service="evenkeel.v1.Placement",method="Filter"} 0+6000x60`, false},
		{"nothing happens", `
			evenkeel_server_refusals_total{why="busy"} 5x60
			grpc_server_requests_received_messages_total{service="evenkeel.v1.Placement",method="Filter"} 5x60`, false},
	},
	"EvenkeelCallersRejected": {
		{"one a second", `evenkeel_server_refusals_total{why="access"} 0+60x60`, true},
		{"one a minute", `evenkeel_server_refusals_total{why="access"} 0+1x60`, false},
	},
	"EvenkeelServerFailed": {
		{"a call failed", `evenkeel_calls_refused_total{reason="server_failed"} 0x55 1x4`, true},
		{"a call was invalid", `evenkeel_calls_refused_total{reason="invalid_field"} 0x55 1x4`, false},
	},
	"EvenkeelCallsSlow": {
		{"a fifth above 100 ms", latency("Filter", "0.1", 80, 100), true},
		{"a twentieth above 100 ms", latency("Filter", "0.1", 95, 100), false},
		{"no calls", latency("Filter", "0.1", 0, 0), false},
		{"another method", latency("Explain", "0.1", 0, 100), false},
		{"on a stream", strings.ReplaceAll(latency("EvaluateStream", "0.1", 80, 100),
			"grpc_server_processing_duration", "evenkeel_stream_message_duration"), true},
	},
	"EvenkeelCallsAboveOneMillisecond": {
		{"a fiftieth above 1 ms", latency("Score", "0.001", 98, 100), true},
		{"a two-hundredth above 1 ms", latency("Score", "0.001", 199, 200), false},
		{"few calls", latency("Score", "0.001", 0, 30), false},
	},
	"EvenkeelHeapFull": {
		{"a full collection leaves 90%", `
			jvm_gc_live_data_size_bytes{job="e",instance="a"} 90x60
			jvm_gc_max_data_size_bytes{job="e",instance="a"} 100x60
			evenkeel_revision{job="e",instance="a"} 1x60`, true},
		{"a full collection leaves 60%", `
			jvm_gc_live_data_size_bytes{job="e",instance="a"} 60x60
			jvm_gc_max_data_size_bytes{job="e",instance="a"} 100x60
			evenkeel_revision{job="e",instance="a"} 1x60`, false},
		{"another program", `
			jvm_gc_live_data_size_bytes{job="e",instance="b"} 90x60
			jvm_gc_max_data_size_bytes{job="e",instance="b"} 100x60
			evenkeel_revision{job="e",instance="a"} 1x60`, false},
	},
	"EvenkeelNoRoom": {
		{"a call had no room", `evenkeel_calls_refused_total{reason="state_full"} 0x55 1x4`, true},
		{"none in an hour", `evenkeel_calls_refused_total{reason="state_full"} 1x60`, false},
	},
	"EvenkeelCertificateExpires": {
		// The series begin at the Unix time 0.
		{"in two days", `evenkeel_certificate_ends_seconds{of="server"} 172800x60`, true},
		{"in thirty days", `evenkeel_certificate_ends_seconds{of="server"} 2592000x60`, false},
	},
}

// latency has the buckets of calls of a method. Each minute there are more of them, some of which take at most a time.
func latency(method, atMost string, fast, all int) string {
	series := "grpc_server_processing_duration_seconds_NAME{service=\"evenkeel.v1.Placement\",method=\"" + method + "\"LE} 0+"
	of := func(name, le string, count int) string {
		return strings.NewReplacer("NAME", name, "LE", le).Replace(series) + strconv.Itoa(count) + "x60\n"
	}
	return of("bucket", ",le=\""+atMost+"\"", fast) + of("bucket", ",le=\"10\"", all) +
		of("bucket", ",le=\"+Inf\"", all) + of("count", "", all)
}

func TestAlertsFire(t *testing.T) {
	for _, rule := range rules(t) {
		fired := map[bool]bool{}
		for _, each := range cases[rule.Alert] {
			fired[each.fires] = true
			t.Run(rule.Alert+"/"+each.name, func(t *testing.T) {
				if fires(t, rule, each.series) != each.fires {
					t.Errorf("whether it fires should be %v", each.fires)
				}
			})
		}
		if !fired[true] || !fired[false] {
			t.Errorf("%s needs a case in which it fires and one in which it does not", rule.Alert)
		}
	}
}

// fires reports whether the expression holds at each of the last minutes of the series for which the rule waits.
func fires(t *testing.T, rule rulefmt.Rule, description string) bool {
	t.Helper()
	var all []storage.Series
	for line := range strings.Lines(description) {
		if line = strings.TrimSpace(line); line != "" {
			all = append(all, series(t, line))
		}
	}
	source := &storage.MockQueryable{MockQuerier: &storage.MockQuerier{
		SelectMockFunction: func(_ bool, _ *storage.SelectHints, selector ...*labels.Matcher) storage.SeriesSet {
			return &selected{all: slices.DeleteFunc(slices.Clone(all), func(each storage.Series) bool {
				return !matches(each.Labels(), selector)
			})}
		},
	}}
	engine := promql.NewEngine(promql.EngineOpts{MaxSamples: 1_000_000, Timeout: time.Minute, Parser: promQL})
	end := time.UnixMilli(0).Add(59 * time.Minute)
	wait := time.Duration(rule.For)
	query, err := engine.NewRangeQuery(context.Background(), source, nil, rule.Expr, end.Add(-wait), end, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	defer query.Close()
	matrix, err := query.Exec(context.Background()).Matrix()
	if err != nil {
		t.Fatal(err)
	}
	steps := int(wait/time.Minute) + 1
	return slices.ContainsFunc(matrix, func(each promql.Series) bool { return len(each.Floats) == steps })
}

// series is a series in Prometheus' notation, with a value for each minute from the Unix time 0.
func series(t *testing.T, description string) storage.Series {
	t.Helper()
	of, sequence, err := promQL.ParseSeriesDesc(description)
	if err != nil {
		t.Fatal(err)
	}
	values := promql.Series{Metric: of}
	for minute, each := range sequence {
		values.Floats = append(values.Floats, promql.FPoint{T: int64(minute) * time.Minute.Milliseconds(), F: each.Value})
	}
	return promql.NewStorageSeries(values)
}

// selected is a set of series.
type selected struct {
	all  []storage.Series
	next int
}

func (s *selected) Next() bool                      { s.next++; return s.next <= len(s.all) }
func (s *selected) At() storage.Series              { return s.all[s.next-1] }
func (*selected) Err() error                        { return nil }
func (*selected) Warnings() annotations.Annotations { return nil }
