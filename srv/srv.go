// Package srv gives file servers places in the tree of names of an image's program, from Go: Mount, Bind and Unmount, as in Plan 9. docs/files.md
// describes it, and scenarios/fileserver is a server.
//
// A program in a checkout of sched9, or in a module that replaces module sched9 by one, imports it as any other package. In an image its calls of
// package os then come to the server. On Linux everything compiles as well, and Mount, Bind and Unmount fail.
//
// What a server is made of is in package srv/mount: this package has those types by the same names.
package srv

import (
	"io"
	"time"

	"sched9/srv/mount"
	"sched9/srv/remote"
)

// What a server is made of: Node is a file or a directory of it, Dir a directory of fixed contents, the others are what a Node can do.
type (
	Node       = mount.Node
	Attr       = mount.Attr
	Entry      = mount.Entry
	Change     = mount.Change
	Typer      = mount.Typer
	Directory  = mount.Directory
	Opener     = mount.Opener
	Syncer     = mount.Syncer
	Readlinker = mount.Readlinker
	Setter     = mount.Setter
	Changer    = mount.Changer
	Dir        = mount.Dir
)

// Mount has the tree of root stand in the place of the directory at path, which must exist. Of several mounts in one place the last is seen.
func Mount(root Node, path string) error { return mount.Mount(root, path) }

// Bind has the directory old, a server's or not, stand in the place of the directory new as well.
func Bind(old, new string) error { return mount.Bind(old, new) }

// Unmount takes away what was mounted or bound at path last. What is open stays until it is closed.
func Unmount(path string) error { return mount.Unmount(path) }

// Dial returns the root of the tree that a server of 9P at the other end of conn has: 9P2000.L, or 9P2000. From then on conn is the session's. An answer that
// takes longer than limit makes its call fail with EIO; 0: there is no limit, and a file may be waited for.
func Dial(conn io.ReadWriteCloser, limit time.Duration) (Node, error) {
	return remote.Attach(remote.NewStream(conn, limit))
}
