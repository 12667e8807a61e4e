"""Django's settings: deployment and secrets from the environment; the business decides in PortalSettings."""

from datetime import timedelta
from typing import Any
from urllib.parse import urlsplit

from django.contrib.messages import constants as messages
from django.templatetags.static import static
from django.urls import reverse_lazy
from django.utils.csp import CSP
from django.utils.translation import gettext_lazy as _

from portal import env, logs

ENV = env.read()
BASE_DIR = env.ROOT
ENV.var_dir.mkdir(parents=True, exist_ok=True)

DEBUG = ENV.debug
SECRET_KEY = ENV.secret_key
ALLOWED_HOSTS = ENV.allowed_hosts
CSRF_TRUSTED_ORIGINS = ENV.csrf_trusted_origins
SITE_URL = ENV.site_url

ROOT_URLCONF = "portal.urls"
WSGI_APPLICATION = "portal.wsgi.application"
AUTH_USER_MODEL = "accounts.User"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

INSTALLED_APPS = [
    "unfold",
    "unfold.contrib.filters",
    "unfold.contrib.forms",
    "unfold.contrib.import_export",
    "unfold.contrib.simple_history",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "django.forms",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "allauth.socialaccount",
    "allauth.socialaccount.providers.openid_connect",
    "rest_framework",
    "drf_spectacular",
    "django_filters",
    "django_htmx",
    "import_export",
    "simple_history",
    "portal.outbox",
    "portal.accounts",
    "portal.web",
    "catalog",
    "assessments",
]

MIDDLEWARE = [
    "portal.middleware.RequestIdMiddleware",
    "portal.metrics.MetricsMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "portal.middleware.ContentSecurityMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "portal.middleware.ReaderMiddleware",
    "portal.middleware.StaffDoorMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "portal.middleware.LimitsMiddleware",
    "simple_history.middleware.HistoryRequestMiddleware",
]

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.debug",
                "django.template.context_processors.request",
                "django.template.context_processors.csp",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "portal.web.context.shell",
            ],
            "libraries": {"assessment": "assessments.pages.tags"},
        },
    },
]

FORM_RENDERER = "portal.web.rendering.FormRenderer"
MESSAGE_TAGS = {messages.ERROR: "stop", messages.WARNING: "warn", messages.SUCCESS: "pass", messages.INFO: "note"}

DATABASES = {"default": env.database(ENV.database_url)}

CACHES = {
    "default": {
        "BACKEND": "portal.cache.LenientRedisCache",
        "LOCATION": ENV.cache_url,
        "KEY_PREFIX": ENV.redis_prefix,
        "OPTIONS": {"socket_connect_timeout": 1, "socket_timeout": 2},
    }
}

STORAGES = {
    "default": {
        "BACKEND": "django.core.files.storage.FileSystemStorage",
        "OPTIONS": {"allow_overwrite": True},  # a document written twice is the same document
    },
    "staticfiles": {
        "BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"
        if DEBUG
        else "whitenoise.storage.CompressedManifestStaticFilesStorage"
    },
}
MEDIA_ROOT = ENV.media_root
WHITENOISE_USE_FINDERS = WHITENOISE_AUTOREFRESH = DEBUG
STATIC_URL = "static/"
STATIC_ROOT = BASE_DIR / "staticfiles"
STATICFILES_DIRS = [BASE_DIR / "portal" / "static"]
DATA_UPLOAD_MAX_MEMORY_SIZE = 2 * 1024 * 1024
FILE_UPLOAD_PERMISSIONS = 0o640

LANGUAGE_CODE = ENV.default_language
LANGUAGES = [("ru", "Русский"), ("en", "English")]
LANGUAGE_COOKIE_NAME = "sizewright_language"
LANGUAGE_COOKIE_AGE = int(timedelta(days=365).total_seconds())
LANGUAGE_COOKIE_SAMESITE = "Lax"
LOCALE_PATHS = [BASE_DIR / "locale"]
TIME_ZONE = ENV.time_zone
USE_TZ = True
USE_I18N = True

# Mail: written to the outbox, sent by its task through this mailer.
MAILERS = {"default": env.mailer(ENV.mail_url)}
DEFAULT_FROM_EMAIL = ENV.mail_from
SERVER_EMAIL = ENV.mail_from

