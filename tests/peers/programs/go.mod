module scheduler-evaluator/peers/programs

go 1.21
