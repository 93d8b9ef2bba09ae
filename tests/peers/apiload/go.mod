module peers.example/apiload

go 1.21
