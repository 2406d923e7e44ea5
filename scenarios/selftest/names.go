package main

import _ "sched9/names" // /dev/machine and /dev/rtc; sched9 selftest asks for them by a flag
