// Command etcd is the unmodified upstream store behind a real kube-apiserver:
// its own main package, repeated here because a Go module can only build
// programs of its own.
package main

import (
	"os"

	"go.etcd.io/etcd/server/v3/etcdmain"
)

func main() {
	etcdmain.Main(os.Args)
}
