// Package good has a test that sees what go test shows it.
package good

// Twice is covered by the test.
func Twice(n int) int { return 2 * n }
