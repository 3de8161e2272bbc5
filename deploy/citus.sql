-- A plan to shard the tables with Citus, distributed by organisation, whose id is part of every key.
--
-- Never executed: Citus could not be installed where this was written. It follows from the catalogue, which
-- test/sharding.test.ts compares with this file, and from the known limitations of Citus. Before it can be run, the
-- service has to change in these places:
--
--   * Foreign keys from a distributed to a local table are not supported. They are dropped below; deleting an organisation
--     must then delete from every table, and deleting a member must clear where they are assigned.
--   * ON DELETE SET NULL is not supported where the key includes the distribution column, not even with a column list.
--     What those foreign keys do must move into the operations that delete.
--   * Triggers on distributed tables need the setting below and run on the node of the rows. Those with transition tables
--     (tombstones, stock, payments, forms) must be tested and may have to become row triggers.
--   * One statement cannot lock rows on several nodes: the worker locks what is due organisation by organisation.
--   * Statements without an organisation (a share link by its token, sweeping, which organisations have something due) query
--     every node.
--
-- Until then scale with one PostgreSQL with replicas, or several installations with some organisations each.

set citus.enable_unsafe_triggers = on;

-- Local tables, on the coordinator: they belong to no organisation, or are queried before the organisation is known, or
-- their triggers send a notification, which only reaches listeners on the same node.
--
-- local: migrations: belongs to the database
-- local: people: members of several organisations
-- local: recovery_codes: belong to people
-- local: sessions: belong to people
-- local: authorization_requests: created before a person chooses the organisation
-- local: organisations: sends notifications; credentials refer to it
-- local: members: sends notifications; looked up by person
-- local: api_keys: sends notifications
-- local: api_key_secrets: looked up by hash; sends notifications
-- local: oauth_clients: some belong to no organisation
-- local: grants: looked up by person and app; sends notifications
-- local: oauth_tokens: looked up by hash; sends notifications
-- local: calendar_feeds: looked up by hash
-- local: outbox: sends notifications; a queue over all organisations

-- Drop every foreign key from a distributed to a local table.
do $$
declare foreign_key record;
begin
  for foreign_key in
    select conrelid::regclass as owner, conname from pg_constraint
    where contype = 'f' and confrelid in ('organisations'::regclass, 'members'::regclass)
      and conrelid not in ('members'::regclass, 'api_keys'::regclass, 'oauth_clients'::regclass, 'grants'::regclass,
        'calendar_feeds'::regclass, 'outbox'::regclass)
  loop
    execute format('alter table %s drop constraint %I', foreign_key.owner, foreign_key.conname);
  end loop;
end $$;

-- Distributed tables, each after those it refers to; colocated, so that an organisation is on one node.
select create_distributed_table('asset_categories', 'org_id');
select create_distributed_table('audit_log', 'org_id', colocate_with => 'asset_categories');
select create_distributed_table('counters', 'org_id', colocate_with => 'asset_categories');
select create_distributed_table('customer_deletions', 'org_id', colocate_with => 'asset_categories');
select create_distributed_table('customers', 'org_id', colocate_with => 'asset_categories');
select create_distributed_table('devices', 'org_id', colocate_with => 'asset_categories');
select create_distributed_table('event_counters', 'org_id', colocate_with => 'asset_categories');
select create_distributed_table('event_inbox', 'org_id', colocate_with => 'asset_categories');
select create_distributed_table('events', 'org_id', colocate_with => 'asset_categories');
select create_distributed_table('form_templates', 'org_id', colocate_with => 'asset_categories');
select create_distributed_table('form_rules', 'org_id', colocate_with => 'asset_categories');
select create_distributed_table('idempotency_keys', 'org_id', colocate_with => 'asset_categories');
select create_distributed_table('inventory_categories', 'org_id', colocate_with => 'asset_categories');
select create_distributed_table('invoices', 'org_id', colocate_with => 'asset_categories');
select create_distributed_table('payments', 'org_id', colocate_with => 'asset_categories');
select create_distributed_table('quotes', 'org_id', colocate_with => 'asset_categories');
select create_distributed_table('quote_answers', 'org_id', colocate_with => 'asset_categories');
select create_distributed_table('reminders', 'org_id', colocate_with => 'asset_categories');
select create_distributed_table('share_links', 'org_id', colocate_with => 'asset_categories');
select create_distributed_table('stations', 'org_id', colocate_with => 'asset_categories');
select create_distributed_table('recurring_presets', 'org_id', colocate_with => 'asset_categories');
select create_distributed_table('recurring_schedules', 'org_id', colocate_with => 'asset_categories');
select create_distributed_table('tax_rates', 'org_id', colocate_with => 'asset_categories');
select create_distributed_table('inventory', 'org_id', colocate_with => 'asset_categories');
select create_distributed_table('services', 'org_id', colocate_with => 'asset_categories');
select create_distributed_table('ticket_statuses', 'org_id', colocate_with => 'asset_categories');
select create_distributed_table('tickets', 'org_id', colocate_with => 'asset_categories');
select create_distributed_table('calendar_events', 'org_id', colocate_with => 'asset_categories');
select create_distributed_table('form_submissions', 'org_id', colocate_with => 'asset_categories');
select create_distributed_table('form_events', 'org_id', colocate_with => 'asset_categories');
select create_distributed_table('form_photos', 'org_id', colocate_with => 'asset_categories');
select create_distributed_table('form_signatures', 'org_id', colocate_with => 'asset_categories');
select create_distributed_table('inventory_lines', 'org_id', colocate_with => 'asset_categories');
select create_distributed_table('messages', 'org_id', colocate_with => 'asset_categories');
select create_distributed_table('recurring_occurrences', 'org_id', colocate_with => 'asset_categories');
select create_distributed_table('service_lines', 'org_id', colocate_with => 'asset_categories');
select create_distributed_table('ticket_signatures', 'org_id', colocate_with => 'asset_categories');
select create_distributed_table('deleted_webhooks', 'org_id', colocate_with => 'asset_categories');
select create_distributed_table('webhooks', 'org_id', colocate_with => 'asset_categories');
select create_distributed_table('webhook_deliveries', 'org_id', colocate_with => 'asset_categories');
select create_distributed_table('webhook_queues', 'org_id', colocate_with => 'asset_categories');
select create_distributed_table('tombstones', 'org_id', colocate_with => 'asset_categories');
