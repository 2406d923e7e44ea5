package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"9fans.net/go/plan9"

	"sched9/tools/internal/nine"
)

// treePage is the page that `sched9 top -http` serves: a guest's goroutines and its tree of files.
//
//go:embed tree.html
var treePage []byte

// treeServer answers the page's questions. It has a session with the guest for each of them, since a page may be open in several windows, and the guest
// may go and come again.
type treeServer struct {
	look  func(func(guestFiles) error) error // calls with the guest's files, or fails
	write func(name, line string) error
	host  string // by which the page is asked for, as in 127.0.0.1:8080
}

// treeLimit bounds the text that is written to a file.
const treeLimit = 1 << 10

// handler is the server.
func (s *treeServer) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Content-Security-Policy", "default-src 'self' 'unsafe-inline'; frame-ancestors 'none'")
		w.Write(treePage)
	})
	mux.HandleFunc("GET /ps", func(w http.ResponseWriter, r *http.Request) {
		s.answer(w, func(f guestFiles) (any, error) { return goroutines(f) })
	})
	mux.HandleFunc("GET /ls", func(w http.ResponseWriter, r *http.Request) {
		s.answer(w, func(f guestFiles) (any, error) {
			all, err := f.ReadDir(r.FormValue("path"))
			names := []string{}
			for _, d := range all {
				name := d.Name
				if d.Mode&plan9.DMDIR != 0 {
					name += "/"
				}
				names = append(names, name)
			}
			return names, err
		})
	})
	mux.HandleFunc("GET /cat", func(w http.ResponseWriter, r *http.Request) {
		s.answer(w, func(f guestFiles) (any, error) {
			one := []*nine.File{{Name: r.FormValue("path")}}
			if err := f.ReadFiles(one); err != nil {
				return nil, err
			}
			return string(one[0].Data), one[0].Err
		})
	})
	mux.HandleFunc("POST /write", func(w http.ResponseWriter, r *http.Request) {
		// A page of another origin cannot set this header without asking, and is not allowed to.
		if r.Header.Get("X-Sched9") == "" {
			http.Error(w, "only the page writes", http.StatusForbidden)
			return
		}
		line, err := io.ReadAll(http.MaxBytesReader(w, r.Body, treeLimit))
		if err == nil {
			err = s.write(r.FormValue("path"), string(line))
		}
		reply(w, nil, err)
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// Another name for this host, which an attacker's name server may have given, is not asked for by our page.
		if host, _, err := net.SplitHostPort(r.Host); r.Host != s.host && (err != nil || host != "localhost") {
			http.Error(w, "this is "+s.host, http.StatusForbidden)
			return
		}
		mux.ServeHTTP(w, r)
	})
}

// answer writes what fn finds in the guest's files.
func (s *treeServer) answer(w http.ResponseWriter, fn func(guestFiles) (any, error)) {
	var v any
	err := s.look(func(f guestFiles) (err error) {
		v, err = fn(f)
		return err
	})
	reply(w, v, err)
}

// reply writes v, or an error in a line.
func reply(w http.ResponseWriter, v any, err error) {
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	json.NewEncoder(w).Encode(v)
}

// web is `sched9 top -http`: it serves the page until ctx is done.
func (r *remote) web(ctx context.Context, address string) error {
	network, at, err := nine.Address(address)
	if err != nil || network != "tcp" {
		return usageError{fmt.Errorf("-http: %q is not of the form :PORT or ADDRESS:PORT", address)}
	}
	l, err := net.Listen(network, at)
	if err != nil {
		return usageError{fmt.Errorf("-http: %w", err)}
	}
	s := treeServer{host: l.Addr().String(), look: r.files, write: r.writeLine}
	fmt.Fprintf(r.err, "sched9: the guest's files are at http://%s/; Ctrl-C ends that\n", s.host)
	server := http.Server{Handler: s.handler(), ReadHeaderTimeout: 10 * time.Second}
	defer context.AfterFunc(ctx, func() { server.Close() })()
	if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// writeLine writes a line to a file of the guest.
func (r *remote) writeLine(name, line string) error {
	return r.session(func(c *nine.Client) error { return c.Write(name, strings.NewReader(line)) })
}
