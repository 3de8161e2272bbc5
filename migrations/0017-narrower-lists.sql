-- What lists are narrowed by: jobs by stage, schedule, closing, number and words; documents by state and words; low stock.
--
-- A new column that is computed writes its whole table anew, which nobody may read meanwhile: each is a step of its own, and so
-- is what takes long after it.

-- What a job shows: the beginning of a long description is enough to find it by, and keeps writing cheap.
alter table tickets add column search_text text not null generated always as (folded(
  '#' || ticket_number::text || E'\n' || coalesce(service_required, '') || E'\n' || coalesce(customer_name, '') || E'\n'
  || coalesce(customer_device_name, '') || E'\n' || coalesce(customer_device_type, '') || E'\n'
  || left(coalesce(description, ''), 1000)
)) stored;
-- Next step: quotes.
alter table quotes add column search_text text not null generated always as (folded(
  quote_number || E'\n' || coalesce(customer_name, '') || E'\n' || coalesce(title, '')
)) stored;
-- Next step: invoices.
alter table invoices add column search_text text not null generated always as (folded(
  invoice_number || E'\n' || coalesce(customer_name, '') || E'\n' || coalesce(title, '')
)) stored;

-- Next step: indexes, which only writers wait for. In blocks, as many-machines.sql wants them.
do $$
begin
  -- Jobs that are not closed are few, and the newest; those that are closed are asked for by when they were.
  create index tickets_unclosed on tickets (org_id, created_at desc, id desc) where closed_at is null;
  create index tickets_by_closing on tickets (org_id, closed_at) where closed_at is not null;
  create index tickets_of_nobody on tickets (org_id, created_at desc, id desc) where assigned_technician is null;
  -- An expression, so that jobs with and without a visit are both read in order off one index.
  create index tickets_by_planning on tickets (org_id, (scheduled_from is null), created_at desc, id desc);
end $$;
-- Next step: the largest of them.
do $$
begin
  -- A longer pending list slows down searches.
  create index tickets_by_text on tickets using gin (org_id, search_text gin_trgm_ops) with (gin_pending_list_limit = 256);
end $$;
-- Next step: those of quotes.
do $$
begin
  create index quotes_by_text on quotes using gin (org_id, search_text gin_trgm_ops) with (gin_pending_list_limit = 256);
  create index quotes_by_status on quotes (org_id, status, created_at desc, id desc);
  create index quotes_unanswered on quotes (org_id, created_at desc, id desc) where status in ('draft', 'sent');

end $$;
-- Next step: those of invoices.
do $$
begin
  create index invoices_by_text on invoices using gin (org_id, search_text gin_trgm_ops) with (gin_pending_list_limit = 256);
  create index invoices_by_status on invoices (org_id, status, created_at desc, id desc);
  create index invoices_unsettled on invoices (org_id, created_at desc, id desc) where status = 'sent' and has_balance;

end $$;
-- Next step: stock.
do $$
begin
  create index inventory_low on inventory (org_id, sort_name, id) where is_low_stock;
end $$;

-- Next step: analyze, which nobody waits for.
analyze tickets, quotes, invoices, inventory;
