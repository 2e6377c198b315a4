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

	"evenkeel.io/client/go/scheduler/ask"
	"k8s.io/klog/v2"
)

const (
	// A directory is given no more files and bytes, however often the scheduler is started again. It may be a volume of
	// limited size, which costs the scheduler its life where it is exceeded.
	mostFiles = 20
	mostBytes = 512 << 20
	// As many nodes are named in the log.
	mostNamed = 10

	replaySuffix = ".json.gz"
	// A file has this name until it is whole. One that a scheduler has left behind counts, too.
	unfinished = "*" + replaySuffix + ".tmp"
)

var errNoRoom = errors.New("the directory holds as much as it may")

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
	file, err := os.CreateTemp(r.directory, unfinished)
	if err != nil {
		return err
	}
	return errors.Join(file.Close(), os.Remove(file.Name()))
}

// tell is given what explains Evenkeel's answer, which is called only where a file is written.
func (r *replays) tell(ctx context.Context, different *Replay, explain func() (json.RawMessage, error)) {
	logger := klog.FromContext(ctx)
	file, err := r.keep(logger, different, explain)
	if err != nil {
		logger.Error(err, "A different answer cannot be written down")
	}
	// Environments of containers may hold secrets: the log is no place for them.
	pod, err := json.Marshal(ask.Judged(different.Pod))
	if err != nil {
		pod = []byte(err.Error())
	}
	named := different.Differences
	if len(named) > mostNamed {
		named = append(append([]string(nil), named[:mostNamed]...), fmt.Sprintf("and %d more nodes", len(named)-mostNamed))
	}
	logger.Error(nil, "Evenkeel's answer is different from that of PodTopologySpread", "pod", klog.KObj(different.Pod), "of", string(pod),
		"revision", different.Revision.String(), "versions", fmt.Sprint(different.Versions), "scored", len(different.Scored),
		"differences", named, "file", file)
}

// keep gives the name of the file; empty where none is wanted.
func (r *replays) keep(logger klog.Logger, different *Replay, explain func() (json.RawMessage, error)) (string, error) {
	if r.directory == "" {
		return "", nil
	}
	writing.Lock()
	defer writing.Unlock()
	room, err := r.room()
	if err != nil {
		return "", err
	}
	if different.Explanation, err = explain(); err != nil {
		logger.Error(err, "A different answer cannot be explained")
	}
	name := filepath.Join(r.directory,
		time.Now().UTC().Format("20060102T150405.000000")+"-"+string(different.Pod.UID)+replaySuffix)
	if err := r.write(name, different, room); err != nil {
		return "", err
	}
	return name, nil
}

// room is how many bytes may be written.
func (r *replays) room() (int64, error) {
	entries, err := os.ReadDir(r.directory)
	if err != nil {
		return 0, err
	}
	files, room := 0, int64(mostBytes)
	for _, entry := range entries {
		if info, err := entry.Info(); err == nil && strings.Contains(entry.Name(), replaySuffix) {
			files++
			room -= info.Size()
		}
	}
	if files >= mostFiles || room <= 0 {
		return 0, errNoRoom
	}
	return room, nil
}

// write leaves a whole file behind, or none.
func (r *replays) write(name string, different *Replay, room int64) error {
	file, err := os.CreateTemp(r.directory, unfinished)
	if err != nil {
		return err
	}
	packed := gzip.NewWriter(&limitedWriter{to: file, room: room})
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
	to   io.Writer
	room int64
}

func (w *limitedWriter) Write(bytes []byte) (int, error) {
	if w.room -= int64(len(bytes)); w.room < 0 {
		return 0, errNoRoom
	}
	return w.to.Write(bytes)
}
