-- Changes that foreign keys make are seen by updatedAfter.

-- A record whose reference is cleared because the other record was deleted has changed. The columns are those of the
-- foreign keys themselves: a later migration that adds one with ON DELETE SET NULL calls this again. A trigger looks at a
-- row only if the statement names such a column, and runs its function only if one is cleared.
create function touch_cleared() returns trigger language plpgsql as $$
begin
  new.updated_at := now();
  return new;
end $$;
create function touch_what_foreign_keys_clear() returns void language plpgsql as $$
declare
  cleared record;
begin
  for cleared in
    select key.conrelid::regclass as owner, string_agg(distinct format('%I', attname), ', ') as columns,
      string_agg(distinct format('old.%1$I is not null and new.%1$I is null', attname), ' or ') as condition
    from pg_constraint key
    join pg_attribute on attrelid = key.conrelid and attnum = any(coalesce(key.confdelsetcols, key.conkey))
    where key.contype = 'f' and key.confdeltype = 'n' and key.connamespace = current_schema()::regnamespace
      and exists (select from pg_attribute own where own.attrelid = key.conrelid and own.attname = 'updated_at')
    group by 1
  loop
    execute format('create or replace trigger touch_cleared before update of %s on %s
      for each row when (%s) execute function touch_cleared()', cleared.columns, cleared.owner, cleared.condition);
  end loop;
end $$;
select touch_what_foreign_keys_clear();
