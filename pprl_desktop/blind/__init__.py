"""The two-party protocol of the method "blind", over bytes (ARCHITECTURE 4.6).

The way through it: library (libsodium) -> group (arrays of points) -> oprf (RFC 9497) -> question -> answer ->
opened. May import: matching and the rooms above it. It knows no file and no container, and never sees a clear value:
it gets keys.
"""
