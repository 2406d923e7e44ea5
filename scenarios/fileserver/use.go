package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"sched9/srv"
	"sched9/srv/nine"
)

const root = "/tmp/n/example"

// use does with the server's files what programs do with files.
func use() {
	for _, step := range []struct {
		name string
		do   func() error
	}{
		{"count", counts}, {"clock", ticks}, {"names", findsNames}, {"working directory", works}, {"errors", fails}, {"bind", binds}, {"9P", speaks}, {"unmount", unmounts},
	} {
		if err := step.do(); err != nil {
			fmt.Printf("fileserver: %s: %v\n", step.name, err)
			os.Exit(1)
		}
		fmt.Println("fileserver:", step.name, "ok")
	}
	fmt.Println("fileserver: done")
}

// holds reports that a file does not hold what it should.
func holds(name, want string) error {
	got, err := os.ReadFile(name)
	if err == nil && strings.TrimSpace(string(got)) != want {
		err = fmt.Errorf("%s holds %q, not %q", name, got, want)
	}
	return err
}

// counts has eight goroutines write to one file.
func counts() error {
	var all sync.WaitGroup
	failed := make(chan error, 8)
	for range 8 {
		all.Go(func() {
			for range 50 {
				if err := os.WriteFile(root+"/count", []byte("1\n"), 0o644); err != nil {
					failed <- err
					return
				}
			}
		})
	}
	if all.Wait(); len(failed) > 0 {
		return <-failed
	}
	return holds(root+"/count", "400")
}

// ticks waits for the server while another goroutine computes: no processor is held.
func ticks() error {
	done := make(chan error)
	go func() {
		for range 3 {
			if text, err := os.ReadFile(root + "/clock"); err != nil || len(text) < 7 {
				done <- fmt.Errorf("clock: %q, %v", text, err)
				return
			}
		}
		done <- nil
	}()
	for turns := 0; ; turns++ {
		select {
		case err := <-done:
			if err == nil && turns == 0 {
				err = errors.New("nothing ran while a goroutine waited for the clock")
			}
			return err
		default:
			time.Sleep(time.Millisecond)
		}
	}
}

// findsNames goes to the server by links, by "..", by a directory's file and by os.Root.
func findsNames() error {
	os.Symlink(root, "/tmp/link")
	os.Symlink("link/count", "/tmp/count")
	if err := errors.Join(holds("/tmp/link/count", "400"), holds("/tmp/count", "400"), holds(root+"/../example//./count", "400"),
		holds("/tmp/link/../example/count", "400")); err != nil {
		return err
	}
	r, err := os.OpenRoot("/tmp/n")
	if err != nil {
		return err
	}
	defer r.Close()
	if text, err := r.ReadFile("example/count"); err != nil || string(text) != "400\n" {
		return fmt.Errorf("by os.Root: %q, %v", text, err)
	}
	var seen []string
	err = filepath.WalkDir("/tmp/n", func(path string, d fs.DirEntry, err error) error {
		seen = append(seen, path)
		return err
	})
	if want := "/tmp/n /tmp/n/example /tmp/n/example/clock /tmp/n/example/count"; strings.Join(seen, " ") != want {
		return fmt.Errorf("%q, %v", seen, err)
	}
	return err
}

// works goes into the server's directory and out of it.
func works() error {
	if err := os.Chdir(root); err != nil {
		return err
	}
	var here [100]byte
	n, err := syscall.Getcwd(here[:])
	if err != nil || string(here[:n-1]) != root {
		return fmt.Errorf("the working directory is %q, %v", here[:n], err)
	}
	if err := errors.Join(holds("count", "400"), os.WriteFile("../../left", []byte("out"), 0o600), holds("/tmp/left", "out"), holds("../../left", "out")); err != nil {
		return err
	}
	if st, err := os.Lstat("../../link"); err != nil || st.Mode().Type() != fs.ModeSymlink {
		return fmt.Errorf("../../link is %v, %v", st, err)
	}
	if to, err := os.Readlink("../../link"); err != nil || to != root {
		return fmt.Errorf("../../link leads to %q, %v", to, err)
	}
	if err := os.Symlink("target", "../../new"); err != nil {
		return err
	}
	if err := os.Chtimes("../../left", time.Unix(1, 2), time.Unix(3, 4)); err != nil {
		return err
	}
	if st, err := os.Stat("/tmp/left"); err != nil || !st.ModTime().Equal(time.Unix(3, 4)) {
		return fmt.Errorf("/tmp/left is %v, %v", st, err)
	}
	if err := os.Rename("../../new", "../../newer"); err != nil {
		return err
	}
	if err := os.Chdir(".."); err != nil {
		return err
	}
	return holds("example/count", "400")
}

