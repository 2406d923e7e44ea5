// Methods calls methods by name, which makes the linker keep all exported ones: by package reflect, and by a template that
// an HTTP handler fills.
package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"reflect"
	"text/template"
)

// word is a string with a method.
type word string

// Twice returns it two times.
func (w word) Twice() string { return string(w + w) }

func main() {
	fmt.Println(reflect.ValueOf(word(os.Args[1])).MethodByName(os.Args[2]).Call(nil)[0])

	page := template.Must(template.New("page").Parse("{{.Method}} {{.URL.Query.Encode}} {{.UserAgent}}\n"))
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { page.Execute(w, r) })
	r := httptest.NewRequest("GET", "http://example.com/?b=2&a=1", nil)
	r.Header.Set("User-Agent", "nobody")
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, r)
	fmt.Print(w.Body)
}
