// Package names has nothing in it. An image of a program that imports it, or of one that is built with the flag -names of sched9
// run and build, shows its scheduler as files: /proc, /sched and what else docs/names.md tells of. On Linux the import changes
// nothing.
package names
