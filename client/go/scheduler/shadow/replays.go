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
	// A directory is given no more files and bytes, however often the scheduler is started again. It may be a volume of
	// limited size, which costs the scheduler its life where it is exceeded.
	maxFiles = 20
	maxBytes = 512 << 20
	// As many nodes are named in the log.
	maxLoggedNodes = 10

	replaySuffix = ".json.gz"
	// A file has this name until it is whole. One that a scheduler has left behind counts, too.
	tempPattern = "*" + replaySuffix + ".tmp"
)

var errDirectoryFull = errors.New("the directory holds as much as it may")

// One file is written at a time: profiles may share a directory.
var writing sync.Mutex

// replays tells of different answers, with all that is needed to judge them again.
type replays struct {
	// directory is empty where no files are wanted.
	directory string
}

// check says why no file could be written.
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

// tell is given what explains Evenkeel's answer, which is called only where a file is written.
func (r *replays) report(ctx context.Context, different *Replay, explain func() (json.RawMessage, error)) {
	logger := klog.FromContext(ctx)
	file, err := r.save(logger, different, explain)
	if err != nil {
		logger.Error(err, "A different answer cannot be written down")
	}
	// Environments of containers may hold secrets: the log is no place for them.
	pod, err := json.Marshal(query.Trim(different.Pod))
	if err != nil {
		pod = []byte(err.Error())
	}
	named := different.Differences
	if len(named) > maxLoggedNodes {
		named = append(append([]string(nil), named[:maxLoggedNodes]...), fmt.Sprintf("and %d more nodes", len(named)-maxLoggedNodes))
	}
	logger.Error(nil, "Evenkeel's answer is different from that of PodTopologySpread", "pod", klog.KObj(different.Pod), "of", string(pod),
		"revision", different.Revision.String(), "versions", fmt.Sprint(different.Versions), "scored", len(different.Scored),
		"differences", named, "file", file)
}

// keep gives the name of the file; empty where none is wanted.
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
		logger.Error(err, "A different answer cannot be explained")
	}
	name := filepath.Join(r.directory,
		time.Now().UTC().Format("20060102T150405.000000")+"-"+string(different.Pod.UID)+replaySuffix)
	if err := r.write(name, different, remaining); err != nil {
		return "", err
	}
	return name, nil
}

// room is how many bytes may be written.
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

// write leaves a whole file behind, or none.
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

// limitedWriter refuses what there is no room for.
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
