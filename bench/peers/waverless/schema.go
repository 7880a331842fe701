// Creates the tables of waverless from its own models: `schema DSN`. The benchmark copies this file into the
// module of waverless, because other modules may not import those models by a local name.
//go:build ignore

package main

import (
	"log"
	"os"

	"gorm.io/driver/mysql"
	"gorm.io/gorm"

	"waverless/pkg/store/mysql/model"
)

func main() {
	db, err := gorm.Open(mysql.Open(os.Args[1]), &gorm.Config{})
	check(err)
	check(db.AutoMigrate(
		&model.AutoscalerConfig{}, &model.Endpoint{}, &model.EndpointDailyStat{}, &model.EndpointHourlyStat{},
		&model.EndpointMinuteStat{}, &model.ScalingEvent{}, &model.Spec{}, &model.SpecCapacity{}, &model.Task{},
		&model.TaskEvent{}, &model.TaskStatistics{}, &model.Worker{}, &model.WorkerEvent{},
		&model.WorkerResourceSnapshot{},
	))
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
