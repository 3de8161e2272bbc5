-- Moving in from other systems: what a record is called there, and the files that are brought, row by row.

-- What a record is called in another system. Two of a kind never have the same name there; where nobody said which system
-- it is, that counts as one, too. A filter by the id alone uses the same index.
do $$
declare
  owner name;
begin
  foreach owner in array array['customers', 'devices', 'services', 'inventory', 'tickets', 'quotes', 'invoices'] loop
    execute format('alter table %I add column external_id text, add column external_source text,
      add column external_number text', owner);
    execute format('create unique index %I on %I (org_id, external_id, external_source) nulls not distinct
      where external_id is not null', owner || '_external_id_taken', owner);
  end loop;
end $$;

-- Phone numbers as they are compared, whatever their spelling: the last nine digits (domain/moving-in/contacts.ts has the same).
create function phone_key(phone text) returns text language sql immutable strict parallel safe
  return case when length(regexp_replace(regexp_replace(phone, '(ext|x|#).*$', '', 'i'), '\D', '', 'g')) >= 7
    then right(regexp_replace(regexp_replace(phone, '(ext|x|#).*$', '', 'i'), '\D', '', 'g'), 9) end;
-- In a block, as many-machines.sql wants it.
do $$
begin
  create index customers_by_phone_key on customers (org_id, phone_key(phone)) where phone is not null;
end $$;

-- One import: one file or several, from the first row to the end of the month in which it can be undone.
create table imports (
  org_id      text not null references organisations on delete cascade,
  id          text not null,
  status      text not null default 'open'
    check (status in ('open', 'judging', 'asking', 'judged', 'writing', 'written', 'undone', 'failed')),
  -- What the worker does with it when it is due.
  phase       text check (phase in ('sorting', 'judging', 'writing', 'undoing', 'forgetting')),
  due_at      timestamptz(3),
  is_dry_run  boolean not null default false,
  -- Each with its name, source, kind, columns and what they mean.
  files       jsonb not null,
  options     jsonb not null default '{}',
  -- What the columns have shown of days and decimals, by file and place.
  facts       jsonb not null default '{}',
  questions   jsonb not null default '[]',
  -- How far the present phase has come: rows or records.
  done        integer not null default 0,
  total       integer not null default 0,
  row_count   integer not null default 0,
  records     integer not null default 0,
  created     integer not null default 0,
  filled      integer not null default 0,
  same        integer not null default 0,
  skipped     integer not null default 0,
  wrong       integer not null default 0,
  repairs     jsonb not null default '[]',
  -- Categories and tax rates that were made along the way.
  parts       jsonb not null default '[]',
  undo        jsonb,
  failure     text,
  maker       jsonb not null,
  written_at  timestamptz(3),
  created_at  timestamptz(3) not null default now(),
  updated_at  timestamptz(3) not null default now(),
  primary key (org_id, id),
  check ((phase is null) = (due_at is null))
);
create index imports_newest on imports (org_id, created_at desc, id desc);
create index imports_due on imports (org_id, due_at) where due_at is not null;
create trigger bury after delete on imports referencing old table as gone
  for each statement execute function bury('created_at');

-- The rows of its files as they came, so that what was begun goes on after any accident, and wrong ones can be given back.
create table import_rows (
  org_id    text not null,
  import_id text not null,
  file      integer not null,
  row       integer not null,
  cells     jsonb not null,
  primary key (org_id, import_id, file, row),
  foreign key (org_id, import_id) references imports on delete cascade
);

-- What the rows are about: one record each, or several rows one. What was decided about it, and what became of it.
create table import_records (
  org_id     text not null,
  import_id  text not null,
  position   bigint not null,
  file       integer not null,
  key        text not null,
  rows       integer[] not null,
  kind       text,
  verdict    text check (verdict in ('created', 'filled', 'same', 'skipped', 'wrong')),
  target_id  text,
  plan       jsonb,
  written_at timestamptz(3),
  undone     text check (undone in ('reversed', 'kept', 'failed')),
  undo_reason text,
  primary key (org_id, import_id, position),
  constraint import_records_by_key unique (org_id, import_id, file, key),
  foreign key (org_id, import_id) references imports on delete cascade
);
create index import_records_unjudged on import_records (org_id, import_id, position) where verdict is null;
create index import_records_unwritten on import_records (org_id, import_id, position)
  where verdict in ('created', 'filled') and written_at is null;
create index import_records_of_target on import_records (org_id, import_id, target_id) where target_id is not null;

-- By what later records of the same import find earlier ones, which are not written yet.
create table import_keys (
  org_id    text not null,
  import_id text not null,
  key       text not null,
  target_id text not null,
  primary key (org_id, import_id, key, target_id),
  foreign key (org_id, import_id) references imports on delete cascade
);

-- What is wrong, row by row.
create table import_problems (
  org_id     text not null,
  id         text not null,
  import_id  text not null,
  position   bigint not null,
  file       text not null,
  row        integer not null,
  "column"   text,
  value      text,
  reason     text not null,
  fix        text not null,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (org_id, id),
  foreign key (org_id, import_id) references imports on delete cascade
);
create index import_problems_oldest on import_problems (org_id, import_id, created_at, id);
create trigger bury after delete on import_problems referencing old table as gone
  for each statement execute function bury('created_at', 'import_id');

-- A brought invoice or quote keeps its number, and ours go on above it. Only numbers with our prefix count.
create function pass_document_number(organisation text, kind text, number text) returns void language plpgsql as $$
declare
  prefix text;
  digits text;
begin
  select case kind when 'quote' then quote_number_prefix else invoice_number_prefix end into prefix
  from organisations where org_id = organisation;
  digits := substr(number, length(prefix) + 1);
  if not starts_with(number, prefix) or digits !~ '^[0-9]{1,9}$' then
    return;
  end if;
  if kind = 'quote' then
    update counters set next_quote_number = digits::integer + 1
    where org_id = organisation and next_quote_number <= digits::integer;
  else
    update counters set next_invoice_number = digits::integer + 1
    where org_id = organisation and next_invoice_number <= digits::integer;
  end if;
end $$;
