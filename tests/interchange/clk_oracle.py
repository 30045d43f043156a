"""Run inside an environment that has clkhash: cases with schema, rows and secret come in, base64 CLKs go out."""

import base64
import json
import sys


def main() -> None:
    from clkhash.clk import generate_clks
    from clkhash.schema import from_json_dict

    out = []
    for case in json.load(sys.stdin):
        made = generate_clks(case["rows"], from_json_dict(case["schema"]), case["secret"], max_workers=1)
        out.append([base64.b64encode(clk.tobytes()).decode() for clk in made])
    json.dump(out, sys.stdout)


if __name__ == "__main__":
    main()
