"""On PostgreSQL a trigger keeps a frozen catalog frozen, whoever writes."""

from django.db import migrations

FREEZE = """
CREATE FUNCTION catalog_version_is_immutable() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'a version of the catalog never changes';
END $$;
CREATE TRIGGER catalog_version_is_immutable BEFORE UPDATE OR DELETE ON catalog_catalogversion
FOR EACH ROW EXECUTE FUNCTION catalog_version_is_immutable();
"""
THAW = """
DROP TRIGGER catalog_version_is_immutable ON catalog_catalogversion;
DROP FUNCTION catalog_version_is_immutable();
"""


def freeze(apps, schema_editor):
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute(FREEZE)


def thaw(apps, schema_editor):
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute(THAW)


class Migration(migrations.Migration):
    """Put the trigger on, take it off."""

    dependencies = [("catalog", "0001_initial")]
    operations = [migrations.RunPython(freeze, thaw)]
