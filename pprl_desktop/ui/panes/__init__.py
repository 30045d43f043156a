"""One pane per step of the job, and the ones beside the path."""
