// Package page writes a recording as one HTML file that shows it: what ran on every vCPU and every P,
// which goroutine woke which, how long the queues were, and in plain words why. The file needs
// nothing beside itself, no network either, and is opened from disk.
//
// The page's data are made here: the columns of numbers (encode.go), and the sentences with the rules
// of docs/SPEC.md that explain every event (package events) and further facts about a run
// (explain.go). The page itself is page.html, page.css and the scripts in js/, in the order of
// scripts.
package page
