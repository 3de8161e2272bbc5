-- Jobs and what they need: statuses, stations, tax rates, the catalogue, lines, messages, the calendar.

do $$ begin
  if not exists (select from pg_extension where extname = 'btree_gist') then
    create extension btree_gist;
  end if;
end $$;

-- All-day events begin and end at midnight in the shop's time zone, also when daylight saving time changes.
create function local_day_start(moment timestamptz, zone text) returns timestamptz
  language sql stable return date_trunc('day', moment at time zone zone) at time zone zone;
create function local_day_end(moment timestamptz, zone text) returns timestamptz
  language sql stable return case when local_day_start(moment, zone) = moment then moment
    else (date_trunc('day', moment at time zone zone) + interval '1 day') at time zone zone end;

-- The next number of each kind; a number is taken in the transaction that uses it.
create table counters (
  org_id             text primary key references organisations on delete cascade,
  next_ticket_number integer not null default 1
);
insert into counters (org_id) select org_id from organisations;

create function take_ticket_number(organisation text) returns integer language sql volatile as $$
  update counters set next_ticket_number = next_ticket_number + 1 where org_id = organisation
  returning next_ticket_number - 1
$$;

create table ticket_statuses (
  org_id     text not null references organisations on delete cascade,
  id         text not null,
  name       text not null,
  color      bigint not null default 4288585374,
  index      integer not null default 0,
  type       text not null default 'custom' check (type in ('default', 'custom')),
  stage      text not null default 'open' check (stage in ('open', 'inProgress', 'closed')),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (org_id, id)
);
create unique index ticket_statuses_name_unique on ticket_statuses (org_id, lower(name));
insert into ticket_statuses (org_id, id, name, index, type, stage, color)
  select org_id, 'sts_' || built_in.id, built_in.name, built_in.index, 'default', built_in.stage, built_in.color
  from organisations, (values
    ('open', 'Open', 0, 'open', 4280391411), ('in-progress', 'In Progress', 1, 'inProgress', 4294940672),
    ('closed', 'Closed', 2, 'closed', 4283215696)
  ) built_in (id, name, index, stage, color);

create table stations (
  org_id     text not null references organisations on delete cascade,
  id         text not null,
  name       text not null,
  index      integer not null,
  capacity   integer,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (org_id, id)
);

create table tax_rates (
  org_id          text not null references organisations on delete cascade,
  id              text not null,
  name            text not null,
  rate            numeric(7, 4) not null,
  is_inclusive    boolean not null default false,
  default_enabled boolean not null default false,
  created_at      timestamptz(3) not null default now(),
  updated_at      timestamptz(3) not null default now(),
  sort_name       text not null generated always as (folded(name)) stored,
  primary key (org_id, id)
);
create unique index tax_rates_one_default on tax_rates (org_id) where default_enabled;

create table inventory_categories (
  org_id     text not null references organisations on delete cascade,
  id         text not null,
  name       text not null,
  index      integer not null,
  color      bigint,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  sort_name  text not null generated always as (folded(name)) stored,
  primary key (org_id, id)
);
create unique index inventory_categories_name_unique on inventory_categories (org_id, lower(name));

create table asset_categories (like inventory_categories including all);
alter table asset_categories add foreign key (org_id) references organisations on delete cascade;
alter index asset_categories_org_id_lower_idx rename to asset_categories_name_unique;

alter table devices add column category_id text;
alter table devices add constraint devices_category_id_exists
  foreign key (org_id, category_id) references asset_categories on delete set null (category_id);
create index devices_by_category on devices (org_id, category_id) where category_id is not null;

create table services (
  org_id           text not null references organisations on delete cascade,
  id               text not null,
  name             text not null,
  description      text,
  price            numeric(13, 4) not null default 0,
  cost             numeric(13, 4),
  tax_rate_id      text,
  duration_minutes integer,
  warranty_days    integer,
  warranty_terms   text,
  is_active        boolean not null default true,
  created_at       timestamptz(3) not null default now(),
  updated_at       timestamptz(3) not null default now(),
  sort_name        text not null generated always as (folded(name)) stored,
  search_text      text not null generated always as (folded(name || E'\n' || coalesce(description, ''))) stored,
  primary key (org_id, id),
  constraint services_tax_rate_id_exists foreign key (org_id, tax_rate_id) references tax_rates on delete set null (tax_rate_id)
);
create index services_by_name on services (org_id, sort_name, id);
create index services_by_text on services using gin (org_id, search_text gin_trgm_ops)
  with (gin_pending_list_limit = 256); -- a longer pending list slows down searches
create index services_by_tax_rate on services (org_id, tax_rate_id) where tax_rate_id is not null;
create trigger bury after delete on services referencing old table as gone
  for each statement execute function bury('sort_name');

