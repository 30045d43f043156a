"""Identity, agreement, container, seal, results: everything that passes between two stewards.

The way through the room: `identity` and `card` make and show keys, `contacts` keeps those of partners, `home` is the
folder all of it lives in. `terms` is the document both sign (`terms_words` reads it aloud), `agreeing` proposes and
answers it, `agreement` is what one side keeps of it; a `signatory` carries home, identity and its id through a step.
`bundles`, `linking` and `results` do the work under an agreement; `letters` sends and `inbox` opens; what leaves is in
`releases` first, a chain of events (`release_chain`). Below them: `seal` is `age` around a `container` with its
`manifest`; `strict` JSON; `refusals`, every reason not to take a file. Nothing in here prints. May import: rehearsal
and the rooms above it.
"""
