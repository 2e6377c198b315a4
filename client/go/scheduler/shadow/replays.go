package shadow

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"evenkeel.io/client/go/scheduler/query"
	"k8s.io/klog/v2"
)

const (
	// Limits of a directory, which apply across restarts of the scheduler. It may be a volume of limited size, and
	// the pod is evicted if it exceeds the size.
	maxFiles = 20
	maxBytes = 512 << 20
	// How many nodes are named in the log.
	maxLoggedNodes = 10

	replaySuffix = ".json.gz"
	// The name of a file until it is complete. One that a stopped scheduler has left behind counts, too.
	tempPattern = "*" + replaySuffix + ".tmp"
)

var errDirectoryFull = errors.New("replayDirectory is full: move files away")

// Only one file is written at a time, because profiles may share a directory.
var writing sync.Mutex

// replays reports different answers, with all input that is needed to evaluate them again.
type replays struct {
	// directory is empty if no files are wanted.
	directory string
}

// check returns an error if files cannot be written.
func (r *replays) check() error {
	if r.directory == "" {
		return nil
	}
	file, err := os.CreateTemp(r.directory, tempPattern)
	if err != nil {
		return err
	}
	return errors.Join(file.Close(), os.Remove(file.Name()))
}

// report logs a different answer and writes its file. explain is called only if a file is written.
func (r *replays) report(ctx context.Context, different *Replay, explain func() (json.RawMessage, error)) {
	logger := klog.FromContext(ctx)
	file, err := r.save(logger, different, explain)
	if err != nil {
		logger.Error(err, "Failed to write a different answer to replayDirectory")
	}
	// Environment variables of containers may contain secrets, which must not be logged.
	pod, err := json.Marshal(query.Trim(different.Pod))
	if err != nil {
		pod = []byte(err.Error())
	}
	named := different.Differences
	if len(named) > maxLoggedNodes {
		named = append(append([]string(nil), named[:maxLoggedNodes]...), fmt.Sprintf("and %d more nodes", len(named)-maxLoggedNodes))
	}
	logger.Error(nil, "Evenkeel's answer differs from that of PodTopologySpread", "pod", klog.KObj(different.Pod), "spec", string(pod),
		"revision", different.Revision.String(), "versions", fmt.Sprint(different.Versions), "scored", len(different.Scored),
		"differences", named, "file", file)
}

// save returns the name of the file; empty if none is wanted.
func (r *replays) save(logger klog.Logger, different *Replay, explain func() (json.RawMessage, error)) (string, error) {
	if r.directory == "" {
		return "", nil
	}
	writing.Lock()
	defer writing.Unlock()
	remaining, err := r.remainingBytes()
	if err != nil {
		return "", err
	}
	if different.Explanation, err = explain(); err != nil {
		logger.Error(err, "Failed to get Evenkeel's explanation of a different answer")
	}
	name := filepath.Join(r.directory,
		time.Now().UTC().Format("20060102T150405.000000")+"-"+string(different.Pod.UID)+replaySuffix)
	if err := r.write(name, different, remaining); err != nil {
		return "", err
	}
	return name, nil
}

// remainingBytes returns how many bytes may be written.
func (r *replays) remainingBytes() (int64, error) {
	entries, err := os.ReadDir(r.directory)
	if err != nil {
		return 0, err
	}
	files, remaining := 0, int64(maxBytes)
	for _, entry := range entries {
		if info, err := entry.Info(); err == nil && strings.Contains(entry.Name(), replaySuffix) {
			files++
			remaining -= info.Size()
		}
	}
	if files >= maxFiles || remaining <= 0 {
		return 0, errDirectoryFull
	}
	return remaining, nil
}

// write creates a complete file, or none.
func (r *replays) write(name string, different *Replay, remaining int64) error {
	file, err := os.CreateTemp(r.directory, tempPattern)
	if err != nil {
		return err
	}
	packed := gzip.NewWriter(&limitedWriter{to: file, remaining: remaining})
	err = errors.Join(json.NewEncoder(packed).Encode(different), packed.Close())
	if err = errors.Join(err, file.Close()); err == nil {
		err = os.Rename(file.Name(), name)
	}
	if err != nil {
		return errors.Join(err, os.Remove(file.Name()))
	}
	return nil
}

// limitedWriter fails if the limit would be exceeded.
type limitedWriter struct {
	to        io.Writer
	remaining int64
}

func (w *limitedWriter) Write(bytes []byte) (int, error) {
	if w.remaining -= int64(len(bytes)); w.remaining < 0 {
		return 0, errDirectoryFull
	}
	return w.to.Write(bytes)
}
