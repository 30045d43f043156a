"""Mechanisms, epsilon statements, release ledger, attack rehearsal."""
