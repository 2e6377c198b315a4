// kube-scheduler-evenkeel is the stock kube-scheduler with the plugin EvenkeelTopologySpread. Its command replay
// evaluates replay files again.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"evenkeel.io/client/go/scheduler/audit"
	"evenkeel.io/client/go/scheduler/spread"
	"github.com/spf13/cobra"
	"google.golang.org/grpc/grpclog"
	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/logs/json/register" // The JSON log format, like the stock scheduler.
	_ "k8s.io/component-base/metrics/prometheus/clientgo"
	_ "k8s.io/component-base/metrics/prometheus/version"
	"k8s.io/kubernetes/cmd/kube-scheduler/app"
)

func main() {
	// kube-scheduler's logger would log each attempt to connect, so once a second while Evenkeel is away.
	grpclog.SetLoggerV2(grpclog.NewLoggerV2(io.Discard, io.Discard, os.Stderr))
	scheduler := app.NewSchedulerCommand(app.WithPlugin(spread.Name, spread.NewFactory()))
	scheduler.AddCommand(&cobra.Command{
		Use:   "replay FILE...",
		Short: "Evaluate replay files again with kube-scheduler's own PodTopologySpread",
		Long:  "Evaluate replay files again with kube-scheduler's own PodTopologySpread. FILE is a file in the replayDirectory.",
		Args:  cobra.MinimumNArgs(1),
		RunE:  replay,
	})
	os.Exit(cli.Run(scheduler))
}

// replay fails if an answer is still different, or if a file cannot be replayed.
func replay(command *cobra.Command, files []string) error {
	var failures []error
	for _, file := range files {
		read, err := audit.ReadReplay(file)
		var differences []audit.Difference
		if err == nil {
			differences, err = read.Evaluate(command.Context())
		}
		if err != nil {
			failures = append(failures, err)
			continue
		}
		fmt.Fprintf(command.OutOrStdout(), "%s: the answers about pod %s/%s differ on %d nodes\n", file, read.Pod.Namespace, read.Pod.Name, len(differences))
		for _, difference := range differences {
			fmt.Fprintf(command.OutOrStdout(), "  %s: Evenkeel %s, PodTopologySpread %s\n", difference.Node, difference.Evenkeel, difference.Original)
		}
		if len(differences) > 0 {
			failures = append(failures, fmt.Errorf("%s: the answers differ", file))
		}
	}
	return errors.Join(failures...)
}
