// River behind net/http, which is what its users have in place of Fastify: `front PORT URL` stores jobs and
// answers their results, `worker URL CONCURRENCY` runs no-op jobs.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"log/slog"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"
	"github.com/riverqueue/river/rivertype"
)

type Args struct {
	Input json.RawMessage `json:"input"`
}

func (Args) Kind() string { return "job" }

type Worker struct{ river.WorkerDefaults[Args] }

var output = map[string]string{"text": strings.Repeat("y", 100)}

func (*Worker) Work(ctx context.Context, _ *river.Job[Args]) error {
	return river.RecordOutput(ctx, output)
}

func main() {
	ctx := context.Background()
	if os.Args[1] == "front" {
		front(ctx, os.Args[2], open(ctx, os.Args[3], 32))
	} else {
		work(ctx, open(ctx, os.Args[2], 16), os.Args[3])
	}
}

func open(ctx context.Context, url string, connections int32) *pgxpool.Pool {
	config, err := pgxpool.ParseConfig(url)
	check(err)
	config.MaxConns = connections
	pool, err := pgxpool.NewWithConfig(ctx, config)
	check(err)
	return pool
}

func front(ctx context.Context, port string, pool *pgxpool.Pool) {
	migrator, err := rivermigrate.New(riverpgxv5.New(pool), nil)
	check(err)
	_, err = migrator.Migrate(ctx, rivermigrate.DirectionUp, nil)
	check(err)
	client, err := river.NewClient(riverpgxv5.New(pool), &river.Config{Logger: quiet()})
	check(err)
	http.HandleFunc("POST /run", func(w http.ResponseWriter, r *http.Request) { submit(client, w, r) })
	http.HandleFunc("GET /status/{id}", func(w http.ResponseWriter, r *http.Request) { status(client, w, r) })
	time.AfterFunc(100*time.Millisecond, func() { fmt.Println("ready") })
	check(http.ListenAndServe("127.0.0.1:"+port, nil))
}

func submit(client *river.Client[pgx.Tx], w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	check(err)
	var args Args
	check(json.Unmarshal(body, &args))
	result, err := client.Insert(r.Context(), args, nil)
	check(err)
	answer(w, map[string]any{"id": strconv.FormatInt(result.Job.ID, 10), "status": "IN_QUEUE"})
}

func status(client *river.Client[pgx.Tx], w http.ResponseWriter, r *http.Request) {
	id, err := strconv.ParseInt(r.PathValue("id"), 10, 64)
	check(err)
	job, err := client.JobGet(r.Context(), id)
	check(err)
	if job.State != rivertype.JobStateCompleted {
		answer(w, map[string]any{"id": r.PathValue("id"), "status": "IN_QUEUE"})
		return
	}
	found := json.RawMessage(job.Output())
	answer(w, map[string]any{"id": r.PathValue("id"), "output": found, "status": "COMPLETED"})
}

func work(ctx context.Context, pool *pgxpool.Pool, concurrency string) {
	most, err := strconv.Atoi(concurrency)
	check(err)
	workers := river.NewWorkers()
	river.AddWorker(workers, &Worker{})
	client, err := river.NewClient(riverpgxv5.New(pool), &river.Config{
		FetchCooldown:     2 * time.Millisecond,
		FetchPollInterval: 50 * time.Millisecond,
		Logger:            quiet(),
		Queues:            map[string]river.QueueConfig{river.QueueDefault: {MaxWorkers: most}},
		Workers:           workers,
	})
	check(err)
	check(client.Start(ctx))
	fmt.Println("ready")
	select {}
}

func answer(w http.ResponseWriter, body any) {
	w.Header().Set("content-type", "application/json")
	check(json.NewEncoder(w).Encode(body))
}

func quiet() *slog.Logger {
	return slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelError}))
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
