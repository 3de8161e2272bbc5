-- Organisations, the people who run them, their API keys, and the customers and devices they look after.
--
-- Conventions that the service relies on:
--   every tenant table's primary key begins with org_id, and every foreign key includes it;
--   a constraint's name says what its violation means to a caller:
--     <table>_<column>_parent  404 "Customer not found"
--     <table>_<column>_exists  400 "categoryId does not exist"
--     <table>_<column>_unique  400 "sku is already used"
--     <table>_<column>_required 400 "name is required"
--     a conflict's code        409 with that code

-- Only what is missing: where a superuser made them, Citus refuses another role even to ask for them.
do $$ begin
  if not exists (select from pg_extension where extname = 'pg_trgm') then
    create extension pg_trgm;
  end if;
  if not exists (select from pg_extension where extname = 'btree_gin') then
    create extension btree_gin;
  end if;
end $$;

-- Case- and accent-insensitive text, for search and for sorting by name.
create function folded(value text) returns text
  language sql immutable strict parallel safe
  return regexp_replace(normalize(lower(value), nfkd), '[\u0300-\u036f]', '', 'g');

create table organisations (
  org_id                text primary key,
  id                    text not null generated always as (org_id) stored,
  name                  text not null,
  email                 text,
  phone                 text,
  website               text,
  address               text,
  tax_number            text,
  currency              text not null default 'GBP',
  time_zone             text not null default 'Europe/London',
  locale                text not null default 'en-GB',
  logo_url              text,
  quote_number_prefix   text not null default 'Q-',
  invoice_number_prefix text not null default 'INV-',
  quote_valid_days      integer not null default 30,
  invoice_due_days      integer not null default 14,
  document_terms        text,
  payment_instructions  text,
  entitlement           text not null default 'none' check (entitlement in ('pro', 'trial', 'basic', 'none')),
  trial_ends_at         timestamptz(3),
  created_at            timestamptz(3) not null default now(),
  updated_at            timestamptz(3) not null default now()
);

-- A person signs in with one email, password and TOTP secret, whichever organisations they belong to.
create table people (
  id            text primary key,
  email         text not null,
  password_hash text,
  totp_secret   text,
  created_at    timestamptz(3) not null default now(),
  updated_at    timestamptz(3) not null default now()
);
create unique index people_email_unique on people (lower(email));

create table members (
  org_id     text not null references organisations on delete cascade,
  id         text not null,
  person_id  text not null references people,
  first_name text not null,
  last_name  text,
  phone      text,
  role       text not null check (role in ('admin', 'manager', 'technician')),
  is_active  boolean not null default true,
  color      bigint,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (org_id, id),
  constraint members_person_unique unique (org_id, person_id)
);

create table api_keys (
  org_id        text not null references organisations on delete cascade,
  id            text not null,
  name          text not null,
  prefix        text not null,
  scopes        text[] not null,
  scope_version smallint not null default 1 check (scope_version in (1, 2)),
  allowed_uses  text[] not null default '{rest,mcp}',
  ip_allowlist  text[] not null default '{}',
  expires_at    timestamptz(3),
  paused_at     timestamptz(3),
  revoked_at    timestamptz(3),
  last_used_at  timestamptz(3),
  created_by    text,
  created_at    timestamptz(3) not null default now(),
  updated_at    timestamptz(3) not null default now(),
  primary key (org_id, id)
);

-- Hashed secrets of API keys. A rotation adds one and sets an expiry on the previous one.
create table api_key_secrets (
  hash        bytea primary key,
  org_id      text not null,
  key_id      text not null,
  valid_until timestamptz(3),
  foreign key (org_id, key_id) references api_keys on delete cascade
);
create index on api_key_secrets (org_id, key_id);

-- Notifies every process to drop an organisation's credentials from its cache when one of these rows changes.
create function credentials_changed() returns trigger language plpgsql as $$
begin
  perform pg_notify('credentials_changed', coalesce(new.org_id, old.org_id));
  return null;
