// Package none has no test.
package none
