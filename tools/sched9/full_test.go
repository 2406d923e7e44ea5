//go:build full

package main

// full says that what takes long is tried too: make full's tiers build with that tag. Tests that only they run, because those take long or
// need more than make test installs, are in files with the tag.
const full = true
