-- The portal: the audit log, and the last use of credentials.

-- Who did what, written in the same transaction. It stores names, because members, keys and apps may be deleted.
create table audit_log (
  org_id      text not null references organisations on delete cascade,
  id          text not null,
  at          timestamptz(3) not null default clock_timestamp(),
  -- Null: not a person in the portal.
  member_id   text,
  member_name text not null,
  action      text not null,
  -- The id of the record concerned.
  subject     text,
  detail      jsonb not null default '{}',
  primary key (org_id, id)
);
create index audit_log_newest on audit_log (org_id, at desc, id desc);

-- Append-only: entries are deleted only with their organisation.
create function audit_log_is_final() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and pg_trigger_depth() > 1 then
    return old;
  end if;
  raise exception 'the audit log is never changed';
end $$;
create trigger audit_log_is_final before update or delete on audit_log
  for each row execute function audit_log_is_final();

-- Use (rest or mcp) and address of the last request: what would break if the credential were revoked.
alter table api_keys add column last_used_for text, add column last_used_from text;
alter table grants add column last_used_for text, add column last_used_from text;
