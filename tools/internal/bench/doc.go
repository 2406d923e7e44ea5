// Package bench makes results out of what the program scenarios/bench prints on two systems: statistics, goals, a
// table, a page and a comparison with earlier results. It starts nothing.
package bench
