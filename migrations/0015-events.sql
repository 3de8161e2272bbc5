-- Events: every change of a record that callers see is captured by triggers, in the transaction that makes it, and numbered
-- afterwards by the worker (docs/decisions/events.md).

-- Captured and committed, not numbered yet. No foreign key: it would be checked for every change of every record.
create table event_inbox (
  org_id    text not null,
  seq       bigint not null generated always as identity,
  at        timestamptz(3) not null default now(),
  -- The table, or what else tells of itself.
  source    text not null,
  operation text not null,
  record_id text not null,
  parent_id text,
  -- Of an update the old values of the columns that differ, of a deletion the whole row, of a signal what it tells.
  columns   jsonb,
  actor     text,
  primary key (org_id, seq)
);
-- It is emptied as fast as it is filled: dead rows must not lie about.
alter table event_inbox set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);

-- The same for tables that are on every machine of a cluster, whose triggers cannot write to another machine. What is here is
-- moved to the inbox before it is numbered, at its place: both count with one sequence.
create table shared_event_inbox (
  seq       bigint primary key default nextval('event_inbox_seq_seq'),
  org_id    text not null,
  at        timestamptz(3) not null default now(),
  source    text not null,
  operation text not null,
  record_id text not null,
  parent_id text,
  columns   jsonb,
  actor     text
);

-- The last position of each organisation. Whoever numbers its events holds the row.
create table event_counters (
  org_id   text primary key references organisations on delete cascade,
  position bigint not null default 0
);

-- Numbered: 1, 2, 3 … in each organisation, without gaps. The body is the event as it is sent.
create table events (
  org_id    text not null references event_counters on delete cascade,
  position  bigint not null,
  id        text not null,
  at        timestamptz(3) not null,
  type      text not null,
  resource  text not null,
  record_id text not null,
  parent_id text,
  entity    text not null,
  body      text not null,
  primary key (org_id, position)
);
create unique index events_by_id on events (org_id, id);
create index events_of_record on events (org_id, record_id, position);

-- The old values of the columns that differ; null if none does. When a record was last changed is not a change by itself.
create function changed_columns(before jsonb, after jsonb) returns jsonb language sql immutable parallel safe
  return (select jsonb_object_agg(key, value) from jsonb_each(before)
    where value is distinct from after -> key and key <> 'updated_at');

