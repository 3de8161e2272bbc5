-- Money out: what an e-invoice says of both sides, how the books are kept, and which records the bookkeeper was given.

alter table organisations
  add column legal_name text,
  add column country_code text,
  add column vat_id text,
  add column iban text,
  add column bic text,
  add column electronic_address jsonb,
  -- Accounts and the names of taxes in the bookkeeper's program.
  add column accounting jsonb,
  -- What goes along with the mail of an invoice.
  add column e_invoice_format text;
-- By themselves and by name, or Citus refuses them.
alter table organisations
  add constraint organisations_e_invoice_format check (e_invoice_format in ('ubl', 'xrechnung', 'factur-x'));

alter table customers
  add column country_code text,
  add column vat_id text,
  add column electronic_address jsonb,
  add column buyer_reference text;

-- Null where the rate says it: S above nothing, Z at nothing. So it stays true when the rate changes.
alter table tax_rates
  add column vat_category text,
  add column exemption_reason text;
alter table tax_rates add constraint tax_rates_vat_category check (vat_category in ('E', 'AE', 'O'));
alter table tax_rates
  add constraint tax_rates_exemption_reason_required check (vat_category is null or exemption_reason is not null);

-- Files that a bookkeeper was given, as they were.
create table exports (
  org_id     text not null references organisations on delete cascade,
  id         text not null,
  kind       text not null check (kind in ('invoices', 'payments')),
  format     text not null,
  first_day  date not null,
  last_day   date not null,
  again      boolean not null default false,
  count      integer not null,
  content    bytea not null,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (org_id, id)
);
create index exports_newest on exports (org_id, created_at desc, id desc);
create trigger bury after delete on exports referencing old table as gone
  for each statement execute function bury('created_at');

-- What was in them. Nothing is booked twice, unless somebody asks for it again.
create table exported_records (
  org_id    text not null,
  export_id text not null,
  record_id text not null,
  kind      text not null,
  again     boolean not null,
  primary key (org_id, export_id, record_id),
  foreign key (org_id, export_id) references exports on delete cascade
);
create unique index exported_records_once on exported_records (org_id, kind, record_id) where not again;
