-- Events go with the counter of their organisation by a trigger. A foreign key was checked for each event, against the row
-- that whoever numbers them holds and changes: of a hundred events it took four times as long as writing them.
alter table events drop constraint events_org_id_fkey;

create function delete_events() returns trigger language plpgsql as $$
begin
  delete from events where org_id = old.org_id;
  return null;
end $$;
create trigger events_deleted after delete on event_counters for each row execute function delete_events();
