-- One schema for PostgreSQL and for Citus, which distributes the tables over several machines by organisation.
--
-- What later migrations have to keep to, because Citus supports nothing else:
--   no ON DELETE SET NULL: `select clear_when_deleted('devices', 'category_id')` after the foreign key does the same;
--   a trigger function reads a transition table in a loop, never together with a table in one statement;
--   a trigger runs where its row is: it sends no notification, except by a column's default (see outbox), and
--   tg_table_name ends in the number of a shard;
--   a column is added without a check, which is added after it.

-- Organisations and members are on every machine. What their triggers do beyond their own row is done once, where the
-- statement arrived.
create function is_copy_of_row() returns boolean language sql stable
  return current_setting('application_name') like 'citus_internal%';

-- The record that is referred to clears the references before it goes, and with that the other record has changed. The
-- foreign key itself only guards it.
create function clear_when_deleted(owner name, cleared name) returns void language plpgsql as $$
declare
  target name;
  moment text;
begin
  select relname into strict target
  from pg_constraint
  join pg_class on pg_class.oid = confrelid
  join pg_attribute on attrelid = conrelid and attnum = any(conkey) and attname = cleared
  where contype = 'f' and conrelid = to_regclass(quote_ident(owner));
  select ', updated_at = now()' into moment
  from pg_attribute where attrelid = to_regclass(quote_ident(owner)) and attname = 'updated_at';
  execute format($create$
    create function %1$I() returns trigger language plpgsql as $body$
    begin
      if tg_table_name not like 'members%%' or not is_copy_of_row() then
        update %2$I set %3$I = null%4$s where org_id = old.org_id and %3$I = old.id;
      end if;
      return old;
    end $body$
    $create$, 'clear_' || owner || '_' || cleared, owner, cleared, coalesce(moment, ''));
  -- Triggers run by name: this one after visit_deleted, which looks for the reference.
  execute format('create trigger %I before delete on %I for each row execute function %I(%L, %L)',
    'when_deleted_clear_' || owner || '_' || cleared, target, 'clear_' || owner || '_' || cleared, owner, cleared);
end $$;

do $$
declare
  key record;
begin
  for key in
    select conrelid::regclass as owner, relname, conname, confrelid::regclass as target, cleared.attname as column,
      (select string_agg(quote_ident(attname), ', ' order by place)
       from unnest(conkey) with ordinality as part (attnum, place)
       join pg_attribute on attrelid = conrelid and pg_attribute.attnum = part.attnum) as columns
    from pg_constraint
    join pg_class on pg_class.oid = conrelid
    join pg_attribute cleared on cleared.attrelid = conrelid and cleared.attnum = any(confdelsetcols)
    where contype = 'f' and confdeltype = 'n' and connamespace = current_schema()::regnamespace
    order by relname, conname
  loop
    execute format('drop trigger if exists touch_cleared on %s', key.owner);
    execute format('alter table %s drop constraint %I', key.owner, key.conname);
    execute format('alter table %s add constraint %I foreign key (%s) references %s',
      key.owner, key.conname, key.columns, key.target);
    perform clear_when_deleted(key.relname, key.column);
  end loop;
end $$;
drop function touch_what_foreign_keys_clear;
drop function touch_cleared;

-- What gives access goes with the organisation or the member it belongs to. Citus takes no foreign key between a table
-- that is on every machine and one that is on the first alone, so that their ON DELETE CASCADE is repeated here.
create function remove_access() returns trigger language plpgsql as $$
begin
  if is_copy_of_row() then
    return old;
  elsif tg_table_name like 'members%' then
    delete from calendar_feeds where org_id = old.org_id and member_id = old.id;
  else
    delete from calendar_feeds where org_id = old.org_id;
    delete from grants where org_id = old.org_id;
    delete from oauth_clients where org_id = old.org_id;
    delete from api_keys where org_id = old.org_id;
  end if;
  return old;
end $$;
create trigger remove_access before delete on members for each row execute function remove_access();
create trigger remove_access before delete on organisations for each row execute function remove_access();