create table inventory (
  org_id           text not null references organisations on delete cascade,
  id               text not null,
  name             text not null,
  sku              text,
  barcode          text,
  description      text,
  category_id      text,
  price            numeric(13, 4) not null default 0,
  cost             numeric(13, 4),
  tax_rate_id      text,
  track_stock      boolean not null default true,
  quantity_on_hand numeric(15, 4) not null default 0,
  reorder_level    numeric(15, 4),
  supplier         text,
  warranty_days    integer,
  created_at       timestamptz(3) not null default now(),
  updated_at       timestamptz(3) not null default now(),
  is_low_stock     boolean not null generated always as
    (track_stock and reorder_level is not null and quantity_on_hand <= coalesce(reorder_level, 0)) stored,
  sort_name        text not null generated always as (folded(name)) stored,
  search_text      text not null generated always as
    (folded(name || E'\n' || coalesce(sku, '') || E'\n' || coalesce(barcode, ''))) stored,
  primary key (org_id, id),
  constraint inventory_tax_rate_id_exists foreign key (org_id, tax_rate_id) references tax_rates on delete set null (tax_rate_id),
  constraint inventory_category_id_exists
    foreign key (org_id, category_id) references inventory_categories on delete set null (category_id)
);
create unique index inventory_sku_unique on inventory (org_id, sku) where sku is not null;
create index inventory_by_name on inventory (org_id, sort_name, id);
create index inventory_by_category on inventory (org_id, category_id, sort_name, id) where category_id is not null;
create index inventory_by_text on inventory using gin (org_id, search_text gin_trgm_ops)
  with (gin_pending_list_limit = 256); -- a longer pending list slows down searches
create index inventory_by_tax_rate on inventory (org_id, tax_rate_id) where tax_rate_id is not null;
create trigger bury after delete on inventory referencing old table as gone
  for each statement execute function bury('sort_name');

alter table members add column sort_name text not null generated always as (folded(first_name)) stored;
create index members_by_name on members (org_id, sort_name, id);
create trigger bury after delete on members referencing old table as gone
  for each statement execute function bury('sort_name');

create table tickets (
  org_id               text not null references organisations on delete cascade,
  id                   text not null,
  ticket_number        integer not null,
  customer_id          text,
  customer_name        text,
  customer_email       text,
  service_required     text,
  description          text,
  status_id            text not null,
  assigned_technician  text,
  device_id            text,
  customer_device_type text,
  customer_device_name text,
  station_id           text,
  priority             text not null default 'normal' check (priority in ('low', 'normal', 'high', 'urgent')),
  address              text,
  scheduled_from       timestamptz(3),
  scheduled_to         timestamptz(3),
  scheduled_all_day    boolean not null default false,
  calendar_event_id    text,
  discount             jsonb,
  open_start_form_count      integer not null default 0,
  open_completion_form_count integer not null default 0,
  open_invoice_form_count    integer not null default 0,
  recurring_schedule_id text,
  occurrence_index     integer,
  closed_at            timestamptz(3),
  created_at           timestamptz(3) not null default now(),
  updated_at           timestamptz(3) not null default now(),
  primary key (org_id, id),
  constraint tickets_number unique (org_id, ticket_number),
  constraint tickets_customer_id_parent foreign key (org_id, customer_id) references customers on delete cascade,
  constraint status_in_use foreign key (org_id, status_id) references ticket_statuses,
  constraint tickets_assigned_technician_exists
    foreign key (org_id, assigned_technician) references members on delete set null (assigned_technician),
  constraint tickets_device_id_exists foreign key (org_id, device_id) references devices on delete set null (device_id),
  constraint tickets_station_id_exists foreign key (org_id, station_id) references stations on delete set null (station_id)
);
create index tickets_newest on tickets (org_id, created_at desc, id desc);
create index tickets_by_status on tickets (org_id, status_id, created_at desc, id desc);
create index tickets_by_customer on tickets (org_id, customer_id, created_at desc, id desc);
create index tickets_by_technician on tickets (org_id, assigned_technician, created_at desc, id desc);
create index tickets_by_station on tickets (org_id, station_id, created_at desc, id desc) where station_id is not null;
create index tickets_at_station on tickets (org_id, station_id, status_id) where station_id is not null;
create index tickets_by_device on tickets (org_id, device_id, created_at desc, id desc) where device_id is not null;
create index tickets_by_change on tickets (org_id, updated_at);
create trigger bury after delete on tickets referencing old table as gone
  for each statement execute function bury('created_at');

-- What is sold on a job. Name, price and tax are snapshots: the catalogue item may change or be deleted.
create table service_lines (
  org_id        text not null,
  id            text not null,
  ticket_id     text not null,
  service_id    text,
  name          text not null,
  description   text,
  quantity      numeric(11, 4) not null,
  unit_price    numeric(13, 4) not null,
  tax_rate_id   text,
  tax_rate      jsonb,
  warranty_days integer,
  line_total    numeric(24, 4) not null,
  created_at    timestamptz(3) not null default now(),
  updated_at    timestamptz(3) not null default now(),
  primary key (org_id, id),
  constraint service_lines_ticket_id_parent foreign key (org_id, ticket_id) references tickets on delete cascade
);
create index service_lines_by_ticket on service_lines (org_id, ticket_id, created_at, id);