-- Has the changes of a table captured. A function is made for each table, so that it is planned once and names nothing that
-- differs between the nodes of a distributed database. `record_id` and `parent_id` are SQL on `row`. Its trigger comes before
-- the others by its name: what they change, and what foreign keys delete along, follows from this change.
create function tell_changes_of(
  source text, record_id text default 'row.id', parent_id text default 'null', inbox text default 'event_inbox'
) returns void language plpgsql as $make$
begin
  execute format($function$
    create or replace function tell_%1$s() returns trigger language plpgsql as $body$
    declare
      changed jsonb;
    begin
      if current_setting('jobwright.events', true) = 'off' or %7$s then
        return null;
      end if;
      if tg_op = 'INSERT' then
        insert into %6$I (org_id, source, operation, record_id, parent_id, actor)
        values (new.org_id, %1$L, 'created', %2$s, %3$s, current_setting('jobwright.actor', true));
      elsif tg_op = 'UPDATE' then
        changed := changed_columns(to_jsonb(old), to_jsonb(new));
        if changed is not null then
          insert into %6$I (org_id, source, operation, record_id, parent_id, columns, actor)
          values (new.org_id, %1$L, 'updated', %2$s, %3$s, changed, current_setting('jobwright.actor', true));
        end if;
      else
        insert into %6$I (org_id, source, operation, record_id, parent_id, columns, actor)
        values (old.org_id, %1$L, 'deleted', %4$s, %5$s, to_jsonb(old), current_setting('jobwright.actor', true));
      end if;
      return null;
    end $body$
    $function$, source, replace(record_id, 'row.', 'new.'), replace(parent_id, 'row.', 'new.'),
    replace(record_id, 'row.', 'old.'), replace(parent_id, 'row.', 'old.'),
    inbox, case inbox when 'event_inbox' then 'false' else 'is_copy_of_row()' end);
  execute format('create or replace trigger changes_told after insert or update or delete on %I
    for each row execute function tell_%s()', source, source);
end $make$;

-- What was overdue or had expired before is not told as news. The columns say since when it was noted, for as long as it is so.
alter table invoices add column overdue_noted_at timestamptz(3);
alter table quotes add column expiry_noted_at timestamptz(3);
update invoices set overdue_noted_at = now() where status = 'sent' and has_balance and due_at < now();
update quotes set expiry_noted_at = now() where status in ('draft', 'sent') and valid_until < now();
create index invoices_overdue on invoices (due_at) where status = 'sent' and has_balance and overdue_noted_at is null;
create index quotes_expiring on quotes (valid_until) where status in ('draft', 'sent') and expiry_noted_at is null;

create function forget_overdue() returns trigger language plpgsql as $$
begin
  if not (new.status = 'sent' and new.has_balance and new.due_at < now()) then
    new.overdue_noted_at := null;
  end if;
  return new;
end $$;
-- After the trigger that settles, by its name.
create trigger settled_in_time before update on invoices
  for each row when (new.overdue_noted_at is not null) execute function forget_overdue();

create function forget_expiry() returns trigger language plpgsql as $$
begin
  if not (new.status in ('draft', 'sent') and coalesce(new.valid_until < now(), false)) then
    new.expiry_noted_at := null;
  end if;
  return new;
end $$;
create trigger answered_in_time before update on quotes
  for each row when (new.expiry_noted_at is not null) execute function forget_expiry();

select tell_changes_of('organisations', inbox => 'shared_event_inbox');
select tell_changes_of('members', inbox => 'shared_event_inbox');
select tell_changes_of('customers');
select tell_changes_of('devices', parent_id => 'row.customer_id');
select tell_changes_of('tickets');
select tell_changes_of('service_lines', parent_id => 'row.ticket_id');
select tell_changes_of('inventory_lines', parent_id => 'row.ticket_id');
select tell_changes_of('messages', parent_id => 'row.ticket_id');
select tell_changes_of('services');
select tell_changes_of('inventory');
select tell_changes_of('quotes');
select tell_changes_of('invoices');
select tell_changes_of('reminders', parent_id => 'row.invoice_id');
select tell_changes_of('payments');
select tell_changes_of('calendar_events');
select tell_changes_of('stations');
select tell_changes_of('tax_rates');
select tell_changes_of('ticket_statuses');
select tell_changes_of('recurring_schedules');
select tell_changes_of('recurring_occurrences', $$row.schedule_id || '-' || row.index$$, 'row.schedule_id');
select tell_changes_of('recurring_presets');
select tell_changes_of('inventory_categories');
select tell_changes_of('asset_categories');
select tell_changes_of('form_templates');
select tell_changes_of('form_rules');
select tell_changes_of('form_submissions');

-- The signature is a part of its job that lies in a table of its own: whatever happens to it is a change of the job. It goes
-- with the job without a word.
create function tell_ticket_signatures() returns trigger language plpgsql as $$
declare
  owner text := coalesce(new.org_id, old.org_id);
  job text := coalesce(new.ticket_id, old.ticket_id);
begin
  if current_setting('jobwright.events', true) = 'off'
    or not exists (select from tickets where org_id = owner and id = job) then
    return null;
  end if;
  insert into event_inbox (org_id, source, operation, record_id, columns, actor)
  values (owner, 'ticket_signatures', 'updated', job, to_jsonb(old), current_setting('jobwright.actor', true));
  return null;
end $$;
create trigger changes_told after insert or update or delete on ticket_signatures
  for each row execute function tell_ticket_signatures();

-- Of mail it is told that it failed.
create function tell_failed_mail() returns trigger language plpgsql as $$
begin
  insert into event_inbox (org_id, source, operation, record_id, parent_id, columns, actor)
  values (new.org_id, 'outbox', 'updated', new.id, coalesce(new.quote_id, new.invoice_id),
    jsonb_build_object('status', old.status), current_setting('jobwright.actor', true));
  return null;
end $$;
create trigger failure_told after update of status on outbox
  for each row when (new.status = 'failed' and old.status <> 'failed') execute function tell_failed_mail();
