package audit

import (
	"compress/gzip"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"time"
)

const (
	// The limit of a directory, which applies across restarts of the scheduler.
	maxFiles     = 20
	replaySuffix = ".json.gz"
)

var errDirectoryFull = errors.New("replayDirectory is full: move files away")

// Only one file is written at a time, because profiles may share a directory.
var writing sync.Mutex

// files are the replay files in a directory; no files if it is empty.
type files struct{ directory string }

// check returns an error if files cannot be written.
func (f files) check() error {
	if f.directory == "" {
		return nil
	}
	file, err := os.CreateTemp(f.directory, "")
	if err != nil {
		return err
	}
	return errors.Join(file.Close(), os.Remove(file.Name()))
}

// save returns the name of the file; empty if none is wanted.
func (f files) save(replay *Replay) (string, error) {
	if f.directory == "" {
		return "", nil
	}
	writing.Lock()
	defer writing.Unlock()
	if existing, err := filepath.Glob(filepath.Join(f.directory, "*"+replaySuffix)); err != nil || len(existing) >= maxFiles {
		return "", errors.Join(err, errDirectoryFull)
	}
	file, err := os.CreateTemp(f.directory, "")
	if err != nil {
		return "", err
	}
	packed := gzip.NewWriter(file)
	err = errors.Join(json.NewEncoder(packed).Encode(replay), packed.Close(), file.Close())
	name := filepath.Join(f.directory, time.Now().UTC().Format("20060102T150405.000000")+"-"+string(replay.Pod.UID)+replaySuffix)
	if err == nil {
		err = os.Rename(file.Name(), name)
	}
	if err != nil {
		return "", errors.Join(err, os.Remove(file.Name()))
	}
	return name, nil
}
