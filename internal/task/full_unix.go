//go:build unix

package task

import (
	"errors"

	"golang.org/x/sys/unix"
)

func isDiskFull(err error) bool { return errors.Is(err, unix.ENOSPC) || errors.Is(err, unix.EDQUOT) }