// fails makes mistakes.
func fails() error {
	for _, c := range []struct {
		err  error
		want syscall.Errno
	}{
		{os.Mkdir(root+"/new", 0o755), syscall.EROFS},
		{os.Mkdir(root, 0o755), syscall.EEXIST},
		{os.Remove(root), syscall.EBUSY},
		{os.Remove(root + "/count"), syscall.EROFS},
		{os.Rename("/tmp/left", root+"/left"), syscall.EXDEV},
		{os.Rename(root, "/tmp/gone"), syscall.EXDEV},
		{os.Link(root+"/count", "/tmp/linked"), syscall.EXDEV},
		{os.WriteFile(root+"/count", []byte("x"), 0), syscall.EINVAL},
		{os.WriteFile(root+"/clock", []byte("x"), 0), syscall.EROFS},
		{os.Chmod(root+"/count", 0o600), syscall.EROFS},
		{os.WriteFile(root+"/none", nil, 0), syscall.EROFS},
		{os.Chdir(root + "/count"), syscall.ENOTDIR},
		{holds(root+"/count/x", ""), syscall.ENOTDIR},
		{holds(root+"/count/", ""), syscall.ENOTDIR},
		{holds(root+"/x/y", ""), syscall.ENOENT},
		{srv.Mount(srv.Dir{}, root+"/count"), syscall.ENOTDIR},
		{srv.Mount(srv.Dir{}, "/tmp/none"), syscall.ENOENT},
		{srv.Mount(srv.Dir{}, "/"), syscall.EBUSY},
		{srv.Bind("/tmp/n/example", "/tmp/left"), syscall.ENOTDIR},
		{srv.Bind("/tmp/n", "/tmp"), syscall.EBUSY},
		{srv.Unmount("/tmp/n"), syscall.EINVAL},
	} {
		if !errors.Is(c.err, c.want) {
			return fmt.Errorf("%v, not %v", c.err, c.want)
		}
	}
	return nil
}

// binds shows directories in other places.
func binds() error {
	for _, name := range []string{"/tmp/a", "/tmp/b", "/tmp/b/sub"} {
		if err := os.Mkdir(name, 0o755); err != nil {
			return err
		}
	}
	if err := errors.Join(srv.Bind(root, "/tmp/a"), holds("/tmp/a/count", "400"), srv.Bind("/tmp/b", "/tmp/n"), os.WriteFile("/tmp/n/new", []byte("bound"), 0o600),
		holds("/tmp/b/new", "bound"), os.Rename("/tmp/n/new", "/tmp/n/sub/new"), holds("/tmp/b/sub/new", "bound")); err != nil {
		return err
	}
	if _, err := os.Stat(root); !errors.Is(err, fs.ErrNotExist) { // it is below what is hidden
		return fmt.Errorf("%s: %v", root, err)
	}
	if err := errors.Join(srv.Unmount("/tmp/n"), holds(root+"/count", "400"), srv.Mount(srv.Dir{"over": srv.Dir{}}, "/tmp/a")); err != nil {
		return err
	}
	if _, err := os.Stat("/tmp/a/over/.."); err != nil {
		return err
	}
	return errors.Join(srv.Unmount("/tmp/a"), holds("/tmp/a/count", "400"), srv.Unmount("/tmp/a"), srv.Bind("/tmp/b", root), holds(root+"/sub/new", "bound"), srv.Unmount(root))
}

// pipe is one end of a connection between goroutines.
type pipe struct {
	io.Reader
	io.WriteCloser
}

// speaks mounts a tree that another goroutine serves by 9P: a part of the program's own.
func speaks() error {
	a, b := pipe{}, pipe{}
	a.Reader, b.WriteCloser = io.Pipe()
	b.Reader, a.WriteCloser = io.Pipe()
	go nine.Serve(b, "/tmp/b")
	tree, err := srv.Dial(a, time.Minute)
	if err != nil {
		return err
	}
	if err := errors.Join(srv.Mount(tree, "/tmp/n"), holds("/tmp/n/sub/new", "bound"), os.WriteFile("/tmp/n/sub/more", []byte("by 9P"), 0o600),
		holds("/tmp/b/sub/more", "by 9P"), os.Rename("/tmp/n/sub/more", "/tmp/n/sub/less"), os.Remove("/tmp/n/sub/less"), os.Mkdir("/tmp/n/dir", 0o755)); err != nil {
		return err
	}
	if err := os.Mkdir("/tmp/n/dir", 0o755); !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("a directory is made twice: %v", err)
	}
	all, err := os.ReadDir("/tmp/b")
	if err != nil || len(all) != 2 {
		return fmt.Errorf("/tmp/b has %v, %v", all, err)
	}
	a.Close() // upon which the server ends
	if _, err := os.Stat("/tmp/n/dir"); !errors.Is(err, syscall.EIO) {
		return fmt.Errorf("without a server: %v", err)
	}
	return srv.Unmount("/tmp/n")
}

// unmounts takes the server away under an open file.
func unmounts() error {
	f, err := os.Open(root + "/count")
	if err != nil {
		return err
	}
	defer f.Close()
	if err := srv.Unmount(root); err != nil {
		return err
	}
	if _, err := os.Stat(root + "/count"); !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("the file is still there: %v", err)
	}
	var b [10]byte
	if n, err := f.ReadAt(b[:4], 0); err != nil || string(b[:n]) != "400\n" {
		return fmt.Errorf("the open file holds %q, %v", b[:n], err)
	}
	return os.Remove(root)
}
