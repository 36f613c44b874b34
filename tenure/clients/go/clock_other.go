//go:build !linux

package tenure

import "time"

var start = time.Now()

// Nanoseconds of a clock that never jumps. Whether it goes on while the host is suspended is up to the system.
func now() int64 {
	return int64(time.Since(start))
}
