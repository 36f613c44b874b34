package tenure

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"unicode/utf8"
)

var versions = []int{1}

// A line of a member, such as a list of ten thousand offices, is no longer than this.
const longest = 16 << 20

type fields = map[string]any

// Find returns the socket that TENURE_SOCKET names, or the only one of a member that runs on this host.
func Find() (string, error) {
	if named := os.Getenv("TENURE_SOCKET"); named != "" {
		return named, nil
	}
	folders := []string{os.Getenv("TENURE_SOCKETS")}
	if !isFolder(folders[0]) {
		folders = []string{os.Getenv("XDG_RUNTIME_DIR"), "/run/tenure"}
		if !isFolder(folders[0]) && os.Geteuid() == 0 {
			folders[0] = "/run"
		} else if !isFolder(folders[0]) {
			folders[0] = os.TempDir()
		}
	}
	var found []string
	for _, folder := range folders {
		if !isFolder(folder) {
			continue
		}
		entries, err := os.ReadDir(folder)
		if err != nil {
			return "", fmt.Errorf("no member is found: %w", err)
		}
		for _, entry := range entries {
			path := filepath.Join(folder, entry.Name())
			if strings.HasPrefix(entry.Name(), "tenure.") && strings.HasSuffix(path, ".socket") && listens(path) {
				found = append(found, path)
			}
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return "", fmt.Errorf("no member runs on this host (see %s): name a socket, or set TENURE_SOCKET",
			strings.Join(folders, " and "))
	default:
		return "", fmt.Errorf("several members run on this host: name a socket, or set TENURE_SOCKET")
	}
}

func isFolder(path string) bool {
	is, err := os.Stat(path)
	return err == nil && is.IsDir()
}

func listens(path string) bool {
	attempt, err := net.Dial("unix", path)
	if err == nil {
		attempt.Close()
	}
	return err == nil
}

// What a program and a member say to each other, for one request. Its end wakes who hears.
type conversation interface {
	say(name string, what fields) error
	// Returns the name of the next message, and what it says; a refusal is an error.
	hear() (string, json.RawMessage, error)
	Close() error
}

// A connection that has greeted, and carries one request.
type connection struct {
	net.Conn
	lines  *bufio.Scanner
	saying sync.Mutex
}

// Connects and greets. The end of the context closes the connection, until it is kept.
func open(ctx context.Context, path string) (c *connection, keep func() bool, err error) {
	if path == "" {
		if path, err = Find(); err != nil {
			return nil, nil, err
		}
	}
	dialled, err := new(net.Dialer).DialContext(ctx, "unix", path)
	if err != nil {
		return nil, nil, because(ctx, err)
	}
	c = &connection{Conn: dialled, lines: bufio.NewScanner(dialled)}
	c.lines.Buffer(nil, longest)
	c.lines.Split(whole)
	keep = untilKept(ctx, c)
	if err = c.say("hello", fields{"versions": versions}); err == nil {
		_, err = expect(c, "hello")
	}
	if err != nil {
		c.Close()
		keep()
		return nil, nil, because(ctx, err)
	}
	return c, keep, nil
}

// Closes a conversation at the end of the context, until it is kept. To keep it returns whether the context has not
// ended before. Called once.
func untilKept(ctx context.Context, c io.Closer) (keep func() bool) {
	kept, over := make(chan struct{}), make(chan bool, 1)
	go func() {
		select {
		case <-ctx.Done():
			c.Close()
			over <- false
		case <-kept:
			over <- true
		}
	}()
	return func() bool {
		close(kept)
		return <-over
	}
}

// The error of the context if that has ended: then it is the cause of the other.
func because(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

// Splits lines, and leaves out one without an end.
func whole(data []byte, _ bool) (int, []byte, error) {
	if end := bytes.IndexByte(data, '\n'); end >= 0 {
		return end + 1, data[:end], nil
	}
	return 0, nil, nil
}

func message(name string, what fields) ([]byte, error) {
	for field, value := range what {
		if text, is := value.(string); is && !utf8.ValidString(text) {
			return nil, fmt.Errorf("%s is %q, which is no UTF-8", field, text)
		}
	}
	return json.Marshal(fields{name: what})
}

func (c *connection) say(name string, what fields) error {
	line, err := message(name, what)
	if err != nil {
		return err
	}
	c.saying.Lock()
	defer c.saying.Unlock()
	if _, err = c.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("the member is gone: %w", err)
	}
	return nil
}

func (c *connection) hear() (string, json.RawMessage, error) {
	if !c.lines.Scan() {
		if err := c.lines.Err(); err != nil {
			return "", nil, fmt.Errorf("the member is gone: %w", err)
		}
		return "", nil, fmt.Errorf("the member has closed the connection")
	}
	return read(c.lines.Bytes())
}

func read(line []byte) (string, json.RawMessage, error) {
	var said map[string]json.RawMessage
	if err := json.Unmarshal(line, &said); err != nil || len(said) != 1 || !utf8.Valid(line) {
		return "", nil, fmt.Errorf("the member answers nonsense: %.100q", line)
	}
	var name string
	var content json.RawMessage
	for name, content = range said {
	}
	if name != "refused" {
		return name, content, nil
	}
	var refused struct{ Code, Why *string }
	if err := json.Unmarshal(content, &refused); err != nil || refused.Code == nil || refused.Why == nil {
		return "", nil, fmt.Errorf("the member answers nonsense: %.100q", line)
	}
	return "", nil, &Refused{*refused.Code, *refused.Why}
}

func expect(c conversation, wanted string) (json.RawMessage, error) {
	name, content, err := c.hear()
	if err == nil && name != wanted {
		err = fmt.Errorf("the member answers %q in place of %q", name, wanted)
	}
	return content, err
}

func number(content json.RawMessage, name string) (uint64, error) {
	var said map[string]json.RawMessage
	var number *uint64
	if json.Unmarshal(content, &said) != nil || json.Unmarshal(said[name], &number) != nil || number == nil {
		return 0, fmt.Errorf("the member answers nonsense: %s is %.100q", name, said[name])
	}
	return *number, nil
}
