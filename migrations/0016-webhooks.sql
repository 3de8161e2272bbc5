-- Webhooks: addresses that events are posted to, what was posted there, and what waits to be.

create table webhooks (
  org_id                 text not null references organisations on delete cascade,
  id                     text not null,
  -- One of twenty places: two that are made at the same moment cannot both take the last one.
  slot                   smallint not null constraint webhook_limit check (slot between 1 and 20),
  url                    text not null,
  types                  jsonb not null,
  description            text,
  is_paused              boolean not null default false,
  paused_reason          text check (paused_reason in ('manual', 'gone', 'failing', 'maker_revoked')),
  -- It lives as long as the key or the grant that made it, and tells what that may read. What a member or the operator
  -- made belongs to the organisation.
  maker_kind             text not null check (maker_kind in ('key', 'app', 'member', 'operator')),
  maker_id               text,
  maker_name             text not null,
  sealed_secret          text not null,
  -- The one before it, while both sign.
  sealed_previous_secret text,
  previous_secret_until  timestamptz(3),
  failing_since          timestamptz(3),
  last_delivered_at      timestamptz(3),
  created_at             timestamptz(3) not null default now(),
  updated_at             timestamptz(3) not null default now(),
  primary key (org_id, id),
  constraint webhooks_slot unique (org_id, slot),
  check (is_paused = (paused_reason is not null))
);
create index webhooks_oldest on webhooks (org_id, created_at, id);
create index webhooks_of_maker on webhooks (org_id, maker_kind, maker_id);

-- Without a foreign key: deleting a webhook with a million deliveries is a matter of a moment, and the worker sweeps them up
-- after it; and none is checked for each of them.
create table webhook_deliveries (
  org_id          text not null,
  id              text not null,
  webhook_id      text not null,
  event_id        text not null,
  event_type      text not null,
  -- Null: a test, which is not among the events.
  position        bigint,
  test_event      text,
  -- Whose order is kept: the record that the event is about.
  record_key      text not null,
  status          text not null default 'waiting' check (status in ('waiting', 'delivered', 'failed')),
  -- Attempts since it was queued, or queued again; `attempts` has those before as well.
  tries           integer not null default 0,
  attempts        jsonb not null default '[]',
  -- Whoever numbers events only adds deliveries; the worker then finds each its place in the order of its record.
  is_placed       boolean not null default false,
  -- Null while it waits: it is behind another one about the same record.
  next_attempt_at timestamptz(3),
  created_at      timestamptz(3) not null default now(),
  updated_at      timestamptz(3) not null default now(),
  primary key (org_id, id),
  -- An event is delivered anew by the same row.
  constraint webhook_deliveries_event unique (org_id, webhook_id, event_id),
  check ((position is null) = (test_event is not null)),
  check (status = 'waiting' or next_attempt_at is null)
);
create index webhook_deliveries_unplaced on webhook_deliveries (org_id, webhook_id, position) where not is_placed;
-- Of those about one record, one is due at a time.
create unique index webhook_deliveries_head on webhook_deliveries (org_id, webhook_id, record_key)
  where status = 'waiting' and next_attempt_at is not null;
create index webhook_deliveries_behind on webhook_deliveries (org_id, webhook_id, record_key, position, id)
  where status = 'waiting' and next_attempt_at is null;
create index webhook_deliveries_due on webhook_deliveries (org_id, webhook_id, next_attempt_at)
  where status = 'waiting' and next_attempt_at is not null;
create index webhook_deliveries_failed on webhook_deliveries (org_id, webhook_id) where status = 'failed';
create index webhook_deliveries_newest on webhook_deliveries (org_id, webhook_id, created_at desc, id desc);
create index webhook_deliveries_settled on webhook_deliveries (created_at) where status <> 'waiting';

-- What waits for a webhook as a whole. Its row is locked by whoever queues, settles or retries deliveries (after the webhook's,
-- where both are), and leased by the one process that delivers, which renews the lease: after a crash it runs out.
create table webhook_queues (
  org_id       text not null,
  webhook_id   text not null,
  -- When there is something new for a process to look at. Null: nothing waits, somebody is at it, or the webhook is paused.
  due_at       timestamptz(3),
  lease        text,
  leased_until timestamptz(3),
  primary key (org_id, webhook_id),
  foreign key (org_id, webhook_id) references webhooks on delete cascade,
  check ((lease is null) = (leased_until is null))
);
create index webhook_queues_due on webhook_queues (due_at) where due_at is not null;
create index webhook_queues_leased on webhook_queues (leased_until) where leased_until is not null;

-- Webhooks that are deleted, and whose deliveries are not yet.
create table deleted_webhooks (
  org_id text not null,
  id     text not null,
  primary key (org_id, id)
);
create function note_deleted_webhook() returns trigger language plpgsql as $$
begin
  insert into deleted_webhooks (org_id, id) values (old.org_id, old.id) on conflict do nothing;
  return null;
end $$;
create trigger note_deleted after delete on webhooks for each row execute function note_deleted_webhook();

-- The end of a key or a grant is the end of its webhooks. One that expires is found by the worker.
create function maker_ended() returns trigger language plpgsql as $$
begin
  update webhooks set is_paused = true, paused_reason = 'maker_revoked', updated_at = now()
    where org_id = old.org_id and maker_kind = tg_argv[0] and maker_id = old.id and paused_reason is distinct from 'maker_revoked';
  return null;
end $$;
create trigger maker_revoked after update of revoked_at on api_keys
  for each row when (new.revoked_at is not null) execute function maker_ended('key');
create trigger maker_deleted after delete on api_keys for each row execute function maker_ended('key');
create trigger maker_revoked after update of revoked_at on grants
  for each row when (new.revoked_at is not null) execute function maker_ended('app');
create trigger maker_deleted after delete on grants for each row execute function maker_ended('app');
