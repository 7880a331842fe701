// The public Go SDK as a client: a call on each line of the standard input, an answer on each of the output.
// Arguments: base address, key, endpoint.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"

	"github.com/runpod/go-sdk/pkg/sdk/config"
	"github.com/runpod/go-sdk/pkg/sdk/endpoint"
)

func main() {
	client, err := endpoint.New(
		&config.Config{ApiKey: &os.Args[2]},
		&endpoint.Option{EndpointUrl: &os.Args[1], EndpointId: &os.Args[3]},
	)
	if err != nil {
		panic(err)
	}
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		var call []json.RawMessage
		if err := json.Unmarshal(lines.Bytes(), &call); err != nil {
			panic(err)
		}
		returned, err := answer(client, text(call[0]), call[1:])
		if err != nil {
			write(map[string]any{"raised": err.Error()})
		} else {
			write(map[string]any{"returned": returned})
		}
	}
}

func answer(client *endpoint.Endpoint, name string, arguments []json.RawMessage) (any, error) {
	switch name {
	case "run":
		return client.Run(&endpoint.RunInput{JobInput: job(arguments[0])})
	case "runSync":
		return client.RunSync(&endpoint.RunSyncInput{JobInput: job(arguments[0])})
	case "status":
		return client.Status(&endpoint.StatusInput{Id: id(arguments[0])})
	case "statusSync":
		return client.StatusSync(&endpoint.StatusSyncInput{Id: id(arguments[0])})
	case "stream":
		return streamed(client, id(arguments[0]))
	case "cancel":
		return client.Cancel(&endpoint.CancelInput{Id: id(arguments[0])})
	case "health":
		return client.Health(&endpoint.HealthInput{})
	case "purgeQueue":
		return client.PurgeQueue(&endpoint.PurgeQueueInput{})
	}
	return nil, fmt.Errorf("there is no call %s", name)
}

func streamed(client *endpoint.Endpoint, id *string) (any, error) {
	results := make(chan endpoint.StreamResult, 1000)
	err := client.Stream(&endpoint.StreamInput{Id: id}, results)
	chunks := []endpoint.StreamResult{}
	for result := range results {
		chunks = append(chunks, result)
	}
	return chunks, err
}

func job(argument json.RawMessage) *endpoint.JobInput {
	var input endpoint.JobInput
	if err := json.Unmarshal(argument, &input); err != nil {
		panic(err)
	}
	return &input
}

func id(argument json.RawMessage) *string {
	given := text(argument)
	return &given
}

func text(argument json.RawMessage) string {
	var given string
	if err := json.Unmarshal(argument, &given); err != nil {
		panic(err)
	}
	return given
}

func write(answer any) {
	line, err := json.Marshal(answer)
	if err != nil {
		panic(err)
	}
	fmt.Println(string(line))
}
