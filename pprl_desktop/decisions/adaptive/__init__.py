"""Field by field, weights learned without labels from the real candidate pairs (Fellegi and Sunter, by EM).

The way through it: `run` lays two smashed tables side by side (`similarity`, `levels`), measures what strangers agree
on (`strangers`, `dependence`), finds candidates (`candidates`, `listed_scan`, `value_lists`), learns m and the match
rate (`learning`, `weights`, `unseen`) as a `model` that can be shown and saved, and checks itself (`check`, `views`,
`opinion`, `nobody`, `verdict`, `candidate_recall`). Who is held twice is in `repeats` and `deduplication`. `opened`
does the same on the records that blind opened. `tuning` holds its numbers.
"""
