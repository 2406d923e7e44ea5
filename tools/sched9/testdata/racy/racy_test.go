package main

import "testing"

func TestGo(t *testing.T) { raceGo(new(x)) }

func TestOrdered(t *testing.T) { orderedGo(new(x)) }
