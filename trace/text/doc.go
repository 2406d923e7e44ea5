// Package text tells of a recorded run in words and figures, for terminals:
// Summary a page about the whole, Events a line for every event.
//
// The words are for others too that show a run as text.
package text
