"""Why: a job's story told from the timeline alone, and the first decision in which two runs differ."""
