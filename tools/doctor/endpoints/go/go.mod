module endpoint

go 1.19
