"""What can be wrong with a configuration, as a code with its figures."""

type Figure = str | int | float


class ConfigError(ValueError):
    """A configuration that cannot be read; `code` and `params` say what was found and what was expected."""

    def __init__(self, code: str, **params: Figure) -> None:
        super().__init__(f"{code} {params}" if params else code)
        self.code = code
        self.params = params
