package tenure

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
)

// The member sends something every 5 seconds, and answers at once. Who is silent for longer is gone.
const silence = 15 * time.Second

// RemoteMember is a member that stands for programs of other hosts, over HTTPS.
type RemoteMember struct {
	url, token string
	config     *tls.Config
}

// Remote returns the member at the URL of its HTTP. The token is the one of this program in the member's configuration;
// the config has the authority of its certificate, unless this host trusts it.
func Remote(url, token string, config *tls.Config) RemoteMember {
	return RemoteMember{strings.TrimRight(url, "/"), token, config}
}

// Stand stands until the office is led, as Member.Stand does.
func (member RemoteMember) Stand(ctx context.Context, office string, options ...Option) (*Leadership, error) {
	return stand(ctx, office, options, func(stand fields) (conversation, func() bool, error) {
		transport := &http.Transport{TLSClientConfig: member.config, TLSHandshakeTimeout: silence}
		c := &candidacy{RemoteMember: member, transport: transport}
		c.life, c.end = context.WithCancel(context.Background())
		keep := untilKept(ctx, c)
		delete(stand, "office")
		err := c.begin("/v1/offices/"+url.PathEscape(office)+"/stand", stand)
		return c, keep, err
	})
}

// What a connection to a member's socket is for a program of its host.
type candidacy struct {
	RemoteMember
	transport *http.Transport
	life      context.Context
	end       context.CancelFunc
	events    *bufio.Scanner
	key       string
	saying    sync.Mutex
}

func (c *candidacy) begin(path string, stand fields) error {
	body, err := json.Marshal(stand)
	if err != nil {
		return err
	}
	// The timer ends this call and the answer.
	silent := time.AfterFunc(silence, c.end)
	answer, err := c.post(c.life, path, body, http.StatusOK)
	if err != nil {
		silent.Stop()
		return err
	}
	c.events = bufio.NewScanner(heard{answer, silent})
	c.events.Buffer(nil, longest)
	c.events.Split(whole)
	content, err := expect(c, "hello")
	var hello struct{ Candidacy string }
	if err == nil && json.Unmarshal(content, &hello) != nil {
		err = fmt.Errorf("the member answers nonsense: hello is %.100q", content)
	}
	c.key = hello.Candidacy
	return err
}

// The answer, for as long as the member is not silent.
type heard struct {
	answer io.ReadCloser
	silent *time.Timer
}

func (h heard) Read(into []byte) (int, error) {
	read, err := h.answer.Read(into)
	if !h.silent.Stop() {
		return read, fmt.Errorf("it has said nothing for %s", silence)
	}
	if err != nil {
		h.answer.Close()
		return read, err
	}
	h.silent.Reset(silence)
	return read, nil
}

func (c *candidacy) post(ctx context.Context, path string, body []byte, wanted int) (io.ReadCloser, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Authorization", "Bearer "+c.token)
	request.Header.Set("Content-Type", "application/json")
	// No redirection is followed: the token is for this member.
	answer, err := c.transport.RoundTrip(request)
	if err != nil {
		return nil, fmt.Errorf("the member is gone: %w", err)
	}
	if answer.StatusCode == wanted {
		return answer.Body, nil
	}
	defer answer.Body.Close()
	said, _ := io.ReadAll(io.LimitReader(answer.Body, longest))
	why := strings.TrimSpace(string(said))
	switch answer.StatusCode {
	case http.StatusBadRequest:
		return nil, &Refused{"invalid", why}
	case http.StatusUnauthorized, http.StatusForbidden:
		return nil, &Refused{"forbidden", why}
	default:
		return nil, fmt.Errorf("the member answers %d: %s", answer.StatusCode, why)
	}
}

func (c *candidacy) say(name string, what fields) error {
	body, err := message(name, what)
	if err != nil {
		return err
	}
	c.saying.Lock()
	defer c.saying.Unlock()
	ctx, done := context.WithTimeout(c.life, silence)
	defer done()
	answer, err := c.post(ctx, "/v1/candidacies/"+url.PathEscape(c.key), body, http.StatusNoContent)
	if err != nil {
		return err
	}
	return answer.Close()
}

func (c *candidacy) hear() (string, json.RawMessage, error) {
	var name, content []byte
	for len(content) == 0 {
		if !c.events.Scan() {
			if err := c.events.Err(); err != nil {
				return "", nil, fmt.Errorf("the member is gone: %w", err)
			}
			return "", nil, errors.New("the member has ended the candidacy")
		}
		field, value, _ := bytes.Cut(c.events.Bytes(), []byte(":"))
		value = bytes.TrimSpace(value)
		// A line without a name says that the member is there.
		switch string(field) {
		case "event":
			name = append([]byte(nil), value...)
		case "data":
			content = value
		}
	}
	quoted, _ := json.Marshal(string(name))
	return read(bytes.Join([][]byte{[]byte("{"), quoted, []byte(":"), content, []byte("}")}, nil))
}

func (c *candidacy) Close() error {
	c.end() // Wakes who hears.
	c.transport.CloseIdleConnections()
	return nil
}
