"""Weights learned without labels from the real candidate pairs (Fellegi-Sunter by EM)."""
