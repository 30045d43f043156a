"""The terminal: one module per verb, with arguments() and run().

A verb reads its options (`_options`, `_exchange`), calls job/ and answers with text and plain data; it computes
nothing. May import: every room but ui.
"""