create table inventory_lines (
  org_id            text not null,
  id                text not null,
  ticket_id         text not null,
  inventory_item_id text,
  name              text not null,
  description       text,
  sku               text,
  serial_number     text,
  quantity          numeric(11, 4) not null,
  unit_price        numeric(13, 4) not null,
  tax_rate_id       text,
  tax_rate          jsonb,
  warranty_days     integer,
  line_total        numeric(24, 4) not null,
  created_at        timestamptz(3) not null default now(),
  updated_at        timestamptz(3) not null default now(),
  primary key (org_id, id),
  constraint inventory_lines_ticket_id_parent foreign key (org_id, ticket_id) references tickets on delete cascade
);
create index inventory_lines_by_ticket on inventory_lines (org_id, ticket_id, created_at, id);
create index inventory_lines_by_item on inventory_lines (org_id, inventory_item_id) where inventory_item_id is not null;

-- Keeps stock in step with the parts on jobs, whatever writes the lines, deleted jobs included. Items are updated once
-- each, ordered by id, so that two jobs with the same parts do not deadlock.
create function move_stock() returns trigger language plpgsql as $$
declare
  moved record;
begin
  for moved in execute format(
    'select org_id, inventory_item_id as id, sum(quantity) as quantity from (%s) change
     where inventory_item_id is not null group by 1, 2 having sum(quantity) <> 0 order by 1, 2',
    case tg_op
      when 'INSERT' then 'select org_id, inventory_item_id, -quantity as quantity from added'
      when 'DELETE' then 'select org_id, inventory_item_id, quantity from gone'
      else 'select org_id, inventory_item_id, quantity from gone
            union all select org_id, inventory_item_id, -quantity from added'
    end)
  loop
    update inventory set quantity_on_hand = quantity_on_hand + moved.quantity, updated_at = now()
    where org_id = moved.org_id and id = moved.id and track_stock;
  end loop;
  return null;
end $$;
create trigger stock_taken after insert on inventory_lines referencing new table as added
  for each statement execute function move_stock();
create trigger stock_changed after update on inventory_lines referencing old table as gone new table as added
  for each statement execute function move_stock();
create trigger stock_returned after delete on inventory_lines referencing old table as gone
  for each statement execute function move_stock();

-- In a table of its own, because it is large and rarely read.
create table ticket_signatures (
  org_id         text not null,
  ticket_id      text not null,
  signature      text not null,
  signed_by_name text,
  signed_at      timestamptz(3) not null default now(),
  primary key (org_id, ticket_id),
  constraint ticket_signatures_ticket_id_parent foreign key (org_id, ticket_id) references tickets on delete cascade
);

create table messages (
  org_id       text not null,
  id           text not null,
  ticket_id    text not null,
  text         text not null,
  visibility   text not null default 'internal' check (visibility in ('internal', 'customer')),
  is_system    boolean not null default false,
  system_event text,
  system_data  jsonb,
  author_id    text,
  author_name  text,
  created_at   timestamptz(3) not null default now(),
  updated_at   timestamptz(3) not null default now(),
  primary key (org_id, id),
  constraint messages_ticket_id_parent foreign key (org_id, ticket_id) references tickets on delete cascade
);
create index messages_oldest on messages (org_id, ticket_id, created_at, id);
create trigger bury after delete on messages referencing old table as gone
  for each statement execute function bury('created_at', 'ticket_id');

create table calendar_events (
  org_id         text not null references organisations on delete cascade,
  id             text not null,
  title          text not null,
  has_own_title  boolean not null default true,
  starts_at      timestamptz(3) not null,
  ends_at        timestamptz(3) not null,
  all_day        boolean not null default false,
  assigned_to_id text,
  ticket_id      text,
  location       text,
  notes          text,
  recurring_schedule_id text,
  occurrence_index      integer,
  created_at     timestamptz(3) not null default now(),
  updated_at     timestamptz(3) not null default now(),
  primary key (org_id, id),
  constraint calendar_events_in_order check (starts_at < ends_at),
  constraint calendar_event_exists unique (org_id, ticket_id),
  constraint calendar_events_ticket_id_parent foreign key (org_id, ticket_id) references tickets on delete cascade,
  constraint calendar_events_assigned_to_id_exists
    foreign key (org_id, assigned_to_id) references members on delete set null (assigned_to_id)
);
create index calendar_events_by_start on calendar_events (org_id, starts_at, id);
create index calendar_events_by_assignee on calendar_events (org_id, assigned_to_id, starts_at, id);
create index calendar_events_by_time on calendar_events using gist (org_id, tstzrange(starts_at, ends_at));
create trigger bury after delete on calendar_events referencing old table as gone
  for each statement execute function bury('starts_at');
