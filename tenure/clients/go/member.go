// Package tenure leads an office of a Tenure cluster, by the member that runs on this host, or by one of another host.
//
// docs/reference/local-protocol.md specifies the protocol. This package needs nothing but the standard library.
package tenure

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// The greatest length of a value, in bytes.
const longestValue = 4096

var (
	// ErrNotWon is the error of a refusal because the office was not won in time, or another program leads it.
	ErrNotWon = errors.New("the office was not won")
	// ErrNotLeading is the error of what only a leader can do, when the leadership is over.
	ErrNotLeading = errors.New("the leadership is over")
	// ErrValue is the error of a value that a member would refuse.
	ErrValue = fmt.Errorf("a value is a line of at most %d bytes without control characters", longestValue)
)

// Refused is the error of a request that the member refuses, or has failed to carry out.
type Refused struct {
	Code, Why string
}

func (refused *Refused) Error() string { return refused.Why }

// Is tells errors.Is that a refusal with the code "not_won" is ErrNotWon.
func (refused *Refused) Is(target error) bool {
	return target == ErrNotWon && refused.Code == "not_won"
}

// Office is an office, as a member knows it.
type Office struct {
	Name        string  `json:"office"`
	Leader      string  `json:"leader"` // Empty if none is known.
	Term        uint64  `json:"term"`   // Of the leader, or else the last known one; 0 if none is.
	Value       string  `json:"value"`
	Change      *uint64 `json:"change"` // How often the leader of this term has changed its value, if that is known.
	Since       string  `json:"since"`
	StalenessMS uint64  `json:"staleness_ms"`
	ValidForMS  *uint64 `json:"valid_for_ms"`
	Here        bool    `json:"here"`
}

// Option says how to stand.
type Option func(fields)

// Priority is compared among the candidates for a vacant office: the one with the greatest leads.
func Priority(priority uint32) Option { return func(stand fields) { stand["priority"] = priority } }

// Stop is how long the work may go on after the leadership was lost.
func Stop(stop time.Duration) Option { return milliseconds("stop_ms", stop) }

// Wait limits how long to stand. Then the error is ErrNotWon.
func Wait(wait time.Duration) Option { return milliseconds("wait_ms", wait) }

// Try gives up, with ErrNotWon, as soon as another program is known to lead.
func Try() Option { return func(stand fields) { stand["try"] = true } }

// Value is what others are told of this leader, such as its address: a line of at most 4,096 bytes.
func Value(value string) Option { return func(stand fields) { stand["value"] = value } }

func milliseconds(name string, duration time.Duration) Option {
	return func(stand fields) { stand[name] = duration.Milliseconds() }
}

// A member would refuse a value that is anything else, and end the leadership.
func isValue(value string) bool {
	return len(value) <= longestValue && utf8.ValidString(value) && strings.IndexFunc(value, unicode.IsControl) < 0
}

// Member is the member that stands for programs of this host, at its socket; the zero one at that which Find finds.
type Member struct {
	Path string
}

// Stand stands until the office is led. The end of the context ends the standing; later it ends the Context of the
// leadership alone.
func (member Member) Stand(ctx context.Context, office string, options ...Option) (*Leadership, error) {
	return stand(ctx, office, options, func(stand fields) (conversation, func() bool, error) {
		c, keep, err := open(ctx, member.Path)
		if err != nil {
			return nil, nil, err
		}
		return c, keep, c.say("stand", stand)
	})
}

// Stands in a conversation that `begin` begins, and that the end of the context closes until it is kept.
func stand(
	ctx context.Context, office string, options []Option, begin func(fields) (conversation, func() bool, error),
) (*Leadership, error) {
	stand := fields{"office": office}
	for _, option := range options {
		option(stand)
	}
	if value, given := stand["value"].(string); given && !isValue(value) {
		return nil, ErrValue
	}
	c, keep, err := begin(stand)
	if keep == nil {
		return nil, err
	}
	var leadership *Leadership
	if err == nil {
		leadership, err = lead(ctx, c, office)
	}
	if kept := keep(); err == nil && !kept {
		err = ctx.Err()
	}
	if err != nil {
		c.Close()
		return nil, because(ctx, err)
	}
	return leadership, nil
}

// List returns all offices that any member knows.
func (member Member) List(ctx context.Context) (offices []Office, err error) {
	err = member.ask(ctx, "list", fields{}, "offices", &offices)
	return
}

// Show returns an office, as any member knows it.
func (member Member) Show(ctx context.Context, office string) (shown Office, err error) {
	err = member.ask(ctx, "show", fields{"office": office}, "office", &shown)
	return
}

// Watch calls a function with an office now and at each change. It returns with an error: of the member, or of the
// context.
func (member Member) Watch(ctx context.Context, office string, changed func(Office)) error {
	return member.talk(ctx, "watch", fields{"office": office}, func(c *connection) error {
		for {
			var shown Office
			if err := answer(c, "office", &shown); err != nil {
				return err
			}
			changed(shown)
		}
	})
}

// Resign asks the leader of an office, wherever it is, to leave it, and waits until it has.
func (member Member) Resign(ctx context.Context, office string) error {
	return member.ask(ctx, "resign", fields{"office": office}, "done", new(fields))
}

// Transfer asks the leader of an office, wherever it is, to leave it to a participant, and waits until that one leads.
func (member Member) Transfer(ctx context.Context, office, to string) error {
	return member.ask(ctx, "transfer", fields{"office": office, "to": to}, "done", new(fields))
}

func (member Member) ask(ctx context.Context, request string, what fields, wanted string, into any) error {
	return member.talk(ctx, request, what, func(c *connection) error { return answer(c, wanted, into) })
}

func (member Member) talk(ctx context.Context, request string, what fields, hear func(*connection) error) error {
	c, keep, err := open(ctx, member.Path)
	if err != nil {
		return err
	}
	defer keep()
	defer c.Close()
	if err = c.say(request, what); err == nil {
		err = hear(c)
	}
	if err != nil {
		return because(ctx, err)
	}
	return nil
}

func answer(c conversation, wanted string, into any) error {
	content, err := expect(c, wanted)
	if err == nil && json.Unmarshal(content, into) != nil {
		err = fmt.Errorf("the member answers nonsense: %s is %.100q", wanted, content)
	}
	return err
}
