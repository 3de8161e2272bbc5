-- Signing in: whom an organisation asks for a second factor, browsers that are remembered, invitations by mail.

-- Admins always need one.
alter table organisations add column second_factor text not null default 'managers';
alter table organisations add constraint organisations_second_factor_known
  check (second_factor in ('admins', 'managers', 'everybody'));

-- A session has an id of its own, so that it can be shown and ended; which browser it is, and when it was last used.
alter table sessions
  add column id            text not null default 'ses_' || replace(gen_random_uuid()::text, '-', ''),
  add column is_remembered boolean not null default false,
  add column user_agent    text,
  add column last_used_at  timestamptz(3) not null default now();

-- Every page of a member begins with where they work.
do $$ begin
  create index members_by_person on members (person_id);
end $$;

-- Whoever is shut out or removed is signed out, for good: a session must not come back with the member. Somebody who works
-- elsewhere too stays signed in there; here every page looks at the membership.
create function end_sessions_of_member() returns trigger language plpgsql as $$
begin
  if is_copy_of_row() or (tg_op = 'UPDATE' and new.is_active) then
    return null;
  end if;
  if not exists (select from members where person_id = old.person_id and org_id <> old.org_id and is_active) then
    delete from sessions where person_id = old.person_id;
  end if;
  return null;
end $$;
create trigger end_sessions after delete or update of is_active on members
  for each row execute function end_sessions_of_member();

-- Somebody who is invited, and a member once they accept. Found by the hash of the secret in their link, so that the table
-- stays on the coordinator of a cluster; what the foreign key to the organisation would do is done by the trigger.
create table invitations (
  org_id     text not null,
  id         text not null,
  email      text not null,
  first_name text not null,
  last_name  text,
  role       text not null check (role in ('admin', 'manager', 'technician')),
  token_hash bytea not null,
  -- Whether the link went to the address itself; if not, an admin has seen it.
  is_mailed  boolean not null,
  created_at timestamptz(3) not null default now(),
  expires_at timestamptz(3) not null,
  primary key (org_id, id)
);
create unique index invitations_by_token on invitations (token_hash);
create unique index invitations_email_unique on invitations (org_id, lower(email));

create function remove_invitations() returns trigger language plpgsql as $$
begin
  if not is_copy_of_row() then
    delete from invitations where org_id = old.org_id;
  end if;
  return old;
end $$;
create trigger remove_invitations before delete on organisations
  for each row execute function remove_invitations();

-- Mail whose body is for its reader alone: whoever could read the link of an invitation could accept it.
alter table outbox add column is_private boolean not null default false;