# Sign-in: customers by a code, staff by password and second factor.
AUTHENTICATION_BACKENDS = ["allauth.account.auth_backends.AuthenticationBackend"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 12}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    {"NAME": "django.contrib.auth.password_validation.NumericPasswordValidator"},
]
LOGIN_URL = reverse_lazy("account_login")
LOGIN_REDIRECT_URL = "/requests/"
STAFF_SECOND_FACTOR = ENV.staff_second_factor
ACCOUNT_ADAPTER = "portal.accounts.adapter.AccountAdapter"
ACCOUNT_USER_MODEL_USERNAME_FIELD = None
ACCOUNT_LOGIN_METHODS = {"email"}
ACCOUNT_SIGNUP_FIELDS = ["email*", "password1*"]  # no sign-up page; the staff's form takes its password field from here
ACCOUNT_EMAIL_UNKNOWN_ACCOUNTS = False
ACCOUNT_EMAIL_VERIFICATION = "none"
ACCOUNT_EMAIL_SUBJECT_PREFIX = ""
ACCOUNT_LOGIN_BY_CODE_ENABLED = True
ACCOUNT_LOGIN_BY_CODE_TIMEOUT = 15 * 60
ACCOUNT_LOGIN_BY_CODE_MAX_ATTEMPTS = 5
ACCOUNT_LOGIN_BY_CODE_MAX_RESEND_COUNT = 2
ACCOUNT_LOGIN_BY_CODE_FORMAT = {"numeric": True, "dashed": False, "length": 6}
ACCOUNT_PREVENT_ENUMERATION = True
ACCOUNT_EMAIL_NOTIFICATIONS = False
ACCOUNT_LOGOUT_REDIRECT_URL = "/"
ACCOUNT_SESSION_REMEMBER = True
ACCOUNT_RATE_LIMITS = {
    "request_login_code": f"{ENV.limit_codes}/ip,5/10m/key",
    "login_failed": "20/m/ip,10/10m/key",
    "login": "30/m/ip",
}
# What one address on the net may do how often; codes are counted by allauth, which counts them by e-mail address too.
LIMITS = {
    "drafts": ENV.limit_drafts,
    "estimates": ENV.limit_estimates,
    "shares": ENV.limit_shares,
    "invitations": ENV.limit_invitations,
}
ALLAUTH_TRUSTED_PROXY_COUNT = ENV.proxies
MFA_SUPPORTED_TYPES = ["totp", "recovery_codes"]
MFA_TOTP_ISSUER = "Sizewright"
SOCIALACCOUNT_ONLY = False
SOCIALACCOUNT_ADAPTER = "portal.accounts.adapter.SocialAdapter"
SOCIALACCOUNT_PROVIDERS: dict[str, Any] = (
    {
        "openid_connect": {
            "OAUTH_PKCE_ENABLED": True,
            "APPS": [
                {
                    "provider_id": "sso",
                    "name": ENV.oidc_name,
                    "client_id": ENV.oidc_client_id,
                    "secret": ENV.oidc_client_secret,
                    "settings": {"server_url": ENV.oidc_url},
                }
            ],
        }
    }
    if ENV.oidc_url
    else {}
)
SESSION_COOKIE_AGE = int(timedelta(days=30).total_seconds())
SESSION_COOKIE_NAME = "sizewright_session"
CSRF_FAILURE_VIEW = "portal.web.errors.csrf_failure"

# Security headers: strict for customers; the admin's policy stands beside the middleware that applies it.
SECURE_CSP = {
    "default-src": [CSP.NONE],
    "script-src": [CSP.SELF],
    "style-src": [CSP.SELF],
    "img-src": [CSP.SELF, "data:"],
    "font-src": [CSP.SELF],
    "connect-src": [CSP.SELF],
    "manifest-src": [CSP.SELF],
    "base-uri": [CSP.NONE],
    "frame-ancestors": [CSP.NONE],
    "form-action": [CSP.SELF, *([f"https://{urlsplit(ENV.oidc_url).netloc}"] if ENV.oidc_url else [])],
}
ADMIN_CSP = SECURE_CSP | {
    # unfold's Alpine and htmx builds use new Function, its pages inline <style> and style=
    "script-src": [CSP.SELF, CSP.UNSAFE_EVAL],
    "style-src": [CSP.SELF, CSP.UNSAFE_INLINE],
    "frame-ancestors": [CSP.SELF],
}
X_FRAME_OPTIONS = "DENY"
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
SECURE_SSL_REDIRECT = ENV.https
SECURE_REDIRECT_EXEMPT = [r"^healthz$", r"^readyz$"]
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if ENV.proxies else None
SECURE_HSTS_SECONDS = ENV.hsts_seconds if ENV.https else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = ENV.https
SECURE_HSTS_PRELOAD = ENV.https
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = LANGUAGE_COOKIE_SECURE = ENV.https
SESSION_COOKIE_HTTPONLY = CSRF_COOKIE_HTTPONLY = True
DRAFT_COOKIE_NAME = "sizewright_draft"

