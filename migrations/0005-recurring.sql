-- Recurring agreements: schedules, their visits, presets; and calendar feeds.

create table recurring_presets (
  org_id              text not null references organisations on delete cascade,
  id                  text not null,
  name                text not null,
  rrule               text,
  duration_minutes    integer,
  horizon_days        integer,
  service_required    text,
  description         text,
  assigned_technician text,
  station_id          text,
  line_items          jsonb not null default '[]',
  created_at          timestamptz(3) not null default now(),
  updated_at          timestamptz(3) not null default now(),
  sort_name           text not null generated always as (folded(name)) stored,
  primary key (org_id, id),
  constraint recurring_presets_assigned_technician_exists
    foreign key (org_id, assigned_technician) references members on delete set null (assigned_technician),
  constraint recurring_presets_station_id_exists foreign key (org_id, station_id) references stations on delete set null (station_id)
);
create index recurring_presets_by_name on recurring_presets (org_id, sort_name, id);
create index recurring_presets_by_technician on recurring_presets (org_id, assigned_technician) where assigned_technician is not null;
create index recurring_presets_by_station on recurring_presets (org_id, station_id) where station_id is not null;
create trigger bury after delete on recurring_presets referencing old table as gone
  for each statement execute function bury('sort_name');

-- When its customer is deleted, a schedule stays, ended.
create table recurring_schedules (
  org_id              text not null references organisations on delete cascade,
  id                  text not null,
  name                text,
  customer_id         text,
  device_id           text,
  starts_at           timestamptz(3) not null,
  time_zone           text not null,
  rrule               text not null,
  duration_minutes    integer not null,
  service_required    text not null,
  description         text,
  assigned_technician text,
  station_id          text,
  line_items          jsonb not null default '[]',
  horizon_days        integer not null,
  status              text not null default 'active' check (status in ('active', 'paused', 'ended')),
  paused_at           timestamptz(3),
  resumes_at          timestamptz(3),
  ended_at            timestamptz(3),
  generated_through   timestamptz(3),
  -- The numbering of the current shape: a slot's index is its position in the series plus the offset.
  first_index         integer not null default 0,
  index_offset        integer not null default 0,
  -- Since when the series has its current shape, if it had another one before.
  shape_from          timestamptz(3),
  -- Slots before it are not planned: they were past when the shape was set.
  planned_from        timestamptz(3) not null,
  next_planned_at     timestamptz(3),
  -- When the worker must next process it: generate, resume or end.
  due_at              timestamptz(3),
  created_at          timestamptz(3) not null default now(),
  updated_at          timestamptz(3) not null default now(),
  primary key (org_id, id),
  constraint recurring_schedules_customer_id_parent
    foreign key (org_id, customer_id) references customers on delete set null (customer_id),
  constraint recurring_schedules_device_id_exists foreign key (org_id, device_id) references devices on delete set null (device_id),
  constraint recurring_schedules_assigned_technician_exists
    foreign key (org_id, assigned_technician) references members on delete set null (assigned_technician),
  constraint recurring_schedules_station_id_exists foreign key (org_id, station_id) references stations on delete set null (station_id)
);
create index recurring_schedules_newest on recurring_schedules (org_id, created_at desc, id desc);
create index recurring_schedules_by_customer on recurring_schedules (org_id, customer_id, created_at desc, id desc);
create index recurring_schedules_by_device on recurring_schedules (org_id, device_id) where device_id is not null;
create index recurring_schedules_by_technician on recurring_schedules (org_id, assigned_technician) where assigned_technician is not null;
create index recurring_schedules_by_station on recurring_schedules (org_id, station_id) where station_id is not null;
create index recurring_schedules_due on recurring_schedules (due_at) where due_at is not null;
create trigger bury after delete on recurring_schedules referencing old table as gone
  for each statement execute function bury('created_at');

