// Package recording writes random scenarios with the answers of kube-scheduler.
package recording

import (
	"bufio"
	"context"
	"encoding/json"
	"math/rand/v2"
	"os"
)

// Write writes scenarios to standard output, one JSON object per line. Each one depends only on the seed and its number.
// Those for which record returns nil are omitted.
func Write(scenarios int, seed uint64, record func(ctx context.Context, random *rand.Rand, number int) (any, error)) error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	out := bufio.NewWriter(os.Stdout)
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	for number := range scenarios {
		scenario, err := record(ctx, rand.New(rand.NewPCG(seed, uint64(number))), number)
		if err != nil {
			return err
		}
		if scenario == nil {
			continue
		}
		if err := encoder.Encode(scenario); err != nil {
			return err
		}
	}
	return out.Flush()
}
