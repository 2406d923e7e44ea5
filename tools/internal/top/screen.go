package top

import (
	"time"

	"github.com/gdamore/tcell/v2"

	"sched9/trace/live"
)

// Screen shows a run on a terminal.
type Screen struct {
	feed   *Feed
	screen tcell.Screen
	lines  []live.Line // as shown
	paused bool
	kinds  bool
	ended  bool
	back   int // so many lines back in the console
}

// NewScreen returns a Screen on s, which is initialised.
func NewScreen(f *Feed, s tcell.Screen) *Screen { return &Screen{feed: f, screen: s} }

// styles are the looks of lines.
var styles = map[live.Style]tcell.Style{
	live.Plain:   tcell.StyleDefault,
	live.Title:   tcell.StyleDefault.Bold(true),
	live.Warning: tcell.StyleDefault.Foreground(tcell.ColorRed).Bold(true),
	live.Faint:   tcell.StyleDefault.Dim(true),
}

// Show shows the run, anew at every tick, until the user leaves. The run ends when done is closed;
// the last page stays until the user leaves. When quit is closed Show returns at once.
func (s *Screen) Show(tick <-chan time.Time, done, quit <-chan struct{}) {
	events := make(chan tcell.Event)
	stop := make(chan struct{})
	defer close(stop)
	go s.screen.ChannelEvents(events, stop)
	s.refresh()
	for {
		select {
		case <-tick:
			s.refresh()
		case <-done:
			done = nil
			s.ended, s.paused = true, false
			s.refresh()
		case <-quit:
			return
		case e, ok := <-events:
			if !ok || !s.event(e) {
				return
			}
		}
	}
}

// event takes what the user does, and reports false if that is to leave.
func (s *Screen) event(e tcell.Event) bool {
	switch e := e.(type) {
	case *tcell.EventResize:
		s.screen.Sync()
	case *tcell.EventKey:
		switch e.Key() {
		case tcell.KeyCtrlC, tcell.KeyEscape:
			return false
		case tcell.KeyTab:
			s.kinds = !s.kinds
		case tcell.KeyUp:
			s.back = max(0, min(s.back+1, s.feed.Lines()-1))
		case tcell.KeyDown:
			s.back = max(s.back-1, 0)
		case tcell.KeyRune:
			switch e.Rune() {
			case 'q':
				return false
			case 'p':
				s.paused = !s.paused
			}
		}
	}
	s.refresh()
	return true
}

// refresh makes a new page, unless the user wants to look at the old one, and
// shows it.
func (s *Screen) refresh() {
	width, height := s.screen.Size()
	if !s.paused {
		s.lines = s.feed.Page(live.Options{Width: width, Height: max(height-1, 1), Kinds: s.kinds}, s.back)
	}
	s.screen.Clear()
	for y, l := range s.lines {
		s.screen.PutStrStyled(0, y, l.Text, styles[l.Style])
	}
	if height > 1 {
		s.screen.PutStrStyled(0, height-1, s.help(), tcell.StyleDefault.Reverse(true))
	}
	s.screen.Show()
}

// help says what keys do.
func (s *Screen) help() string {
	what, list := "p pauses", "tab functions"
	if s.kinds {
		list = "tab goroutines"
	}
	switch {
	case s.ended:
		what = "ENDED"
	case s.paused:
		what = "PAUSED, p goes on"
	}
	return " q quits   " + what + "   " + list + "   up/down console "
}
