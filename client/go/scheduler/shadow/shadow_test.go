package shadow

import (
	"context"
	"errors"
	"fmt"
	"testing"
)

// The reasons are labels of a metric, which README.md lists.
func TestWhy_putsAFailureIntoOneWord(t *testing.T) {
	for _, test := range []struct {
		failure  error
		expected string
	}{
		{errUntold, "versions_untold"},
		{errForgotten, "versions_forgotten"},
		{errNotReached, "versions_not_reached"},
		{errOtherNodes, "other_nodes"},
		{errUncertain, "assumptions_uncertain"},
		{context.Canceled, "failed"},
		{errors.New("whatever else"), "failed"},
	} {
		for _, failure := range []error{test.failure, fmt.Errorf("%w: pods 7", test.failure)} {
			if reason := why(failure); reason != test.expected {
				t.Errorf("expected %s for %q, got %s", test.expected, failure, reason)
			}
		}
	}
}
