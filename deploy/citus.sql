-- How the tables would be spread over several machines with Citus: by organisation, whose id is part of every key.
--
-- A plan, not a recipe. Citus could not be installed where this was written, so none of it has been run; it follows from
-- the catalogue, which test/sharding.test.ts compares with this file, and from what Citus is known to refuse. Before it
-- can be run, the service has to change in these places:
--
--   * Foreign keys from a spread table to one that stays local are refused. They are dropped below; deleting an
--     organisation must then delete from every table, and deleting a member must clear where they are assigned.
--   * ON DELETE SET NULL is refused where the key holds the column that tables are spread by, also with a list of columns.
--     What those foreign keys do must move into the operations that delete.
--   * Triggers are allowed on spread tables only with the setting below, and run on the machine of the rows. Those with
--     transition tables (the places of deleted records, stock, payments, forms) must be tried, and may have to be by row.
--   * Rows of several machines cannot be locked by one statement: the worker picks a due schedule with FOR UPDATE SKIP
--     LOCKED over all organisations and would have to go by organisation. The outbox stays local, so mail goes on as it is.
--   * Statements without an organisation (a share link by its token, sweeping, reminders that are due) ask every machine.
--
-- Until then one PostgreSQL with replicas, or several installations with some organisations each, is the way to grow.

set citus.enable_unsafe_triggers = on;

-- What stays on the coordinator: nothing of an organisation, or asked before the organisation is known, or a change of it
-- sends a notice, which is heard only on the machine where it is sent. Triggers work there as always.
--
-- local: migrations: belongs to the database
-- local: people: members of several organisations
-- local: recovery_codes: of people
-- local: sessions: of people
-- local: authorization_requests: wait for a person to choose the organisation
-- local: organisations: sends notices; credentials point to it
-- local: members: sends notices; found by person
-- local: api_keys: sends notices
-- local: api_key_secrets: found by hash; sends notices
-- local: oauth_clients: some belong to no organisation
-- local: grants: found by person and app; sends notices
-- local: oauth_tokens: found by hash; sends notices
-- local: calendar_feeds: found by hash
-- local: outbox: sends notices; a queue over all organisations

-- No foreign key may lead from a spread table to a local one.
do $$
declare held record;
begin
  for held in
    select conrelid::regclass as owner, conname from pg_constraint
    where contype = 'f' and confrelid in ('organisations'::regclass, 'members'::regclass)
      and conrelid not in ('members'::regclass, 'api_keys'::regclass, 'oauth_clients'::regclass, 'grants'::regclass,
        'calendar_feeds'::regclass, 'outbox'::regclass)
  loop
    execute format('alter table %s drop constraint %I', held.owner, held.conname);
  end loop;
end $$;

-- What is spread, each after what it points to; all by the same column, so an organisation is on one machine.
select create_distributed_table('asset_categories', 'org_id');
select create_distributed_table('audit_log', 'org_id', colocate_with => 'asset_categories');
select create_distributed_table('counters', 'org_id', colocate_with => 'asset_categories');
select create_distributed_table('customers', 'org_id', colocate_with => 'asset_categories');
select create_distributed_table('devices', 'org_id', colocate_with => 'asset_categories');
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
select create_distributed_table('form_signatures', 'org_id', colocate_with => 'asset_categories');
select create_distributed_table('inventory_lines', 'org_id', colocate_with => 'asset_categories');
select create_distributed_table('messages', 'org_id', colocate_with => 'asset_categories');
select create_distributed_table('recurring_occurrences', 'org_id', colocate_with => 'asset_categories');
select create_distributed_table('service_lines', 'org_id', colocate_with => 'asset_categories');
select create_distributed_table('ticket_signatures', 'org_id', colocate_with => 'asset_categories');
select create_distributed_table('tombstones', 'org_id', colocate_with => 'asset_categories');
