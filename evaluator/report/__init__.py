"""What a run looks like: in a terminal, and as a page for a browser."""
