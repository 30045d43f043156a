"""The job, once, for window, terminal, demo and tests.

The way through it: `own_table` reads, cleans and smashes the own table once; `preview` forecasts and rehearses;
`trial` plays both parties against a truth; `partnership` has the verbs of the job under one agreement; `offers` and
`papers` are about that agreement; `own_files` links files of one's own (`own_kept`: its match, beside the project),
`groups` several parties; `findings` is what is known at the moment, `kept` what outlives a restart; `reviewing`,
`disclosure`, `report`, `finishing` end it; `demo` plays two stewards. May import: every room but verbs and ui, which
show what it gives.
"""
