package spread

import (
	"context"
	"net"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"testing"
	"time"

	"evenkeel.io/client/go/evenkeelv1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
)

// evenkeel is a real server process. It keeps its port when it is restarted.
type evenkeel struct {
	t          *testing.T
	port       int
	process    *exec.Cmd
	connection *grpc.ClientConn
	state      evenkeelv1.ClusterStateClient
}

// startEvenkeel runs the program that EVENKEEL_SERVER names, with a port. The program ends when its standard input is
// closed, and so with the test, however that ends.
func startEvenkeel(t *testing.T) *evenkeel {
	t.Helper()
	if os.Getenv("EVENKEEL_SERVER") == "" {
		t.Skip("NOT RUN WITH A REAL SERVER: EVENKEEL_SERVER names no program")
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	e := &evenkeel{t: t, port: listener.Addr().(*net.TCPAddr).Port}
	_ = listener.Close()
	e.connection, err = grpc.NewClient(e.address(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	e.state = evenkeelv1.NewClusterStateClient(e.connection)
	t.Cleanup(func() {
		e.kill()
		_ = e.connection.Close()
	})
	e.start()
	return e
}

func (e *evenkeel) address() string { return "127.0.0.1:" + strconv.Itoa(e.port) }

func (e *evenkeel) start() {
	e.t.Helper()
	e.process = exec.Command(os.Getenv("EVENKEEL_SERVER"), strconv.Itoa(e.port))
	e.process.Stderr = os.Stderr
	if _, err := e.process.StdinPipe(); err != nil {
		e.t.Fatal(err)
	}
	if err := e.process.Start(); err != nil {
		e.t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	for {
		_, err := e.state.GetStatus(ctx, &evenkeelv1.GetStatusRequest{}, grpc.WaitForReady(true))
		if err == nil {
			return
		}
		if ctx.Err() != nil {
			e.t.Fatal(err)
		}
		time.Sleep(100 * time.Millisecond)
	}
}

func (e *evenkeel) kill() {
	if e.process != nil {
		_ = e.process.Process.Signal(syscall.SIGKILL)
		_ = e.process.Wait()
		e.process = nil
	}
}

// hang stops the process with all its threads.
func (e *evenkeel) hang() {
	e.t.Helper()
	e.signal(syscall.SIGSTOP)
	var state syscall.WaitStatus
	for !state.Stopped() {
		if _, err := syscall.Wait4(e.process.Process.Pid, &state, syscall.WUNTRACED, nil); err != nil && err != syscall.EINTR {
			e.t.Fatal(err)
		}
	}
}

func (e *evenkeel) resume() {
	e.t.Helper()
	e.signal(syscall.SIGCONT)
}

func (e *evenkeel) signal(signal syscall.Signal) {
	e.t.Helper()
	if err := e.process.Process.Signal(signal); err != nil {
		e.t.Fatal(err)
	}
}
