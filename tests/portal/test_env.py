"""The environment is checked at start, and a served portal refuses what only suits a desk."""

import pytest
from django.core.exceptions import ImproperlyConfigured

from portal import env

SERVED = {
    "DEBUG": "false",
    "SECRET_KEY": "k" * 60,
    "ALLOWED_HOSTS": "sizing.example.com",
    "SITE_URL": "https://sizing.example.com/",
    "DATABASE_URL": "postgresql://app:p%40ss@db:5432/sizewright",
    "REDIS_URL": "redis://cache:6379/0",
    "MAIL_URL": "smtp+tls://user:secret@mail.example.com",
}


def test_a_newcomer_needs_to_set_nothing():
    values = env.read({})
    assert values.debug is True
    assert values.https is False
    assert values.staff_second_factor is False
    assert values.database_url == f"sqlite:///{env.ROOT / '.var' / 'db.sqlite3'}"


def test_a_served_portal_is_strict_by_default():
    values = env.read(SERVED)
    assert values.https is True
    assert values.staff_second_factor is True
    assert values.site_url == "https://sizing.example.com"


@pytest.mark.parametrize("given", [{"DATABASE_URL": SERVED["DATABASE_URL"]}, {"SECRET_KEY": SERVED["SECRET_KEY"]}])
def test_a_portal_with_a_database_or_a_secret_of_its_own_is_not_in_debug(given):
    with pytest.raises(ImproperlyConfigured, match="required when DEBUG is off"):
        env.read(given)


@pytest.mark.parametrize("name", ["SECRET_KEY", "ALLOWED_HOSTS", "SITE_URL", "DATABASE_URL", "REDIS_URL", "MAIL_URL"])
def test_a_served_portal_refuses_to_start_without(name):
    with pytest.raises(ImproperlyConfigured, match=name):
        env.read(SERVED | {name: ""})


@pytest.mark.parametrize("secret", [env.DEVELOPMENT_SECRET, "short"])
def test_a_served_portal_refuses_a_default_or_short_secret(secret):
    with pytest.raises(ImproperlyConfigured, match="SECRET_KEY: required when DEBUG is off: at least 50"):
        env.read(SERVED | {"SECRET_KEY": secret})


def test_every_wrong_variable_is_named_at_once():
    with pytest.raises(ImproperlyConfigured) as refused:
        env.read({"DEBUG": "maybe", "OUTBOX_LEASE_S": "soon", "DEFAULT_LANGUAGE": "de", "REDIS_URL": "amqp://x"})
    assert [line.split(":")[0].strip() for line in str(refused.value).splitlines()[1:]] == [
        "DEBUG",
        "DEFAULT_LANGUAGE",
        "OUTBOX_LEASE_S",
        "REDIS_URL",
    ]


def test_a_lease_must_outlast_its_extension():
    with pytest.raises(ImproperlyConfigured, match="OUTBOX_EXTEND_S: must be shorter"):
        env.read({"OUTBOX_LEASE_S": "5", "OUTBOX_EXTEND_S": "5"})


def test_a_postgresql_address_is_taken_apart():
    entry = env.database("postgresql://app:p%40ss@db:5432/sizewright?sslmode=require")
    assert entry["ENGINE"] == "django.db.backends.postgresql"
    assert (entry["USER"], entry["PASSWORD"], entry["HOST"], entry["PORT"]) == ("app", "p@ss", "db", "5432")
    assert (entry["NAME"], entry["OPTIONS"]["sslmode"]) == ("sizewright", "require")


def test_sqlite_writes_ahead_and_locks_at_the_start_of_a_transaction():
    entry = env.database("sqlite:////srv/data/db.sqlite3")
    assert entry["NAME"] == "/srv/data/db.sqlite3"
    assert entry["OPTIONS"]["transaction_mode"] == "IMMEDIATE"
    assert "journal_mode=WAL" in entry["OPTIONS"]["init_command"]


@pytest.mark.parametrize(
    ("address", "port", "tls", "ssl"),
    [
        ("smtp://mail", 25, False, False),
        ("smtp+tls://mail", 587, True, False),
        ("smtps://mail", 465, False, True),
        ("smtp://mail:2525", 2525, False, False),
    ],
)
def test_a_mail_address_sets_port_and_encryption(address, port, tls, ssl):
    options = env.mailer(address)["OPTIONS"]
    assert (options["port"], options["use_tls"], options["use_ssl"]) == (port, tls, ssl)


def test_a_rate_is_so_many_per_period():
    assert env.read({}).limit_drafts == env.Rate(times=120, seconds=3600)
    assert env.read({"LIMIT_DRAFTS": "5/m"}).limit_drafts == env.Rate(times=5, seconds=60)
    assert str(env.read({"LIMIT_CODES": "7/d"}).limit_codes) == "7/d"


@pytest.mark.parametrize("wrong", ["5", "0/m", "5/w", "m/5", "-1/h"])
def test_a_rate_that_cannot_be_read_is_refused(wrong):
    with pytest.raises(ImproperlyConfigured, match=r"LIMIT_SHARES: .* expected so many per s, m, h or d"):
        env.read({"LIMIT_SHARES": wrong})
