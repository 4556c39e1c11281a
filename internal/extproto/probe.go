package extproto

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Probe is the one message of the first layer.
type Probe struct {
	Channel string      `json:"channel"`
	Version int         `json:"version"`
	ID      string      `json:"id"`
	Client  ProbeClient `json:"client"`
}

// ProbeClient is the host as it calls itself: for people only. Who it is the browser says.
type ProbeClient struct {
	ID      string `json:"id"`
	Name    string `json:"name"`
	Version string `json:"version"`
}

// ProbeAnswer is a provider's answer. OK is false only when the probe itself was wrong.
type ProbeAnswer struct {
	OK      bool         `json:"ok"`
	Service *Service     `json:"service,omitempty"`
	Status  *ProbeStatus `json:"status,omitempty"`
	Error   *ProbeFault  `json:"error,omitempty"`
}

// Service is the provider as it calls itself.
type Service struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	Version   string `json:"version"`
}

// ProbeStatus is what keeps a host from using the provider, and whom the user has to ask.
type ProbeStatus struct {
	Enabled         bool   `json:"enabled"`
	Authorized      bool   `json:"authorized"`
	Ready           bool   `json:"ready"`
	PendingApproval bool   `json:"pendingApproval,omitempty"`
	Reason          string `json:"reason,omitempty"`
}

// ProbeFault says what is wrong with a probe.
type ProbeFault struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// Probed is what came of a probe: an answer, or the problem of having none.
type Probed struct {
	Answer  json.RawMessage // as the provider gave it
	Problem string          // why there is none, in the browser's words
	Late    bool            // the problem is that nobody answered in time
}

// State is what a host calls a provider.
type State string

// The states. Connecting and closed ports are no states of a provider: it is there.
// StateOff and StateWaiting are of one that was not asked.
const (
	Failed       State = "error"
	Connected    State = "connected"
	StateOff     State = "off"     // switched off by the user here
	StateWaiting State = "waiting" // for a browser
)

// Row is a row of the table of states.
type Row struct {
	ID    RowID
	State State
	Words string // what the user reads; "" where the provider's own words stand
}

// RowID names a row of the table.
type RowID string

// The rows, by what the probe came to.
const (
	Absent     RowID = "absent"     // it was rejected
	Late       RowID = "late"       // nobody answered
	Fault      RowID = "fault"      // ok:false
	Incomplete RowID = "incomplete" // service or status is missing
	Off        RowID = "off"        // enabled:false
	Pending    RowID = "pending"    // authorized:false, and the user was asked
	Denied     RowID = "denied"     // authorized:false
	Unready    RowID = "unready"    // ready:false
	Usable     RowID = "usable"     // all pass
)

// Rows is the table of states, in the order in which it is judged.
var Rows = []Row{
	{Absent, Failed, "not installed, or it serves no agent endpoint"},
	{Late, Failed, ""},
	{Fault, Failed, ""},
	{Incomplete, Failed, "probe response is incomplete"},
	{Off, Failed, "agent access is switched off in the provider"},
	{Pending, Failed, "waiting for your approval in the provider"},
	{Denied, Failed, "this caller is not on the allowlist"},
	{Unready, Failed, ""},
	{Usable, Connected, ""},
}

// Verdict is what a probe says of a provider.
type Verdict struct {
	Row     RowID
	State   State
	Words   string  // what the user reads; "" when it is connected
	Service Service // as far as it was told
}

// Judge finds the row for what came of a probe.
func Judge(p Probed) Verdict {
	if p.Problem != "" {
		if p.Late {
			return verdict(Late, p.Problem, nil)
		}
		return verdict(Absent, "", nil)
	}
	var a struct {
		OK      *bool           `json:"ok"`
		Service *Service        `json:"service"`
		Status  *ProbeStatus    `json:"status"`
		Error   json.RawMessage `json:"error"`
	}
	if json.Unmarshal(p.Answer, &a) != nil || a.OK == nil {
		return verdict(Incomplete, "", nil)
	}
	if !*a.OK {
		return verdict(Fault, faultText(a.Error), nil)
	}
	if a.Service == nil || a.Status == nil || a.Service.Namespace == "" {
		return verdict(Incomplete, "", a.Service)
	}
	switch s := a.Status; {
	case !s.Enabled:
		return verdict(Off, "", a.Service)
	case !s.Authorized && s.PendingApproval:
		return verdict(Pending, "", a.Service)
	case !s.Authorized:
		return verdict(Denied, "", a.Service)
	case !s.Ready:
		return verdict(Unready, orElse(s.Reason, "the provider is not ready and gives no reason"), a.Service)
	}
	return verdict(Usable, "", a.Service)
}

func verdict(id RowID, words string, s *Service) Verdict {
	v := Verdict{Row: id}
	for _, r := range Rows {
		if r.ID == id {
			v.State, v.Words = r.State, orElse(r.Words, clipWords(words))
		}
	}
	if s != nil {
		v.Service = *s
	}
	return v
}

// faultText reads the error of a provider, which the protocol gives no form: a sentence
// or an object with a message.
func faultText(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil && text != "" {
		return text
	}
	var fault ProbeFault
	if json.Unmarshal(raw, &fault) == nil && fault.Message != "" {
		return fault.Message
	}
	return "the provider refused the probe and gives no reason"
}

func orElse(s, other string) string {
	if strings.TrimSpace(s) == "" {
		return other
	}
	return s
}

// maxWords bounds what a provider says of itself.
const maxWords = 300

func clipWords(s string) string {
	if r := []rune(s); len(r) > maxWords {
		return string(r[:maxWords]) + "…"
	}
	return s
}

// LateText is the problem of a probe that nobody answered.
func LateText() string {
	return fmt.Sprintf("no answer to the probe within %d ms", ProbeWithin.Milliseconds())
}
