"""Run inside an environment that has openlinktoken: people come in, their tokens after the HMAC step go out."""

import json
import sys


def main() -> None:
    from openlinktoken.attributes.person import (
        birth_date_attribute,
        first_name_attribute,
        last_name_attribute,
        postal_code_attribute,
        sex_attribute,
        social_security_number_attribute,
    )
    from openlinktoken.tokens.token_definition import TokenDefinition
    from openlinktoken.tokens.token_generator import TokenGenerator
    from openlinktoken.tokentransformer.hash_token_transformer import HashTokenTransformer

    classes = {
        "first_name": first_name_attribute.FirstNameAttribute,
        "last_name": last_name_attribute.LastNameAttribute,
        "sex": sex_attribute.SexAttribute,
        "birth_date": birth_date_attribute.BirthDateAttribute,
        "postal_code": postal_code_attribute.PostalCodeAttribute,
        "ssn": social_security_number_attribute.SocialSecurityNumberAttribute,
    }
    given = json.load(sys.stdin)
    generator = TokenGenerator.from_transformers(TokenDefinition(), [HashTokenTransformer(given["secret"])])
    out = []
    for person in given["people"]:
        made = generator.get_all_tokens({classes[name]: value for name, value in person.items()})
        tokens = {rule: token for rule, token in made.tokens.items() if token and set(token) != {"0"}}
        out.append({rule: tokens[rule] for rule in sorted(tokens) if rule in ("T1", "T2", "T3", "T4", "T5")})
    json.dump(out, sys.stdout)


if __name__ == "__main__":
    main()