create or replace function bury() returns trigger language plpgsql as $$
declare
  dead record;
  collection text := regexp_replace(tg_table_name, '_[0-9]+$', '');
begin
  if collection = 'members' and is_copy_of_row() then
    return null;
  end if;
  for dead in execute format('select org_id, id, %s as parent_id, %I::text as sort_key from gone',
    case when tg_nargs > 1 then quote_ident(tg_argv[1]) else 'null::text' end, tg_argv[0])
  loop
    insert into tombstones (org_id, collection, id, parent_id, sort_key)
    values (dead.org_id, collection, dead.id, dead.parent_id, dead.sort_key) on conflict do nothing;
  end loop;
  return null;
end $$;

create or replace function count_open_forms() returns trigger language plpgsql as $$
declare
  changed record;
begin
  for changed in execute format($count$
    select org_id, ticket_id, coalesce(sum(step) filter (where gate = 'start'), 0)::int as starting,
      coalesce(sum(step) filter (where gate = 'completion'), 0)::int as completing,
      coalesce(sum(step) filter (where gate = 'invoice'), 0)::int as invoicing
    from (%s) change where status in ('open', 'inProgress') group by 1, 2 order by 1, 2$count$,
    case tg_op
      when 'INSERT' then 'select org_id, ticket_id, gate, status, 1 as step from added'
      when 'DELETE' then 'select org_id, ticket_id, gate, status, -1 as step from gone'
      else 'select org_id, ticket_id, gate, status, -1 as step from gone
            union all select org_id, ticket_id, gate, status, 1 from added'
    end)
  loop
    continue when changed.starting = 0 and changed.completing = 0 and changed.invoicing = 0;
    update tickets set open_start_form_count = open_start_form_count + changed.starting,
      open_completion_form_count = open_completion_form_count + changed.completing,
      open_invoice_form_count = open_invoice_form_count + changed.invoicing, updated_at = now()
    where org_id = changed.org_id and id = changed.ticket_id;
  end loop;
  return null;
end $$;

create or replace function visit_lines_removed() returns trigger language plpgsql as $$
declare
  line record;
begin
  for line in select distinct org_id, ticket_id from gone loop
    update recurring_occurrences set was_touched = true
    where org_id = line.org_id and ticket_id = line.ticket_id and not was_touched;
  end loop;
  return null;
end $$;

create or replace function release_quotes() returns trigger language plpgsql as $$
declare
  released record;
  newest text;
begin
  for released in select distinct org_id, quote_id from gone where quote_id is not null order by 1, 2 loop
    -- Locked first: a conversion under way is waited for, and the next statement sees the invoice it made.
    perform from quotes where org_id = released.org_id and id = released.quote_id for update;
    newest := (select id from invoices where org_id = released.org_id and quote_id = released.quote_id
      order by created_at desc, id desc limit 1);
    update quotes set invoice_id = newest, updated_at = now(),
      status = case when newest is not null then 'invoiced' when accepted_at is not null then 'accepted'
        when sent_at is not null then 'sent' else 'draft' end
    where org_id = released.org_id and id = released.quote_id and invoice_id is distinct from newest;
  end loop;
  return null;
end $$;

-- As before, but that the photos in use are listed first: a deletion compares columns with values alone.
create or replace function store_photos() returns trigger language plpgsql as $$
declare
  picture record;
  digits text;
  picture_type text;
  picture_bytes bytea;
  photo_id text;
  kept text[];
