-- What lists are narrowed by: jobs by stage, schedule, closing, number and words; documents by state and words; low stock.
--
-- The words of jobs and documents are a column that triggers fill. To compute a generated one, PostgreSQL would write the whole
-- table anew while nobody reads it; this one is filled a few rows at a time, while everybody works on.

-- What a job shows: the beginning of a long description is enough to find it by, and keeps writing cheap.
create function write_ticket_text() returns trigger language plpgsql as $$
begin
  new.search_text := folded(
    '#' || new.ticket_number::text || E'\n' || coalesce(new.service_required, '') || E'\n' || coalesce(new.customer_name, '')
    || E'\n' || coalesce(new.customer_device_name, '') || E'\n' || coalesce(new.customer_device_type, '') || E'\n'
    || left(coalesce(new.description, ''), 1000));
  return new;
end $$;
create function write_quote_text() returns trigger language plpgsql as $$
begin
  new.search_text := folded(
    new.quote_number || E'\n' || coalesce(new.customer_name, '') || E'\n' || coalesce(new.title, ''));
  return new;
end $$;
create function write_invoice_text() returns trigger language plpgsql as $$
begin
  new.search_text := folded(
    new.invoice_number || E'\n' || coalesce(new.customer_name, '') || E'\n' || coalesce(new.title, ''));
  return new;
end $$;

-- Also where somebody writes the column itself: it is what the others make it.
alter table tickets add column search_text text;
create trigger text_written before insert or update of
  ticket_number, service_required, customer_name, customer_device_name, customer_device_type, description, search_text
  on tickets for each row execute function write_ticket_text();
-- Next step: quotes.
alter table quotes add column search_text text;
create trigger text_written before insert or update of quote_number, customer_name, title, search_text
  on quotes for each row execute function write_quote_text();
-- Next step: invoices.
alter table invoices add column search_text text;
create trigger text_written before insert or update of invoice_number, customer_name, title, search_text
  on invoices for each row execute function write_invoice_text();

-- Next step, concurrently: what finds the records that are still to be filled.
create index concurrently tickets_without_text on tickets (org_id, id) where search_text is null;
create index concurrently quotes_without_text on quotes (org_id, id) where search_text is null;
create index concurrently invoices_without_text on invoices (org_id, id) where search_text is null;

-- Next step: how some of them are filled, those of one organisation; how many it were. What others hold comes later, so that this
-- never waits for one record while others wait for what it holds; where they hold all that is left, it does wait.
create function fill_search_text(owner text) returns integer language plpgsql as $$
declare
  organisation text;
  record_id text;
  free_ids text[] := '{}';
  filled integer;
begin
  execute format('select org_id from %I where search_text is null order by org_id limit 1', owner) into organisation;
  for record_id in execute format('select id from %I where org_id = $1 and search_text is null order by id limit 250
    for no key update skip locked', owner) using organisation
  loop
    free_ids := free_ids || record_id;
  end loop;
  if free_ids = '{}' then
    execute format('update %I set search_text = null where org_id = $1 and search_text is null', owner) using organisation;
  else
    execute format('update %I set search_text = null where org_id = $1 and id = any($2)', owner) using organisation, free_ids;
  end if;
  get diagnostics filled = row_count;
  return filled;
end $$;
-- Next step, repeated: jobs. Nothing that callers see has changed, so that nothing is told.
set local jobwright.events to 'off';
select filled from fill_search_text('tickets') filled where filled > 0;
-- Next step, repeated: quotes.
set local jobwright.events to 'off';
select filled from fill_search_text('quotes') filled where filled > 0;
-- Next step, repeated: invoices.
set local jobwright.events to 'off';
select filled from fill_search_text('invoices') filled where filled > 0;
-- Next step.
drop function fill_search_text;

-- Next step, concurrently: what lists are read off.
drop index concurrently if exists tickets_without_text;
drop index concurrently if exists quotes_without_text;
drop index concurrently if exists invoices_without_text;
-- Jobs that are not closed are few, and the newest; those that are closed are asked for by when they were.
create index concurrently tickets_unclosed on tickets (org_id, created_at desc, id desc) where closed_at is null;
create index concurrently tickets_by_closing on tickets (org_id, closed_at) include (created_at, assigned_technician)
  where closed_at is not null;
create index concurrently tickets_of_nobody on tickets (org_id, created_at desc, id desc) where assigned_technician is null;
-- An expression, so that jobs with and without a visit are both read in order off one index.
create index concurrently tickets_by_planning on tickets (org_id, (scheduled_from is null), created_at desc, id desc);
create index concurrently quotes_by_status on quotes (org_id, status, created_at desc, id desc);
create index concurrently quotes_unanswered on quotes (org_id, created_at desc, id desc) where status in ('draft', 'sent');
create index concurrently invoices_by_status on invoices (org_id, status, created_at desc, id desc);
create index concurrently invoices_unsettled on invoices (org_id, created_at desc, id desc)
  where status = 'sent' and has_balance;
create index concurrently inventory_low on inventory (org_id, sort_name, id) where is_low_stock;
-- A longer pending list slows down searches.
create index concurrently tickets_by_text on tickets using gin (org_id, search_text gin_trgm_ops)
  with (gin_pending_list_limit = 256);
create index concurrently quotes_by_text on quotes using gin (org_id, search_text gin_trgm_ops)
  with (gin_pending_list_limit = 256);
create index concurrently invoices_by_text on invoices using gin (org_id, search_text gin_trgm_ops)
  with (gin_pending_list_limit = 256);

-- Next step: analyze, which nobody waits for.
analyze tickets, quotes, invoices, inventory;
