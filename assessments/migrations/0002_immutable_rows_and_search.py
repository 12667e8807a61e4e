"""On PostgreSQL: triggers keep what was written, and a trigram index serves the search of the queue."""

from django.db import migrations

IMMUTABLE = ("intake", "adjustment", "document", "event")
GUARD = """
CREATE FUNCTION assessments_row_is_immutable() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF current_setting('sizewright.erase', true) = 'on' THEN
        RETURN COALESCE(NEW, OLD);
    END IF;
    RAISE EXCEPTION 'rows of % never change', TG_TABLE_NAME;
END $$;
"""
APPROVED = """
CREATE FUNCTION assessments_approved_is_final() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF current_setting('sizewright.erase', true) = 'on' THEN
        RETURN NEW;
    END IF;
    IF to_jsonb(NEW) - 'released_at' - 'status' <> to_jsonb(OLD) - 'released_at' - 'status'
       OR NEW.status NOT IN (OLD.status, 'superseded') THEN
        RAISE EXCEPTION 'an approved assessment never changes';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER assessments_approved_is_final BEFORE UPDATE ON assessments_assessment
FOR EACH ROW WHEN (OLD.approved_at IS NOT NULL) EXECUTE FUNCTION assessments_approved_is_final();
"""
KEPT = """
CREATE FUNCTION assessments_run_is_final() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF current_setting('sizewright.erase', true) = 'on' THEN
        RETURN NEW;
    END IF;
    IF NEW.result IS DISTINCT FROM OLD.result OR NEW.task IS DISTINCT FROM OLD.task
       OR NEW.finished_at IS DISTINCT FROM OLD.finished_at THEN
        RAISE EXCEPTION 'the result of a finished run never changes';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER assessments_run_is_final BEFORE UPDATE ON assessments_sizingrun
FOR EACH ROW WHEN (OLD.finished_at IS NOT NULL) EXECUTE FUNCTION assessments_run_is_final();
CREATE FUNCTION assessments_pick_is_final() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF current_setting('sizewright.erase', true) IS DISTINCT FROM 'on' AND EXISTS (
        SELECT 1 FROM assessments_assessment WHERE id = OLD.assessment_id AND approved_at IS NOT NULL
    ) THEN
        RAISE EXCEPTION 'the picks of an approved assessment never change';
    END IF;
    RETURN COALESCE(NEW, OLD);
END $$;
CREATE TRIGGER assessments_pick_is_final BEFORE UPDATE OR DELETE ON assessments_serverchoice
FOR EACH ROW EXECUTE FUNCTION assessments_pick_is_final();
"""
SEARCH = """
CREATE EXTENSION IF NOT EXISTS pg_trgm;
CREATE INDEX inquiry_search ON assessments_inquiry USING gin (search_text gin_trgm_ops);
"""


def put_on(apps, schema_editor):
    if schema_editor.connection.vendor != "postgresql":
        return
    schema_editor.execute(GUARD, params=None)
    for table in IMMUTABLE:
        schema_editor.execute(
            f"CREATE TRIGGER assessments_{table}_is_immutable BEFORE UPDATE OR DELETE ON assessments_{table} "
            "FOR EACH ROW EXECUTE FUNCTION assessments_row_is_immutable()"
        )
    schema_editor.execute(APPROVED, params=None)
    schema_editor.execute(KEPT, params=None)
    schema_editor.execute(SEARCH, params=None)


def take_off(apps, schema_editor):
    if schema_editor.connection.vendor != "postgresql":
        return
    schema_editor.execute("DROP INDEX inquiry_search")
    schema_editor.execute("DROP TRIGGER assessments_pick_is_final ON assessments_serverchoice")
    schema_editor.execute("DROP FUNCTION assessments_pick_is_final()")
    schema_editor.execute("DROP TRIGGER assessments_run_is_final ON assessments_sizingrun")
    schema_editor.execute("DROP FUNCTION assessments_run_is_final()")
    schema_editor.execute("DROP TRIGGER assessments_approved_is_final ON assessments_assessment")
    schema_editor.execute("DROP FUNCTION assessments_approved_is_final()")
    for table in IMMUTABLE:
        schema_editor.execute(f"DROP TRIGGER assessments_{table}_is_immutable ON assessments_{table}")
    schema_editor.execute("DROP FUNCTION assessments_row_is_immutable()")


class Migration(migrations.Migration):
    """Put the guards on, take them off."""

    dependencies = [("assessments", "0001_initial")]
    operations = [migrations.RunPython(put_on, take_off)]
