package tenure

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"sync"
	"time"
)

// Timers stop while the host is suspended; so the clock is read again after this time at the latest.
const lookAgain = time.Second

// Leadership is the leadership of an office, for one term.
//
// It lasts for as long as the member can extend it and this process runs: a goroutine keeps it. It ends by Resign. All
// work for it has to be over by then, and the stop time after it is lost.
type Leadership struct {
	Office string
	// The fencing token.
	Term uint64

	connection conversation
	context    context.Context
	cancel     context.CancelFunc
	stopping   chan struct{}
	begun      chan struct{} // Closed when it is known for how long this lasts, or that it does not.
	ended      chan struct{} // Closed when nothing more is heard.
	news       chan struct{} // Wakes who watches the clock.

	state   sync.Mutex
	until   int64 // On our clock; 0 before the first ping is answered.
	over    bool
	told    bool // That the work should end.
	leaving bool
	end     error // How the connection has ended, unless the office is released.
}

// Waits until this program leads, and it is known for how long.
func lead(ctx context.Context, c conversation, office string) (*Leadership, error) {
	content, err := expect(c, "leading")
	if err != nil {
		return nil, err
	}
	l := &Leadership{
		Office:     office,
		connection: c,
		stopping:   make(chan struct{}),
		begun:      make(chan struct{}),
		ended:      make(chan struct{}),
		news:       make(chan struct{}, 1),
	}
	if l.Term, err = number(content, "term"); err != nil {
		return nil, err
	}
	if err = l.ping(); err != nil {
		return nil, err
	}
	l.context, l.cancel = context.WithCancel(ctx)
	go l.hear()
	<-l.begun
	l.state.Lock()
	defer l.state.Unlock()
	if l.until == 0 {
		l.cancel()
		if l.end == nil {
			return nil, fmt.Errorf("%s was lost before it could be led: %w", office, ErrNotLeading)
		}
		return nil, l.end
	}
	go l.watchClock()
	return l, nil
}

// Context ends when the leadership is over, by the clock at the latest; and with the context of Stand.
func (l *Leadership) Context() context.Context { return l.context }

// Stopping is closed when the work should end: the member wants the office back, is gone, or the leadership is lost.
// Until the leadership is lost, the work may go on.
func (l *Leadership) Stopping() <-chan struct{} { return l.stopping }

// IsStopping returns whether the work should end.
func (l *Leadership) IsStopping() bool {
	valid := l.ValidFor()
	l.state.Lock()
	defer l.state.Unlock()
	return l.told || valid == 0
}

// ValidFor returns for how long from now the leadership is certain; 0 if it is over.
func (l *Leadership) ValidFor() time.Duration {
	l.state.Lock()
	defer l.state.Unlock()
	left := l.until - now()
	if l.over || left <= 0 {
		// Who has seen it end never sees it again.
		l.over, left = true, 0
	}
	return time.Duration(left)
}

// Check returns ErrNotLeading if the leadership is over. What is written should still compare terms.
func (l *Leadership) Check() error {
	if l.ValidFor() == 0 {
		return fmt.Errorf("%s is not led any more in term %d: %w", l.Office, l.Term, ErrNotLeading)
	}
	return nil
}

// Proclaim sets what others are told of this leader, such as its address: a line of at most 4,096 bytes.
func (l *Leadership) Proclaim(value string) error {
	if !isValue(value) {
		return ErrValue
	}
	if err := l.Check(); err != nil {
		return err
	}
	return l.connection.say("proclaim", fields{"value": value})
}

// Resign releases the office, after the work has ended.
func (l *Leadership) Resign() error { return l.release(fields{}) }

// Transfer releases the office to a participant, after the work has ended; to any, with Refused, if that cannot lead.
func (l *Leadership) Transfer(to string) error { return l.release(fields{"to": to}) }

func (l *Leadership) release(to fields) error {
	l.state.Lock()
	again := l.leaving
	l.leaving, l.over = true, true
	l.state.Unlock()
	if again {
		return nil
	}
	l.wake()
	if l.connection.say("release", to) == nil {
		<-l.ended
	}
	l.connection.Close()
	<-l.ended
	l.cancel()
	if refused, is := l.end.(*Refused); is {
		return refused
	}
	return nil // With the member, the leadership is gone.
}

func (l *Leadership) ping() error {
	// What the member says in answer counts from now: whatever is held up, we never count on too much.
	return l.connection.say("alive", fields{"ping": now()})
}

func (l *Leadership) hear() {
	defer close(l.ended)
	for {
		name, content, err := l.connection.hear()
		var until int64
		if err == nil && name == "valid" {
			until, err = end(content)
		}
		l.state.Lock()
		switch {
		case err != nil:
			l.end = err
		case name == "over":
			l.over = true
		case name == "valid" && until > l.until:
			l.until = until
		}
		if (name == "stopping" || err != nil) && !l.leaving && !l.told {
			l.told = true
			close(l.stopping)
		}
		answer := name == "valid" && err == nil && !l.leaving
		known := l.until != 0 || l.over || err != nil
		l.state.Unlock()
		if answer {
			_ = l.ping() // If the member is gone, read first what it has said.
		}
		if known {
			l.begin()
		}
		l.wake()
		if err != nil || name == "released" {
			return
		}
	}
}

// When a promise ends, on our clock.
func end(content json.RawMessage) (int64, error) {
	ping, err := number(content, "ping")
	if err != nil {
		return 0, err
	}
	valid, err := number(content, "for_ms")
	if err != nil {
		return 0, err
	}
	if ping > math.MaxInt64 || valid > (math.MaxInt64-ping)/uint64(time.Millisecond) {
		return math.MaxInt64, nil
	}
	return int64(ping + valid*uint64(time.Millisecond)), nil
}

func (l *Leadership) begin() {
	select {
	case <-l.begun:
	default:
		close(l.begun)
	}
}

func (l *Leadership) wake() {
	select {
	case l.news <- struct{}{}:
	default:
	}
}

// Ends the context at the end, even if nothing is heard: a member that is gone extends nothing any more.
func (l *Leadership) watchClock() {
	for left := l.ValidFor(); left > 0; left = l.ValidFor() {
		if left > lookAgain {
			left = lookAgain
		}
		select {
		case <-time.After(left):
		case <-l.news:
		}
	}
	l.cancel()
	l.state.Lock()
	defer l.state.Unlock()
	if !l.leaving && !l.told {
		l.told = true
		close(l.stopping)
	}
}
