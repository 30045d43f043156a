"""Which pairs are one person: Algorithms 2 (training) and 3 (matching) and what goes beyond them.

The way through it: `learn` gives the rule of a decision from the own table alone; each kind of rule has a runner that
scores the pairs of two smashed tables as `base.Scored`: adaptive/ field by field, threshold/ on one code per record,
svm/ the paper's, `nearest` under noise, `plain` on clear tables. Numbers that change results stand in a `tuning`. May
import: compute, records, reference, codes, privacy.
"""
