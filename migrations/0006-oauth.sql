-- OAuth: clients, grants and tokens; and how people sign in: second factor, recovery codes, sessions.

-- Clients. Those with a hosted metadata document are not stored.
create table oauth_clients (
  id           text primary key,
  -- The organisation whose admin registered it; a self-registered client belongs to none.
  org_id       text references organisations on delete cascade,
  source       text not null check (source in ('dynamic', 'registered')),
  name         text not null,
  metadata     jsonb not null,
  secret_hash  bytea,
  expires_at   timestamptz(3),
  created_at   timestamptz(3) not null default now(),
  updated_at   timestamptz(3) not null default now(),
  check ((source = 'registered') = (org_id is not null))
);
create index on oauth_clients (org_id, created_at desc) where org_id is not null;
create index on oauth_clients (expires_at) where expires_at is not null;

-- What one admin allowed one client in one organisation.
create table grants (
  org_id           text not null references organisations on delete cascade,
  id               text not null,
  person_id        text not null references people,
  -- Null: migrated from an earlier system.
  client_id        text,
  client_name      text not null,
  scopes           text[] not null,
  refused_scopes   text[] not null default '{}',
  scope_version    smallint not null default 1 check (scope_version in (1, 2)),
  expires_at       timestamptz(3),
  remembered_until timestamptz(3),
  revoked_at       timestamptz(3),
  last_used_at     timestamptz(3),
  created_at       timestamptz(3) not null default now(),
  primary key (org_id, id),
  -- A new approval replaces the previous one, whichever organisation that was for.
  constraint grants_person_client unique (person_id, client_id)
);
create unique index grants_by_id on grants (id);
create index on grants (org_id, person_id);
create index on grants (client_id);

-- Codes, access tokens and refresh tokens, stored as hashes. A consumed one stays until it expires, so that its reuse is
-- detected.
create table oauth_tokens (
  hash        bytea primary key,
  kind        text not null check (kind in ('code', 'access', 'refresh')),
  org_id      text not null,
  grant_id    text not null,
  scopes      text[] not null,
  -- Null: issued before tokens were bound to an audience.
  audience    text,
  -- How many rotations led to this refresh token.
  rotations   integer not null default 0,
  payload     jsonb not null default '{}',
  created_at  timestamptz(3) not null default now(),
  expires_at  timestamptz(3) not null,
  consumed_at timestamptz,
  foreign key (org_id, grant_id) references grants on delete cascade
);
create index on oauth_tokens (org_id, grant_id, kind);
create index on oauth_tokens (expires_at);

-- Authorization requests that wait for a person's consent.
create table authorization_requests (
  hash       bytea primary key,
  payload    jsonb not null,
  expires_at timestamptz(3) not null,
  -- The grant it resulted in, so that submitting the consent twice is idempotent.
  grant_id   text
);
create index on authorization_requests (expires_at);

-- Notifies every process to drop an organisation's credentials from its cache when a token or a grant ends.
create trigger credentials_changed after delete on oauth_tokens
  for each row when (old.kind = 'access' and old.expires_at > now()) execute function credentials_changed();
create trigger credentials_changed after update of revoked_at, expires_at, scopes, scope_version on grants
  for each row execute function credentials_changed();

-- Revokes the grants of an admin who is removed. Access tokens are left to expire, so that requests get the reason.
create function approver_changed() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' and new.is_active and new.role = 'admin' then
    return null;
  end if;
  update grants set revoked_at = now()
    where org_id = old.org_id and person_id = old.person_id and revoked_at is null;
  delete from oauth_tokens token using grants
    where grants.org_id = old.org_id and grants.person_id = old.person_id
      and token.org_id = grants.org_id and token.grant_id = grants.id and token.kind <> 'access';
  return null;
end $$;
create trigger approver_changed after delete or update of role, is_active on members
  for each row execute function approver_changed();
create trigger credentials_changed after delete or update of role, is_active on members
  for each row execute function credentials_changed();

-- Second factor: a code is valid once, wrong ones lock it, recovery codes replace a lost device.
alter table people
  add column totp_last_step    bigint not null default 0,
  add column totp_failures     integer not null default 0,
  add column totp_failing_since timestamptz(3),
  add column totp_locked_until timestamptz(3);

create table recovery_codes (
  person_id text not null references people on delete cascade,
  hash      bytea not null,
  used_at   timestamptz(3),
  primary key (person_id, hash)
);

-- Sessions of people, stored by the hash of the token.
create table sessions (
  hash             bytea primary key,
  person_id        text not null references people on delete cascade,
  -- identity: a token for programs, accepted only where a second factor is required each time.
  kind             text not null check (kind in ('browser', 'identity')),
  signed_in_at     timestamptz(3) not null default now(),
  second_factor_at timestamptz(3),
  -- The encrypted TOTP secret during setup; it becomes active once a code confirms it.
  pending_totp     text,
  expires_at       timestamptz(3) not null
);
create index on sessions (person_id);
create index on sessions (expires_at);
