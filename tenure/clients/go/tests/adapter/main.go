// Does with the client what standard input says, a line each, for the dialogues; ../../../dialogues/README.md has the
// words.
package main

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"tenure"
)

var always = context.Background()

func failed(err error) string {
	var refused *tenure.Refused
	switch {
	case errors.Is(err, tenure.ErrNotWon):
		return "not won"
	case errors.As(err, &refused):
		return "refused " + refused.Code
	case errors.Is(err, tenure.ErrNotLeading):
		return "not leading"
	case errors.Is(err, context.Canceled):
		return "withdrawn"
	case errors.Is(err, tenure.ErrValue):
		return "no value"
	default:
		return "error"
	}
}

func or(text string) string {
	if text == "" || text == "0" {
		return "-"
	}
	return text
}

func leaderOf(office tenure.Office) string {
	return fmt.Sprintf("office %s %s %s", office.Name, or(office.Leader), or(strconv.FormatUint(office.Term, 10)))
}

func watch(member tenure.Member, office string) {
	last := ""
	err := member.Watch(always, office, func(office tenure.Office) {
		// Its value may have changed, and nothing else.
		if last != leaderOf(office) {
			last = leaderOf(office)
			fmt.Println(last)
		}
	})
	fmt.Println("watch", failed(err))
}

func options(words []string) (ctx context.Context, options []tenure.Option) {
	ctx = always
	for _, word := range words {
		name, value, _ := strings.Cut(word, "=")
		number, _ := strconv.ParseFloat(value, 64)
		duration := time.Duration(number * float64(time.Second))
		if name == "withdraw" {
			withdrawn, withdraw := context.WithCancel(ctx)
			time.AfterFunc(duration, withdraw)
			ctx = withdrawn
			continue
		}
		options = append(options, map[string]tenure.Option{
			"priority": tenure.Priority(uint32(number)),
			"stop":     tenure.Stop(duration),
			"wait":     tenure.Wait(duration),
			"value":    tenure.Value(value),
			"try":      tenure.Try(),
		}[name])
	}
	return
}

// A leadership, and whether it is being released.
type held struct {
	*tenure.Leadership
	leaving *atomic.Bool
}

func (h held) listen() {
	go func() {
		<-h.Context().Done()
		if !h.leaving.Load() && h.ValidFor() == 0 {
			fmt.Println("lost")
		}
	}()
	go func() {
		<-h.Stopping()
		if h.Context().Err() == nil {
			fmt.Println("stopping")
		}
	}()
}

// What stands: a member of this host, or of another one.
type standing interface {
	Stand(ctx context.Context, office string, options ...tenure.Option) (*tenure.Leadership, error)
}

// A member of another host, if the environment names one, or else the own one.
func standingBy(member tenure.Member) standing {
	url := os.Getenv("TENURE_URL")
	if url == "" {
		return member
	}
	authorities := x509.NewCertPool()
	if authority := os.Getenv("TENURE_AUTHORITY"); authority != "" {
		certificates, _ := os.ReadFile(authority)
		authorities.AppendCertsFromPEM(certificates)
	}
	return tenure.Remote(url, os.Getenv("TENURE_TOKEN"), &tls.Config{RootCAs: authorities})
}

func (h *held) obey(member tenure.Member, standing standing, word string, rest []string) (said string, err error) {
	switch word {
	case "stand":
		var leadership *tenure.Leadership
		ctx, options := options(rest[1:])
		if leadership, err = standing.Stand(ctx, rest[0], options...); err == nil {
			*h = held{leadership, new(atomic.Bool)}
			h.listen()
			said = fmt.Sprintf("leads %d", h.Term)
		}
	case "valid":
		said = fmt.Sprintf("valid %d", h.ValidFor().Milliseconds())
	case "proclaim":
		said, err = "proclaimed", h.Proclaim(strings.Join(rest, " "))
	case "check":
		said, err = "leads", h.Check()
	case "release":
		h.leaving.Store(true)
		said = "released"
		if len(rest) > 0 {
			err = h.Transfer(rest[0])
		} else {
			err = h.Resign()
		}
	case "list":
		var offices []tenure.Office
		offices, err = member.List(always)
		said = "offices"
		for _, office := range offices {
			said += " " + office.Name
		}
	case "show", "value":
		var office tenure.Office
		office, err = member.Show(always, rest[0])
		said = leaderOf(office)
		if word == "value" {
			said = "value " + or(office.Value)
		}
	case "watch":
		go watch(member, rest[0])
	case "resign":
		said, err = "done", member.Resign(always, rest[0])
	case "transfer":
		said, err = "done", member.Transfer(always, rest[0], rest[1])
	default:
		said = "no command: " + word
	}
	return
}

func main() {
	member := tenure.Member{}
	standing := standingBy(member)
	var h held
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		words := strings.Split(lines.Text(), " ")
		said, err := h.obey(member, standing, words[0], words[1:])
		if err != nil {
			said = failed(err)
		}
		if said != "" {
			fmt.Println(said)
		}
	}
}
