"""The staff's groups; their permissions follow each migrate, when Django has made them."""

from django.db import migrations

from portal.accounts.roles import ensure_groups


class Migration(migrations.Migration):
    dependencies = [("accounts", "0001_initial"), ("auth", "0012_alter_user_first_name_max_length")]

    operations = [migrations.RunPython(ensure_groups, migrations.RunPython.noop)]
