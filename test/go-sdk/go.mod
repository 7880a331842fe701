module forebay.test/client

go 1.21.3

require github.com/runpod/go-sdk/pkg/sdk v0.0.0-20240315175250-b8aca7812ff3