end $$;
create trigger credentials_changed after update or delete on api_key_secrets
  for each row execute function credentials_changed();
create trigger credentials_changed after delete or update of
  scopes, scope_version, allowed_uses, ip_allowlist, expires_at, paused_at, revoked_at, name on api_keys
  for each row execute function credentials_changed();
create trigger credentials_changed after delete or update of entitlement, trial_ends_at on organisations
  for each row execute function credentials_changed();

-- The sort key of a deleted record, so that its id stays a valid cursor.
create table tombstones (
  org_id     text not null,
  collection text not null,
  id         text not null,
  parent_id  text,
  sort_key   text not null,
  deleted_at timestamptz(3) not null default now(),
  primary key (org_id, collection, id)
);
create index on tombstones (deleted_at);

-- Arguments: the column the list is sorted by, and the parent's id column if there is one.
create function bury() returns trigger language plpgsql as $$
begin
  execute format(
    'insert into tombstones (org_id, collection, id, parent_id, sort_key)
     select org_id, %L, id, %s, %I::text from gone on conflict do nothing',
    tg_table_name, case when tg_nargs > 1 then quote_ident(tg_argv[1]) else 'null' end, tg_argv[0]);
  return null;
end $$;

create table idempotency_keys (
  org_id        text not null references organisations on delete cascade,
  credential_id text not null,
  path          text not null,
  key           text not null,
  request_hash  bytea not null,
  status        smallint not null,
  body          text not null,
  created_at    timestamptz(3) not null default now(),
  primary key (org_id, credential_id, path, key)
);
create index on idempotency_keys (created_at);

create table customers (
  org_id        text not null references organisations on delete cascade,
  id            text not null,
  first_name    text not null,
  last_name     text,
  email         text,
  phone         text,
  business_name text,
  address       text,
  notes         text,
  created_at    timestamptz(3) not null default now(),
  updated_at    timestamptz(3) not null default now(),
  sort_name     text not null generated always as (folded(first_name)) stored,
  search_text   text not null generated always as (folded(
    first_name || ' ' || coalesce(last_name, '') || E'\n' || coalesce(email, '') || E'\n' || coalesce(business_name, '')
  )) stored,
  primary key (org_id, id)
);
create index customers_by_name on customers (org_id, sort_name, id);
create index customers_by_email on customers (org_id, lower(email)) where email is not null;
create index customers_by_phone on customers (org_id, phone) where phone is not null;
create index customers_by_text on customers using gin (org_id, search_text gin_trgm_ops)
  with (gin_pending_list_limit = 256); -- a longer pending list slows down searches
create trigger bury after delete on customers referencing old table as gone
  for each statement execute function bury('sort_name');

-- What people call a device when nobody named it: brand, make and model without repeats, else identifier, else type.
create function device_name(given text, brand text, make text, model text, identifier text, type text) returns text
  language sql immutable parallel safe
  return coalesce(
    given,
    nullif(ltrim(
      coalesce(brand, '')
      || coalesce(' ' || case when make is distinct from brand then make end, '')
      || coalesce(' ' || case when model is distinct from brand and model is distinct from make then model end, '')
    ), ''),
    identifier,
    type
  );

create table devices (
  org_id      text not null,
  id          text not null,
  customer_id text not null,
  type        text,
  brand       text,
  make        text,
  model       text,
  identifier  text,
  given_name  text,
  name        text generated always as (device_name(given_name, brand, make, model, identifier, type)) stored,
  created_at  timestamptz(3) not null default now(),
  updated_at  timestamptz(3) not null default now(),
  primary key (org_id, id),
  constraint devices_name_required check (name is not null),
  constraint devices_customer_id_parent foreign key (org_id, customer_id) references customers on delete cascade
);
create index devices_newest on devices (org_id, customer_id, created_at desc, id desc);
create trigger bury after delete on devices referencing old table as gone
  for each statement execute function bury('created_at', 'customer_id');
