package gotrace

// blockReasons are the words that the tools have for what the Go runtime
// calls a wait otherwise. A reason that is not here goes by its own name.
var blockReasons = map[string]string{
	"unknown":                       unspecified,
	"GC assist marking":             "GC mark assist wait for work",
	"GC assist wait":                "GC mark assist wait for work",
	"GC scavenge wait":              "system goroutine wait",
	"GC sweep wait":                 "GC background sweeper wait",
	"GC worker (idle)":              "system goroutine wait",
	"GOMAXPROCS updater (idle)":     "system goroutine wait",
	"IO wait":                       "network",
	"chan receive (durable)":        "chan receive",
	"chan receive (nil chan)":       "forever",
	"chan send (durable)":           "chan send",
	"chan send (nil chan)":          "forever",
	"cleanup wait":                  "system goroutine wait",
	"debug call":                    "wait for debug call",
	"finalizer wait":                "system goroutine wait",
	"force gc (idle)":               "system goroutine wait",
	"panicwait":                     "forever",
	"select (durable)":              "select",
	"select (no cases)":             "forever",
	"semacquire":                    "sync",
	"sync.Cond.Wait":                "sync.(*Cond).Wait",
	"sync.Mutex.Lock":               "sync",
	"sync.RWMutex.Lock":             "sync",
	"sync.RWMutex.RLock":            "sync",
	"sync.WaitGroup.Wait":           "sync",
	"sync.WaitGroup.Wait (durable)": "sync",
	"synctest.Run":                  "synctest",
	"synctest.Wait":                 "synctest",
	"trace reader (blocked)":        "system goroutine wait",
	"wait for GC cycle":             "wait until GC ends",
}

// Other words that the tools know.
const (
	unspecified   = "unspecified"
	stopGosched   = "runtime.Gosched"
	stopPreempted = "preempted"
	labelWorker   = "GC (worker)" // what begins with "GC (" is the collector's
	labelIdle     = "GC (idle)"   // but for this
)

// blockReason is the tools' word for why a goroutine waits.
func blockReason(s string) string {
	if r, ok := blockReasons[s]; ok {
		return r
	}
	return s
}
