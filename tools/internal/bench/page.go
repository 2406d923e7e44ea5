package bench

func (r *Report) Page() ([]byte, error) { return nil, nil }