begin
  for picture in
    select place - 1 as place, value ->> 'value' as url
    from jsonb_array_elements(new.answers) with ordinality answer (value, place)
    where value ->> 'type' = 'photo'
      and value ->> 'value' ~ '^data:image/(png|jpeg|webp|gif);base64,[A-Za-z0-9+/]+={0,2}$'
  loop
    picture_type := substring(picture.url from '^data:([^;]+)');
    digits := rtrim(split_part(picture.url, ',', 2), '=');
    -- Earlier releases took any digits: what is left over at the end stands for no byte.
    digits := left(digits, length(digits) - (length(digits) % 4 = 1)::int);
    picture_bytes := decode(rpad(digits, (length(digits) + 3) / 4 * 4, '='), 'base64');
    photo_id := 'pho_' || left(encode(sha256(convert_to(new.id || picture_type, 'UTF8') || picture_bytes), 'hex'), 26);
    insert into form_photos (org_id, id, submission_id, media_type, bytes)
      values (new.org_id, photo_id, new.id, picture_type, picture_bytes) on conflict do nothing;
    new.answers := jsonb_set(new.answers, array[picture.place::text, 'value'], to_jsonb('photo:' || photo_id));
  end loop;
  kept := array(select substring(value ->> 'value' from '^photo:(.*)') from jsonb_array_elements(new.answers) answer (value)
    where value ->> 'type' = 'photo' and value ->> 'value' like 'photo:%');
  delete from form_photos where org_id = new.org_id and submission_id = new.id and id <> all(kept);
  return new;
end $$;

create or replace function credentials_changed() returns trigger language plpgsql as $$
begin
  if not is_copy_of_row() then
    perform pg_notify('credentials_changed', coalesce(new.org_id, old.org_id));
  end if;
  return null;
end $$;

create or replace function approver_changed() returns trigger language plpgsql as $$
begin
  if is_copy_of_row() or (tg_op = 'UPDATE' and new.is_active and new.role = 'admin') then
    return null;
  end if;
  update grants set revoked_at = now()
    where org_id = old.org_id and person_id = old.person_id and revoked_at is null;
  delete from oauth_tokens token using grants
    where grants.org_id = old.org_id and grants.person_id = old.person_id
      and token.org_id = grants.org_id and token.grant_id = grants.id and token.kind <> 'access';
  return null;
end $$;

-- Workers hear of new mail on the machine that the statement arrives at, where a default is computed; a trigger would tell
-- it on the machine of the row, where nobody listens.
create function announce_new_mail() returns timestamptz language plpgsql volatile as $$
begin
  perform pg_notify('outbox', '');
  return now();
end $$;
alter table outbox alter column attempt_at set default announce_new_mail();
drop trigger announce on outbox;
drop function announce_mail;

-- Parameters of functions in SQL do not tell Citus the machine.
create or replace function take_ticket_number(organisation text) returns integer language plpgsql volatile as $$
declare
  taken integer;
begin
  update counters set next_ticket_number = next_ticket_number + 1 where org_id = organisation
    returning next_ticket_number - 1 into taken;
  return taken;
end $$;
create or replace function take_quote_number(organisation text) returns text language plpgsql volatile as $$
declare
  prefix text := (select quote_number_prefix from organisations where org_id = organisation);
  place integer;
  taken text;
begin
  loop
    update counters set next_quote_number = next_quote_number + 1 where org_id = organisation
      returning next_quote_number - 1 into place;
    taken := numbered(prefix, place);
    exit when not exists (select from quotes where org_id = organisation and quote_number = taken);
  end loop;
  return taken;
end $$;
create or replace function take_invoice_number(organisation text) returns text language plpgsql volatile as $$
declare
  prefix text := (select invoice_number_prefix from organisations where org_id = organisation);
  place integer;
  taken text;
begin
  loop
    update counters set next_invoice_number = next_invoice_number + 1 where org_id = organisation
      returning next_invoice_number - 1 into place;
    taken := numbered(prefix, place);
    exit when not exists (select from invoices where org_id = organisation and invoice_number = taken);
  end loop;
  return taken;
end $$;

-- Always empty. Citus commits in two phases where it knows that several nodes are written to, and it does not look at tables
-- of the coordinator, except at this one: a transaction that writes there and on a worker deletes from it.
create table coordinator_writes (id integer primary key);

-- What is locked where a whole organisation is meant. Its own row would not do: a row that is on every machine is locked
-- with its whole table. Not counters either: two who share that row and then take a number would deadlock.
create table organisation_locks (
  org_id text primary key references organisations on delete cascade
);
insert into organisation_locks select org_id from organisations;