# Celery: Redis carries, the outbox guarantees.
CELERY_BROKER_URL = ENV.redis_url
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_TASK_DEFAULT_QUEUE = "live"
CELERY_TASK_CREATE_MISSING_QUEUES = True
CELERY_TASK_PUBLISH_RETRY = False
CELERY_TASK_TIME_LIMIT = 120
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_HIJACK_ROOT_LOGGER = CELERY_WORKER_REDIRECT_STDOUTS = False
CELERY_WORKER_CANCEL_LONG_RUNNING_TASKS_ON_CONNECTION_LOSS = True
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_TRANSPORT_OPTIONS = {
    "visibility_timeout": 3600,
    "unacked_restore_interval": 2,
    "unacked_restore_throttle": 1,
    "socket_connect_timeout": 2,
    "socket_timeout": 30,
    "max_retries": 1,  # of a publisher: the outbox tries again, a reader's request does not wait
    "interval_start": 0,
    "interval_step": 0.1,
    "global_keyprefix": ENV.redis_prefix,
}
CELERY_TIMEZONE = "UTC"
CELERY_BEAT_SCHEDULE_FILENAME = str(ENV.beat_schedule)
CELERY_BEAT_SCHEDULE = {
    "outbox sweep": {
        "task": "portal.outbox.sweep",
        "schedule": ENV.outbox_sweep_s,
        "options": {"queue": "sweep", "expires": max(ENV.outbox_sweep_s, 1)},
    },
    "retention": {
        "task": "assessments.retention",
        "schedule": timedelta(days=1),
        "options": {"queue": "bulk", "expires": 86_400},
    },
    "expired drafts": {
        "task": "assessments.drafts_expire",
        "schedule": timedelta(hours=1),
        "options": {"queue": "bulk", "expires": 3600},
    },
}
OUTBOX_FIRST_DELAY_S = ENV.outbox_first_delay_s
OUTBOX_LONGEST_DELAY_S = ENV.outbox_longest_delay_s
OUTBOX_LEASE_S = ENV.outbox_lease_s
OUTBOX_EXTEND_S = ENV.outbox_extend_s
OUTBOX_SWEEP_S = ENV.outbox_sweep_s
OUTBOX_TRIES = ENV.outbox_tries

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "portal.rest.authentication.TokenAuthentication",
        "rest_framework.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["portal.rest.parsers.BoundedJSONParser"],
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "DEFAULT_FILTER_BACKENDS": ["django_filters.rest_framework.DjangoFilterBackend"],
    "DEFAULT_PAGINATION_CLASS": "rest_framework.pagination.LimitOffsetPagination",
    "PAGE_SIZE": 50,
    "DEFAULT_THROTTLE_CLASSES": ["portal.rest.throttles.TokenThrottle"],
    "DEFAULT_THROTTLE_RATES": {"token": "600/min"},
    "EXCEPTION_HANDLER": "assessments.api.problems.problem_details",
    "NUM_PROXIES": ENV.proxies or None,
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Sizewright",
    "VERSION": "1",
    "SERVE_INCLUDE_SCHEMA": False,
}
SIMPLE_HISTORY_REVERT_DISABLED = True
IMPORT_EXPORT_USE_TRANSACTIONS = True
UNFOLD: dict[str, Any] = {
    "SITE_TITLE": "Sizewright",
    "SITE_HEADER": "Sizewright",
    "SITE_SUBHEADER": _("Review desk"),
    "SITE_URL": "/",
    "SITE_FAVICONS": [{"rel": "icon", "type": "image/svg+xml", "href": lambda request: static("img/logo.svg")}],
    "SHOW_BACK_BUTTON": True,
    "SHOW_HISTORY": True,
    "SHOW_LANGUAGES": False,
    "SIDEBAR": {"navigation": "assessments.review.queue.navigation"},
    "STYLES": [lambda request: static("css/admin.css")],
    "COLORS": {
        "primary": {
            "50": "#e9f6f7",
            "100": "#d0ecee",
            "200": "#9be3e8",
            "300": "#63ccd4",
            "400": "#2fa3ad",
            "500": "#0f7f8a",
            "600": "#00606b",
            "700": "#00474f",
            "800": "#06363c",
            "900": "#06262a",
            "950": "#04191c",
        }
    },
}

METRICS_PORT = ENV.metrics_port
LOGGING_CONFIG = "portal.logs.configure"
LOGGING = logs.dictionary(fmt=ENV.log_format, level=ENV.log_level)
SILENCED_SYSTEM_CHECKS: list[str] = []
TEST_RUNNER = "django.test.runner.DiscoverRunner"
