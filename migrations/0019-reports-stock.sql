-- Reports are read off indexes that hold all they sum; corrections of stock are kept with their reason; barcodes are found.

-- What somebody counted, bought or lost: never what jobs use, which their lines say. Rows are only ever added.
create table stock_corrections (
  org_id         text not null,
  id             text not null,
  item_id        text not null,
  quantity_delta numeric(16, 4) not null,
  quantity_after numeric(15, 4) not null,
  reason         text,
  maker_kind     text not null,
  maker_id       text,
  maker_name     text,
  created_at     timestamptz(3) not null default now(),
  updated_at     timestamptz(3) not null default now(),
  primary key (org_id, id),
  constraint stock_corrections_change check (quantity_delta <> 0),
  constraint stock_corrections_item_id_parent foreign key (org_id, item_id) references inventory on delete cascade
);
create index stock_corrections_newest on stock_corrections (org_id, item_id, created_at desc, id desc);
create trigger bury after delete on stock_corrections referencing old table as gone
  for each statement execute function bury('created_at', 'item_id');
select tell_changes_of('stock_corrections', parent_id => 'row.item_id');

-- Next step, concurrently: each row of a report is one stretch of such an index, so that no record is fetched.
create index concurrently payments_by_time on payments (org_id, paid_at) include (amount, invoice_id);
create index concurrently invoices_by_currency on invoices (org_id, currency);
create index concurrently invoices_by_issue on invoices (org_id, issued_at) include (ticket_id, currency, total)
  where status = 'sent';
create index concurrently tickets_by_schedule on tickets (org_id, scheduled_from)
  include (scheduled_to, scheduled_all_day, assigned_technician) where scheduled_from is not null;
-- What a scanner types.
create index concurrently inventory_by_barcode on inventory (org_id, barcode) where barcode is not null;

-- Next step: these were there without the columns that are summed. In blocks, as many-machines.sql wants them.
do $$
begin
  drop index invoices_due;
  create index invoices_due on invoices (org_id, due_at) include (currency, balance) where status = 'sent' and has_balance;
end $$;
-- Next step: quotes.
do $$
begin
  drop index quotes_newest;
  create index quotes_newest on quotes (org_id, created_at desc, id desc) include (status, currency, total);
end $$;

-- Next step: analyze, which nobody waits for.
analyze payments, invoices, tickets, quotes, inventory;
