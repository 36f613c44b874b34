package tenure

import (
	"math"
	"syscall"
	"unsafe"
)

const clockBoottime = 7

// Nanoseconds of a clock that never jumps, and goes on while the host is suspended: those of package time do not.
func now() int64 {
	var shown syscall.Timespec
	_, _, failed := syscall.RawSyscall(syscall.SYS_CLOCK_GETTIME, clockBoottime, uintptr(unsafe.Pointer(&shown)), 0)
	if failed != 0 {
		return math.MaxInt64 // Nothing lasts until then.
	}
	return shown.Nano()
}
