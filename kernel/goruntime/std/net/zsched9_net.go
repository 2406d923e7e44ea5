//go:build sched9

package net

import _ "zsched9/srv/net" // the network: linked in wherever this package is, and there before it
