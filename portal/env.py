"""What the environment may say: every variable once, with its type, default and allowed values."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured

ROOT = Path(__file__).resolve().parent.parent
DEVELOPMENT_SECRET = "development-only-secret-refused-outside-debug-0123456789"  # noqa: S105 – refused outside DEBUG
SHORTEST_SECRET = 50
FLAGS = {"true": True, "1": True, "yes": True, "on": True, "false": False, "0": False, "no": False, "off": False}
DATABASE_ENGINES = {"sqlite": "sqlite3", "postgres": "postgresql", "postgresql": "postgresql"}
PERIODS = {"s": 1, "m": 60, "h": 3600, "d": 86400}
MAIL_SCHEMES = ("console", "file", "smtp", "smtps", "smtp+tls")


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate:
    """So many times in so many seconds."""

    times: int
    seconds: int

    def __str__(self) -> str:
        period = next(name for name, seconds in PERIODS.items() if seconds == self.seconds)
        return f"{self.times}/{period}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Environment:
    """The checked values; names are those of the variables in lower case."""

    debug: bool
    secret_key: str
    allowed_hosts: list[str]
    csrf_trusted_origins: list[str]
    site_url: str
    https: bool
    hsts_seconds: int
    proxies: int
    database_url: str
    redis_url: str
    redis_prefix: str
    cache_url: str
    var_dir: Path
    media_root: Path
    mail_url: str
    mail_from: str
    default_language: str
    time_zone: str
    log_format: str
    log_level: str
    staff_second_factor: bool
    oidc_url: str
    oidc_name: str
    oidc_client_id: str
    oidc_client_secret: str
    outbox_first_delay_s: float
    outbox_longest_delay_s: float
    outbox_lease_s: float
    outbox_extend_s: float
    outbox_sweep_s: float
    outbox_tries: int
    beat_schedule: Path
    metrics_port: int
    limit_drafts: Rate
    limit_estimates: Rate
    limit_shares: Rate
    limit_codes: Rate
    limit_invitations: Rate


def read(source: Mapping[str, str] = os.environ) -> Environment:
    """Read and check the environment.

    Raises ImproperlyConfigured that names every wrong variable and what it may hold.
    """
    env = _Source(source)
    is_newcomer = not (env.given("DATABASE_URL") or env.given("SECRET_KEY"))
    debug = env.flag("DEBUG", default=is_newcomer)
    var_dir = Path(env.text("VAR_DIR", default=str(ROOT / ".var")))
    redis_url = env.text("REDIS_URL", default="redis://127.0.0.1:6390/0" if debug else "")
    values = Environment(
        debug=debug,
        secret_key=env.text("SECRET_KEY", default=DEVELOPMENT_SECRET),
        allowed_hosts=env.texts("ALLOWED_HOSTS", default=["localhost", "127.0.0.1", "[::1]"] if debug else []),
        csrf_trusted_origins=env.texts("CSRF_TRUSTED_ORIGINS", default=[]),
        site_url=env.text("SITE_URL", default="http://127.0.0.1:8000" if debug else "").rstrip("/"),
        https=env.flag("HTTPS", default=not debug),
        hsts_seconds=env.whole("HSTS_SECONDS", default=31_536_000, low=0),
        proxies=env.whole("PROXIES", default=0, low=0),
        database_url=env.text("DATABASE_URL", default=f"sqlite:///{var_dir / 'db.sqlite3'}" if debug else ""),
        redis_url=redis_url,
        redis_prefix=env.text("REDIS_PREFIX", default="sizewright:"),
        cache_url=env.text("CACHE_URL", default=redis_url),
        var_dir=var_dir,
        media_root=Path(env.text("MEDIA_ROOT", default=str(var_dir / "media"))),
        mail_url=env.text("MAIL_URL", default="console://" if debug else ""),
        mail_from=env.text("MAIL_FROM", default="Sizewright <sizewright@localhost>"),
        default_language=env.one_of("DEFAULT_LANGUAGE", ["en", "ru"], default="en"),
        time_zone=env.text("TIME_ZONE", default="Europe/Moscow"),
        log_format=env.one_of("LOG_FORMAT", ["console", "json"], default="console" if debug else "json"),
        log_level=env.one_of("LOG_LEVEL", ["DEBUG", "INFO", "WARNING", "ERROR"], default="INFO"),
        staff_second_factor=env.flag("STAFF_SECOND_FACTOR", default=not debug),
        oidc_url=env.text("OIDC_URL", default=""),
        oidc_name=env.text("OIDC_NAME", default="Single sign-on"),
        oidc_client_id=env.text("OIDC_CLIENT_ID", default=""),
        oidc_client_secret=env.text("OIDC_CLIENT_SECRET", default=""),
        outbox_first_delay_s=env.seconds("OUTBOX_FIRST_DELAY_S", default=20),
        outbox_longest_delay_s=env.seconds("OUTBOX_LONGEST_DELAY_S", default=3600),
        outbox_lease_s=env.seconds("OUTBOX_LEASE_S", default=15),
        outbox_extend_s=env.seconds("OUTBOX_EXTEND_S", default=5),
        outbox_sweep_s=env.seconds("OUTBOX_SWEEP_S", default=5),
        outbox_tries=env.whole("OUTBOX_TRIES", default=6, low=1),
        beat_schedule=Path(env.text("BEAT_SCHEDULE", default=str(var_dir / "beat-schedule"))),
        metrics_port=env.whole("METRICS_PORT", default=9180, low=1),
        limit_drafts=env.rate("LIMIT_DRAFTS", default="120/h"),
        limit_estimates=env.rate("LIMIT_ESTIMATES", default="600/m"),
        limit_shares=env.rate("LIMIT_SHARES", default="120/m"),
        limit_codes=env.rate("LIMIT_CODES", default="30/m"),
        limit_invitations=env.rate("LIMIT_INVITATIONS", default="60/h"),
    )
    _check_together(values, env.errors)
    if env.errors:
        raise ImproperlyConfigured("Wrong environment:\n" + "\n".join(f"  {error}" for error in env.errors))
    return values


class _Source:
    """Reads single variables and collects what is wrong with them."""

    def __init__(self, source: Mapping[str, str]) -> None:
        self._source = source
        self.errors: list[str] = []

    def given(self, name: str) -> bool:
        return bool(self._source.get(name, "").strip())

    def text(self, name: str, *, default: str) -> str:
        return self._source.get(name, "").strip() or default

    def texts(self, name: str, *, default: list[str]) -> list[str]:
        value = self._source.get(name, "").strip()
        return [part.strip() for part in value.split(",") if part.strip()] if value else default

    def flag(self, name: str, *, default: bool) -> bool:
        value = self.text(name, default=str(default)).lower()
        if value not in FLAGS:
            self.errors.append(f"{name}: {value!r} given; expected one of {', '.join(FLAGS)}")
        return FLAGS.get(value, default)

    def whole(self, name: str, *, default: int, low: int) -> int:
        value = self.text(name, default=str(default))
        if not value.isdigit() or int(value) < low:
            self.errors.append(f"{name}: {value!r} given; expected a whole number from {low}")
            return default
        return int(value)

    def seconds(self, name: str, *, default: float) -> float:
        value = self.text(name, default=str(default))
        try:
            number = float(value)
        except ValueError:
            number = 0.0
        if not 0 < number < float("inf"):
            self.errors.append(f"{name}: {value!r} given; expected seconds above 0")
            return default
        return number

    def rate(self, name: str, *, default: str) -> Rate:
        value = self.text(name, default=default)
        times, _, period = value.partition("/")
        if not times.isdigit() or int(times) < 1 or period not in PERIODS:
            self.errors.append(f"{name}: {value!r} given; expected so many per s, m, h or d, such as {default}")
            times, _, period = default.partition("/")
        return Rate(times=int(times), seconds=PERIODS[period])

    def one_of(self, name: str, allowed: list[str], *, default: str) -> str:
        value = self.text(name, default=default)
        if value not in allowed:
            self.errors.append(f"{name}: {value!r} given; expected one of {', '.join(allowed)}")
        return value


def _check_together(values: Environment, errors: list[str]) -> None:
    """Rules between variables: what a served host must set, and what an address must look like."""
    if urlsplit(values.database_url).scheme not in {*DATABASE_ENGINES, ""}:
        errors.append(f"DATABASE_URL: expected a scheme of {', '.join(DATABASE_ENGINES)}")
    if urlsplit(values.redis_url).scheme not in {"redis", "rediss", "unix", ""}:
        errors.append("REDIS_URL: expected redis://, rediss:// or unix://")
    if urlsplit(values.mail_url).scheme not in {*MAIL_SCHEMES, ""}:
        errors.append(f"MAIL_URL: expected a scheme of {', '.join(MAIL_SCHEMES)}")
    if values.outbox_extend_s >= values.outbox_lease_s:
        errors.append("OUTBOX_EXTEND_S: must be shorter than OUTBOX_LEASE_S")
    if values.debug:
        return
    if values.secret_key == DEVELOPMENT_SECRET or len(values.secret_key) < SHORTEST_SECRET:
        errors.append(f"SECRET_KEY: required when DEBUG is off: at least {SHORTEST_SECRET} random characters")
    errors.extend(
        f"{name.upper()}: required when DEBUG is off"
        for name in ("database_url", "redis_url", "site_url", "mail_url", "allowed_hosts")
        if not getattr(values, name)
    )


def database(url: str) -> dict[str, Any]:
    """Django's DATABASES entry of an address; SQLite gets WAL and immediate transactions."""
    parts = urlsplit(url)
    engine = DATABASE_ENGINES[parts.scheme]
    if engine == "sqlite3":
        return {
            "ENGINE": "django.db.backends.sqlite3",
            "NAME": unquote(parts.path)[1:] or ":memory:",
            "OPTIONS": {
                "transaction_mode": "IMMEDIATE",
                "timeout": 20,
                "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;",
            },
        }
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": unquote(parts.path.lstrip("/")),
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": parts.hostname or "",
        "PORT": str(parts.port or ""),
        "CONN_MAX_AGE": 60,
        "CONN_HEALTH_CHECKS": True,
        "OPTIONS": {"connect_timeout": 5} | dict(parse_qsl(parts.query)),
    }


def mailer(url: str) -> dict[str, Any]:
    """Django's MAILERS entry of an address: console://, file:///folder, smtp[s]://user:password@host:port."""
    parts = urlsplit(url)
    if parts.scheme == "console":
        return {"BACKEND": "portal.outbox.console.ConsoleMailer"}
    if parts.scheme == "file":
        return {
            "BACKEND": "django.core.mail.backends.filebased.EmailBackend",
            "OPTIONS": {"file_path": unquote(parts.path)},
        }
    return {
        "BACKEND": "django.core.mail.backends.smtp.EmailBackend",
        "OPTIONS": {
            "host": parts.hostname or "localhost",
            "port": parts.port or {"smtps": 465, "smtp+tls": 587}.get(parts.scheme, 25),
            "username": unquote(parts.username or ""),
            "password": unquote(parts.password or ""),
            "use_ssl": parts.scheme == "smtps",
            "use_tls": parts.scheme == "smtp+tls",
            "timeout": 10,
        },
    }