-- Visits that differ from the rule. A planned visit has a row only if it belongs to an earlier shape of the schedule.
create table recurring_occurrences (
  org_id            text not null,
  schedule_id       text not null,
  index             integer not null,
  original_from     timestamptz(3) not null,
  starts_at         timestamptz(3) not null,
  ends_at           timestamptz(3) not null,
  status            text not null check (status in ('planned', 'generated', 'skipped', 'cancelled')),
  ticket_id         text,
  is_moved          boolean not null default false,
  is_resized        boolean not null default false,
  skip_reason       text,
  -- When the schedule last wrote the job, and with how many lines: any difference is somebody's work.
  written_at        timestamptz(3),
  line_count        integer not null default 0,
  left_first_status boolean not null default false,
  -- Lines were removed from the job or its discount was changed since then: work, even if it was reverted.
  was_touched       boolean not null default false,
  created_at        timestamptz(3) not null default now(),
  updated_at        timestamptz(3) not null default now(),
  primary key (org_id, schedule_id, index),
  foreign key (org_id, schedule_id) references recurring_schedules on delete cascade,
  foreign key (org_id, ticket_id) references tickets on delete set null (ticket_id),
  check (starts_at < ends_at),
  check (ticket_id is null or status = 'generated')
);
-- No slot has two visits, whatever shapes the series had.
create unique index recurring_occurrences_one_each on recurring_occurrences (org_id, schedule_id, original_from)
  where status <> 'cancelled';
create index recurring_occurrences_by_time on recurring_occurrences (org_id, schedule_id, starts_at);
create index recurring_occurrences_planned on recurring_occurrences (org_id, schedule_id, starts_at) where status = 'planned';
create index recurring_occurrences_by_ticket on recurring_occurrences (org_id, ticket_id) where ticket_id is not null;

create unique index tickets_one_each_visit on tickets (org_id, recurring_schedule_id, occurrence_index)
  where recurring_schedule_id is not null;
alter table tickets add constraint schedule_in_use
  foreign key (org_id, recurring_schedule_id) references recurring_schedules;
create unique index calendar_events_one_each_visit on calendar_events (org_id, recurring_schedule_id, occurrence_index)
  where recurring_schedule_id is not null;

-- A visit whose job is deleted must not be generated again.
create function visit_deleted() returns trigger language plpgsql as $$
begin
  update recurring_occurrences visit
  set status = case when schedule.status = 'ended' then 'cancelled' else 'skipped' end,
    skip_reason = case when schedule.status = 'ended' then null else 'job deleted' end, ticket_id = null, updated_at = now()
  from recurring_schedules schedule
  where schedule.org_id = visit.org_id and schedule.id = visit.schedule_id
    and visit.org_id = old.org_id and visit.schedule_id = old.recurring_schedule_id and visit.index = old.occurrence_index
    and visit.ticket_id = old.id;
  return old;
end $$;
create trigger visit_deleted before delete on tickets
  for each row when (old.recurring_schedule_id is not null) execute function visit_deleted();

-- A job whose status changed counts as begun, even if it is changed back.
create function visit_begun() returns trigger language plpgsql as $$
begin
  update recurring_occurrences set left_first_status = true
  where org_id = new.org_id and schedule_id = new.recurring_schedule_id and index = new.occurrence_index;
  return null;
end $$;
create trigger visit_begun after update of status_id on tickets
  for each row when (new.recurring_schedule_id is not null and old.status_id <> new.status_id) execute function visit_begun();

-- A line that is added and removed again leaves no other trace, nor does a discount.
create function visit_lines_removed() returns trigger language plpgsql as $$
begin
  update recurring_occurrences visit set was_touched = true from (select distinct org_id, ticket_id from gone) line
  where visit.org_id = line.org_id and visit.ticket_id = line.ticket_id and not visit.was_touched;
  return null;
end $$;
create trigger visit_lines_removed after delete on service_lines referencing old table as gone
  for each statement execute function visit_lines_removed();
create trigger visit_lines_removed after delete on inventory_lines referencing old table as gone
  for each statement execute function visit_lines_removed();

create function visit_discounted() returns trigger language plpgsql as $$
begin
  update recurring_occurrences set was_touched = true
  where org_id = new.org_id and schedule_id = new.recurring_schedule_id and index = new.occurrence_index;
  return null;
end $$;
create trigger visit_discounted after update of discount on tickets
  for each row when (new.recurring_schedule_id is not null and old.discount is distinct from new.discount)
  execute function visit_discounted();

-- A secret URL of the calendar of a member, or of everybody. Only a hash of its token is stored.
create table calendar_feeds (
  org_id       text not null references organisations on delete cascade,
  id           text not null,
  member_id    text,
  token_hash   bytea not null,
  created_at   timestamptz(3) not null default now(),
  last_read_at timestamptz(3),
  primary key (org_id, id),
  constraint calendar_feeds_member_id_exists foreign key (org_id, member_id) references members on delete cascade
);
create unique index calendar_feeds_by_token on calendar_feeds (token_hash);
create index calendar_feeds_by_member on calendar_feeds (org_id, member_id) where member_id is not null;
