package installer

import (
	"chrome-mcp/internal/conf"
)

// entry is what a client has to hold to start the program with the arguments.
func (sh Shape) entry(program string, args []string) conf.Entry {
	if args == nil {
		args = []string{}
	}
	plain := conf.Entry{{Key: "command", Value: program}, {Key: "args", Value: args}}
	switch sh {
	case TypedStdio:
		return append(conf.Entry{{Key: "type", Value: "stdio"}}, plain...)
	case TypedLocal:
		return append(append(conf.Entry{{Key: "type", Value: "local"}}, plain...), conf.Field{Key: "tools", Value: []string{"*"}})
	case OneCommand:
		return conf.Entry{
			{Key: "type", Value: "local"},
			{Key: "command", Value: append([]string{program}, args...)},
			{Key: "enabled", Value: true},
		}
	case GooseShape:
		return conf.Entry{
			{Key: "name", Value: ServerKey},
			{Key: "type", Value: "stdio"},
			{Key: "enabled", Value: true},
			{Key: "cmd", Value: program},
			{Key: "args", Value: args},
			{Key: "envs", Value: conf.Entry{}},
			{Key: "timeout", Value: 300},
		}
	}
	return plain
}

// renewed is an entry of ours with another command line. The rest of it is the user's: a
// client may be told there not to start us.
func (sh Shape) renewed(have map[string]any, program string, args []string) conf.Entry {
	e := sh.entry(program, args)
	for i, f := range e {
		if v, ok := have[f.Key]; ok && f.Key != "command" && f.Key != "cmd" && f.Key != "args" {
			e[i].Value = v
		}
	}
	return e.With(have)
}

// command reads an entry: the program that it starts, and the arguments.
func (sh Shape) command(entry map[string]any) (program string, args []string) {
	text := func(v any) string { s, _ := v.(string); return s }
	list := func(v any) (out []string) {
		all, _ := v.([]any)
		for _, item := range all {
			out = append(out, text(item))
		}
		return out
	}
	switch sh {
	case OneCommand:
		if all := list(entry["command"]); len(all) > 0 {
			return all[0], all[1:]
		}
		return "", nil
	case GooseShape:
		return text(entry["cmd"]), list(entry["args"])
	}
	return text(entry["command"]), list(entry["args"])
}
