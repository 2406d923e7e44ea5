module sched9

go 1.26.0

require github.com/digitalocean/go-qemu v0.0.0-20221209210016-f035778c97f7

require (
	github.com/davecgh/go-spew v1.1.1 // indirect
	github.com/digitalocean/go-libvirt v0.0.0-20220804181439-8648fbde413e // indirect
	github.com/stretchr/testify v1.7.1 // indirect
	golang.org/x/sys v0.41.0 // indirect
	gopkg.in/yaml.v3 v3.0.1 // indirect
)
