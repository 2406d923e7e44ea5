// Package names marks an image: one of a program that imports it, or of one that is built with the flag -names of sched9
// run and build, shows its scheduler as files: /proc, /sched and what else docs/names.md tells of. On Linux the import changes
// nothing. Beside, it reads what some of those files hold.
package names
