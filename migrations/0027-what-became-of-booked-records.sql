-- What became of invoices and payments that the books may hold: gone, or another amount. Told with the next file of their kind.

-- As the file had them; unknown of what was given out before. What was told as gone is held no longer, and can be given out anew.
alter table exported_records
  add column number text,
  add column amount numeric(24, 4),
  add column taken_out_at timestamptz(3);
alter table exports
  add column changed jsonb not null default '[]',
  add column earlier jsonb;

-- Of every record that was in force, whether a file held it or not: a file that is being made at the same moment may.
-- Without a foreign key, as tombstones are: a row is written while its organisation goes.
create table book_changes (
  org_id     text not null,
  kind       text not null,
  record_id  text not null,
  -- Null where a payment goes with its invoice.
  number     text,
  -- Before the first change that nobody was told of.
  amount     numeric(24, 4) not null,
  was_booked boolean not null,
  is_gone    boolean not null,
  noted_at   timestamptz(3) not null default now(),
  primary key (org_id, kind, record_id)
);

-- Next step: who writes to the table, once it has its place on every machine.
create function note_invoice_change() returns trigger language plpgsql as $$
begin
  insert into book_changes (org_id, kind, record_id, number, amount, was_booked, is_gone)
  values (old.org_id, 'invoices', old.id, old.invoice_number, old.total, old.booked_elsewhere,
    tg_op = 'DELETE' or new.status <> 'sent')
  on conflict (org_id, kind, record_id) do update set is_gone = book_changes.is_gone or excluded.is_gone,
    was_booked = book_changes.was_booked or excluded.was_booked, noted_at = excluded.noted_at;
  return null;
end $$;
create function note_payment_change() returns trigger language plpgsql as $$
declare
  number text := (select invoice_number from invoices where invoices.org_id = old.org_id and invoices.id = old.invoice_id);
begin
  insert into book_changes (org_id, kind, record_id, number, amount, was_booked, is_gone)
  values (old.org_id, 'payments', old.id, number, old.amount, old.booked_elsewhere, tg_op = 'DELETE')
  on conflict (org_id, kind, record_id) do update set is_gone = book_changes.is_gone or excluded.is_gone,
    was_booked = book_changes.was_booked or excluded.was_booked, noted_at = excluded.noted_at;
  return null;
end $$;
create trigger booked_change after update on invoices for each row
  when (old.status = 'sent' and (new.status <> 'sent' or new.total <> old.total)) execute function note_invoice_change();
create trigger booked_end after delete on invoices for each row
  when (old.status = 'sent') execute function note_invoice_change();
create trigger booked_change after update on payments for each row
  when (new.amount <> old.amount) execute function note_payment_change();
create trigger booked_end after delete on payments for each row execute function note_payment_change();

-- Next step, concurrently: a record is in one file, until it was told as gone; and what was sent late is counted for every file.
create unique index concurrently exported_records_held on exported_records (org_id, kind, record_id)
  where not again and taken_out_at is null;
drop index concurrently if exists exported_records_once;
drop index concurrently if exists invoices_void;
create index concurrently exported_records_taken_out on exported_records (org_id, kind, taken_out_at desc)
  where taken_out_at is not null;
create index concurrently invoices_sent_lately on invoices (org_id, sent_at) include (issued_at, id)
  where status = 'sent' and not booked_elsewhere;

-- Next step: what was told as void has been taken out, and what is void or a draft again and was not told will be.
update exported_records held set taken_out_at = now()
  where kind = 'invoices' and exists (select from exported_records told
    where told.org_id = held.org_id and told.record_id = held.record_id and told.kind = 'withdrawn');
update exported_records set kind = 'invoices', taken_out_at = now() where kind = 'withdrawn';
insert into book_changes (org_id, kind, record_id, number, amount, was_booked, is_gone)
  select org_id, 'invoices', id, invoice_number, total, booked_elsewhere, true from invoices
  where status <> 'sent'
    and (booked_elsewhere or exists (select from exported_records held where held.org_id = invoices.org_id
      and held.record_id = invoices.id and held.kind = 'invoices'))
    and not exists (select from exported_records told where told.org_id = invoices.org_id
      and told.record_id = invoices.id and told.kind = 'invoices' and told.taken_out_at is not null)
  on conflict do nothing;
set local jobwright.events to 'off';
update invoices set booked_elsewhere = false where booked_elsewhere and status = 'draft';
