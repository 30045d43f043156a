"""Masked review: masking, KAPR, gate, ledger, decisions."""
