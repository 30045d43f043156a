"""Threads, attended work and kernels over arrays: knows nothing of records."""
