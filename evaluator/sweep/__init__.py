"""Many runs of one question: scenarios × parameters × schedulers × seeds, and what came of each cell."""
